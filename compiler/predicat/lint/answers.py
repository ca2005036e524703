"""The cache of proofs for lint: a question about unchanged predicates is not asked again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

from msgspec import Struct, field

from predicat.catalog.cache import text_hash
from predicat.diagnostics.writing import write_text

T = TypeVar("T", bool, str)


class Answers(Struct):
    """Answers by question. With a `path` they are read from that file, and `save` writes them there; without
    one they are lost at the end of the run.

    The file is only a cache: a file that is damaged or was written by other code is ignored, and so are
    errors of writing. Concurrent runs replace the whole file.
    """

    path: Path | None = None
    known: dict[str, bool | str] = field(default_factory=dict[str, bool | str])
    asked: dict[str, bool | str] = field(default_factory=dict[str, bool | str])

    def ask(self, question: tuple[object, ...], answer: Callable[[], T]) -> T:
        """The answer to a question, from the cache or computed. The text identifies the question."""
        key = hashlib.sha256(repr(question).encode()).hexdigest()[:32]
        outcome = self.asked.get(key, self.known.get(key))
        result = answer() if outcome is None else outcome
        self.asked[key] = result
        return result  # type: ignore[return-value]  # a question has answers of one type

    def save(self, *, whole: bool = True) -> None:
        """Write the answers. A run on the `whole` catalog drops the answers that it did not use."""
        kept = self.asked if whole else {**self.known, **self.asked}
        if self.path is None or kept == self.known:
            return
        content = json.dumps(kept, sort_keys=True)
        with suppress(OSError):
            write_text(
                self.path, json.dumps({"code": code_hash(), "content": text_hash(content)}) + "\n" + content
            )


def load_answers(path: Path) -> Answers:
    """The answers in a file; empty if it is damaged, or was written by other code."""
    try:
        head, _, content = path.read_text(encoding="utf-8").partition("\n")
        kept = json.loads(head)
        if kept["code"] == code_hash() and kept["content"] == text_hash(content):
            return Answers(path, json.loads(content))
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return Answers(path)


@cache
def code_hash() -> str:
    """The hash of predicat's code and the versions of the solver and of what reads SQL and templates. Answers
    depend on them too.
    """
    root = Path(__file__).parent.parent.parent
    digest = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        digest.update(f"{file.relative_to(root)} ".encode())
        digest.update(file.read_bytes())
    for package in ("z3-solver", "sqlglot", "jinja2"):
        try:
            digest.update(version(package).encode())
        except PackageNotFoundError:
            digest.update(b"?")
    return digest.hexdigest()
