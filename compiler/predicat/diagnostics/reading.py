"""Files that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import PredicatError


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Tells why a file cannot be read as UTF-8. Raises PredicatError."""
    try:
        yield
    except OSError as error:
        raise PredicatError.of(msg.unreadable(path, error.strerror or str(error))) from None
    except UnicodeDecodeError as error:
        raise PredicatError.of(msg.no_utf8(path, error.start)) from None
