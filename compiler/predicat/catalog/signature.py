"""The signature of a manifest: Ed25519 (RFC 8032), with the package `cryptography`.

It is the last line of the file, and signs the bytes of all lines before it. The line before it names the
catalog and the revision, so that no older manifest and none of another catalog can take this one's place.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path

from predicat.diagnostics import PredicatError, extras
from predicat.diagnostics.messages import catalog as say

Signer = Callable[[str], str]

_CLOSING = "]}\n"
_SIGNED = re.compile(r'\],\n"catalog": .*, "revision": \d+,\n"signature": "[A-Za-z0-9+/]{86}=="\}\n\Z')


def signer(key: Path, catalog: str, revision: int) -> Signer:
    """A function that signs the text of a manifest with the Ed25519 private key in a PEM file.

    Args:
        key: The PEM file.
        catalog: The name of the catalog.
        revision: A number that grows with each manifest of the catalog.

    Raises:
        PredicatError: The package is missing, or the file has no such key.
    """
    extras.require("cryptography")
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  # optional
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415  # optional
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415  # optional

    try:
        private = load_pem_private_key(key.read_bytes(), password=None)
    except OSError as error:
        raise PredicatError.of(say.no_signing_key(str(key), error.strerror or str(error))) from None
    except TypeError:
        raise PredicatError.of(say.no_signing_key(str(key), say.ENCRYPTED_KEY)) from None
    except (ValueError, UnsupportedAlgorithm):
        raise PredicatError.of(say.no_signing_key(str(key), say.NO_PEM_KEY)) from None
    if not isinstance(private, Ed25519PrivateKey):
        raise PredicatError.of(say.no_signing_key(str(key), say.NO_ED25519_KEY))

    def sign(text: str) -> str:
        rows = unsigned(text).removesuffix(_CLOSING)
        content = f'{rows}],\n"catalog": {json.dumps(catalog)}, "revision": {revision},\n'
        shown = base64.b64encode(private.sign(content.encode())).decode()
        return f'{content}"signature": "{shown}"}}\n'

    return sign


def unsigned(text: str) -> str:
    """The text of a manifest without its signature, if it has one."""
    return _SIGNED.sub(_CLOSING, text)
