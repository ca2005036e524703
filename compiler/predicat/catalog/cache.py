"""The hash of everything that a compiled catalog depends on, so that an unchanged one is not compiled
again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from predicat.diagnostics import PredicatError
from predicat.diagnostics.reading import bytes_of

_FILE_NAME = re.compile(rb"""[^\s"'\[\]{},:]+\.(?:ya?ml|csv)\b""")
_CODE = Path(__file__).parent.parent


def fingerprint(folder: Path, macros: Path, variables: Mapping[str, Any]) -> str:
    """The hash of the files of a catalog and its macros, of the variables, and of the compiler itself."""
    digest = hashlib.sha256(json.dumps(dict(variables), sort_keys=True, default=str).encode())
    return _of_parts(digest, _parts(folder, macros))


def content_hash(folder: Path, macros: Path) -> str:
    """The hash of the files of a catalog and of its macros, wherever they lie."""
    files = _files(folder, macros)
    return _of_parts(
        hashlib.sha256(), ((os.path.relpath(name, folder.parent), content) for name, content in files)
    )


def _of_parts(digest: hashlib._Hash, parts: Iterator[tuple[str, bytes]]) -> str:
    """The hash of named contents. No two lists of them run together to the same bytes."""
    for name, content in parts:
        digest.update(f"{len(name)} {name} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()


def _parts(folder: Path, macros: Path) -> Iterator[tuple[str, bytes]]:
    yield from _files(folder, macros)
    yield from sorted(_modules(str(_CODE)))


def _files(folder: Path, macros: Path) -> Iterator[tuple[str, bytes]]:
    for root in (folder, macros):
        for file in sorted(root.rglob("*")) if root.is_dir() else [root]:
            # Anything but a file is hashed by its name; a check reports broken links.
            yield str(file), _content(file)
    if folder.is_file():
        yield from _named_files(folder)


def _named_files(catalog: Path) -> Iterator[tuple[str, bytes]]:
    """The files that a single-file catalog may refer to: of lists and of shared fields."""
    for name in sorted(set(_FILE_NAME.findall(_content(catalog)))):
        file = catalog.parent / os.fsdecode(name)
        yield str(file), _content(file)


def _content(file: Path) -> bytes:
    """The bytes of a file; of what a check reports as no file of the project, nothing."""
    try:
        return bytes_of(file)
    except PredicatError:
        return b"\0"


def _modules(folder: str) -> Iterator[tuple[str, bytes]]:
    """The modules of the compiler with their sizes and modification times. Every command waits for this, and
    pathlib takes three times as long.
    """
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _modules(entry.path)
            elif entry.name.endswith(".py"):
                status = entry.stat()
                yield entry.path, f"{status.st_size} {status.st_mtime_ns}".encode()


def cache_folder() -> Path:
    """The cache folder: PREDICAT_CACHE, or `predicat` in the user's cache folder."""
    if chosen := os.environ.get("PREDICAT_CACHE"):
        return Path(chosen)
    if home := os.environ.get("XDG_CACHE_HOME"):
        return Path(home) / "predicat"
    try:
        return Path.home() / ".cache" / "predicat"
    except RuntimeError:  # a user that the system does not know, as in containers
        return _temporary()


@cache
def _temporary() -> Path:
    """A folder for this process that nobody else can write to."""
    import tempfile  # noqa: PLC0415  # only without a home

    return Path(tempfile.mkdtemp(prefix="predicat-"))


def text_hash(text: str) -> str:
    """The hash of a file's text."""
    return hashlib.sha256(text.encode()).hexdigest()
