"""The baseline: a file of old findings of lint or discover, one per line, that are ignored until their line
is removed.

A line has the rule, a hash and a description of the finding. The hash is computed from the rule, the name,
the text at that place and the message without example rows, places and inferred types, or from the key of the
finding. So it does not change when lines move, files get other names, or the solver finds another example.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from msgspec import Struct

from predicat.diagnostics import PredicatError, Source, Span
from predicat.diagnostics.messages import files as say_files
from predicat.diagnostics.messages import review as say
from predicat.diagnostics.reading import text_of
from predicat.diagnostics.writing import write_text
from predicat.lint import Finding

_HEAD = "# Known findings, which --baseline FILE ignores. Written with --update-baseline\n"
_LINE = re.compile(r"(?P<code>[A-Z][0-9]+) (?P<hash>[0-9a-f]{12}) (?P<about>.+)")
# What differs from run to run: rows, places of other rules, and types that other code tells.
_ROWS = re.compile(r"\{.*\}", re.DOTALL)
_PLACES = re.compile(r"[^\s,]+:\d+(?![\d:])")
_TYPES = re.compile(r"\s*Types inferred from use: [^.]*\.")


class Entry(Struct, frozen=True):
    """An accepted finding: its rule, its hash, and a description for people."""

    code: str
    hash: str
    about: str


Item = TypeVar("Item", bound=Finding)


class BaselineResult(Struct, Generic[Item], frozen=True):
    """Findings compared with a baseline: new findings, the number of known ones, and entries that no finding
    matches.
    """

    new: list[Item]
    accepted: int
    stale: list[Entry]


def lasting(message: str) -> str:
    """A message without rows, places and inferred types, which differ where the mistake is the same."""
    return " ".join(_PLACES.sub("...", _TYPES.sub("", _ROWS.sub("...", message))).split())


def entry(item: Finding) -> Entry:
    """The line of a finding."""
    message = lasting(item.message)
    content = " ".join(item.span.text.split())
    whole = f"{item.code}\0{item.key or chr(0).join((item.name, message, content))}"
    digest = hashlib.sha256(whole.encode(errors="surrogatepass")).hexdigest()
    about = " ".join(f"{item.name}: {message}".split())
    return Entry(item.code, digest[:12], about.encode(errors="backslashreplace").decode())


def read(path: Path, target: Path | None = None) -> list[Entry]:
    """The entries of a baseline file. `place` is the path to name in errors. Raises PredicatError with every
    invalid line.
    """
    file = target or path
    if not file.exists():
        raise PredicatError.of(say.no_baseline(path))
    text = text_of(file, str(path))
    source = Source(str(path), text)
    result: list[Entry] = []
    problems = []
    start = 0
    for line in text.splitlines(keepends=True):
        shown = line.rstrip()
        match = _LINE.fullmatch(shown)
        if match is not None:
            result.append(Entry(**match.groupdict()))
        elif shown and not shown.startswith("#"):
            problems.append(say_files.baseline_line(Span(source, start, start + len(shown))))
        start += len(line)
    if problems:
        raise PredicatError(problems)
    return result


def apply_baseline(
    findings: Iterable[Item], entries: Sequence[Entry], judged: Callable[[str], bool] = lambda _: True
) -> BaselineResult[Item]:
    """Separate known findings from new ones. An entry matches one finding. Entries of rules that were not
    `judged` are neither needed nor stale.
    """
    left = Counter((item.code, item.hash) for item in entries)
    new: list[Item] = []
    accepted = 0
    for item in findings:
        line = entry(item)
        if left[line.code, line.hash] > 0:
            left[line.code, line.hash] -= 1
            accepted += 1
        else:
            new.append(item)
    stale: list[Entry] = []
    for old in entries:
        if left[old.code, old.hash] > 0 and judged(old.code):
            left[old.code, old.hash] -= 1
            stale.append(old)
    return BaselineResult(new, accepted, stale)


def write(path: Path, findings: Iterable[Finding], kept: Iterable[Entry] = ()) -> int:
    """Write a baseline of findings and of other entries to keep, in their order. Returns their number."""
    lines = sorted((item.code, item.about, item.hash) for item in (*map(entry, findings), *kept))
    write_text(path, _HEAD + "".join(f"{code} {digest} {about}\n" for code, about, digest in lines))
    return len(lines)
