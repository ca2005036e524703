"""Answers about conditions, kept in the user's cache: one file for each kind of question.

What is kept depends on the text of the question, on predicat's own code and on the solver. A file that is
damaged, or was written by other code, is ignored; one that cannot be written costs only time.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from predicat.catalog.cache import cache_folder
from predicat.diagnostics.writing import replacing
from predicat.lint.answers import code_hash

# How many answers a file keeps.
_MOST = 200_000
# How many files a folder of a cache keeps: the others were written longest ago.
_MOST_FILES = 10
# Is told how many of how many questions are answered.
Progress = Callable[[int, int], None]


class Question(Protocol):
    """What is asked: equal if the answer is the same."""

    def __hash__(self) -> int: ...

    @property
    def key(self) -> str:
        """It as a text."""
        ...


Q = TypeVar("Q", bound=Question)
A = TypeVar("A", bound=msgspec.Struct)


def folder() -> Path:
    """Where the answers of `predicat discover` are kept."""
    return cache_folder() / "discover"


def search_name(paths: Sequence[Path]) -> str:
    """The name of a search in these paths, in a cache of what was read."""
    return hashlib.sha256("\0".join(str(path.absolute()) for path in paths).encode()).hexdigest()[:16]


class AnswerCache:
    """The answers in a folder; without one nothing outlives the run. After Ctrl-C nothing more is asked:
    what was answered is kept, and `unanswered` counts the rest. With `part`, the folder within it, answers
    are large: beside those of the last run a file keeps at most as many older ones. An answer of a subclass
    of its kind is not kept.
    """

    def __init__(self, root: Path | None, part: str = "") -> None:
        self.root = root / part if root is not None else None
        self.most = 0 if part else _MOST
        self.interrupted = False
        self.unanswered = 0

    def answers(
        self, name: str, questions: Sequence[Q], kind: type[A], ask: Callable[[Sequence[Q]], Iterator[A]]
    ) -> dict[Q, A]:
        """The answer to each question: from the file of this name, or else computed now. One that has no
        answer because of Ctrl-C has the empty one of its kind.
        """
        known = self._read(name, kind)
        hashes = [hashlib.sha256(question.key.encode()).hexdigest()[:32] for question in questions]
        keys = dict(zip(questions, hashes, strict=True))
        missing = [question for question, key in zip(questions, hashes, strict=True) if key not in known]
        new: dict[str, A] = {}
        try:
            if not self.interrupted:
                for question, answer in zip(missing, ask(missing), strict=True):
                    new[keys[question]] = answer
        except KeyboardInterrupt:
            self.interrupted = True
        self.unanswered += len(missing) - len(new)
        if new:
            asked = set(hashes)
            used = {
                key: answer
                for key, answer in {**known, **new}.items()
                if key in asked and type(answer) is kind
            }
            others = {key: answer for key, answer in known.items() if key not in used}
            room = max(self.most, 2 * len(used)) - len(used)
            self._write(name, {**dict(list(others.items())[-room:] if room else ()), **used})
        return {
            question: new[key] if key in new else known[key] if key in known else kind()
            for question, key in keys.items()
        }

    def _path(self, name: str) -> Path | None:
        return None if self.root is None else self.root / f"{name}-{code_hash()[:16]}.json"

    def _read(self, name: str, kind: type[A]) -> dict[str, A]:
        path = self._path(name)
        if path is not None:
            with suppress(OSError, msgspec.DecodeError):
                return msgspec.json.decode(path.read_bytes(), type=dict[str, kind])  # type: ignore[valid-type]
        return {}

    def _write(self, name: str, answers: dict[str, A]) -> None:
        path = self._path(name)
        if path is None:
            return
        with suppress(OSError):
            for old in path.parent.glob(f"{name}-*.json"):
                old.unlink(missing_ok=True)
            there = sorted(path.parent.glob("*.json"), key=lambda file: file.stat().st_mtime)
            for old in there[: max(len(there) + 1 - _MOST_FILES, 0)]:
                old.unlink(missing_ok=True)
            with replacing(path) as beside:
                beside.write_bytes(msgspec.json.encode(answers, enc_hook=_text))


def _text(value: object) -> str:
    """A text that knows its place, as those of YAML do, is kept as a text. Raises NotImplementedError."""
    if isinstance(value, str):
        return str(value)
    raise NotImplementedError
