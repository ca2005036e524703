"""Files that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from predicat.diagnostics.diagnostic import PredicatError
from predicat.diagnostics.messages import files as say


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Tells why a file cannot be read as UTF-8. Raises PredicatError."""
    try:
        yield
    except OSError as error:
        raise PredicatError.of(say.unreadable(path, error.strerror or str(error))) from None
    except UnicodeDecodeError as error:
        raise PredicatError.of(say.no_utf8(path, error.start)) from None
