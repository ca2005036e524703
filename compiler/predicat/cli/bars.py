"""Progress bars: on a terminal only, and on standard error."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress


def bar() -> Progress:
    """A bar that goes when it ends. Where standard error is no terminal, neither it nor its console prints:
    a bar that is only disabled ends with an empty line in rich before 14.1.
    """
    from rich.console import Console  # noqa: PLC0415  # not for --help
    from rich.progress import Progress  # noqa: PLC0415  # as above

    seen = sys.stderr.isatty()
    return Progress(console=Console(stderr=True, quiet=not seen), transient=True, disable=not seen)
