"""Writes files completely or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file beside a file, which then takes its place. After an error nothing is left of it.

    Its name is random: processes of two machines that share a disk can have the same number.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}")
    try:
        yield beside
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """Write a file atomically. Raises OSError."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")
