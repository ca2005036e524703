"""Cells that are no values of their fields: counted, and some of them with their places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from msgspec import Struct, field

from predicat.diagnostics.messages import tables as say
from predicat.ir.nodes import FieldDecl

SAMPLES = 3
_LONGEST = 80
# Numbers as they are written in other countries, and what to say of them.
_MARKS = (
    (re.compile(r"[+-]?[0-9]{1,3}([.][0-9]{3})+(,[0-9]+)?"), say.thousands),
    (re.compile(r"[+-]?[0-9]+,[0-9]+"), say.decimal_comma),
)


class Sample(Struct, frozen=True):
    """A bad cell: its text, and the file and line where its record begins (0: not known)."""

    text: str
    file: str = ""
    line: int = 0

    @property
    def place(self) -> str:
        """The file and line, as messages name them."""
        return say.line(self.file, self.line) if self.line else self.file


class BadCells(Struct):
    """The bad cells of a source, by field. Damaged records are those of `say.RECORD`."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    samples: dict[str, list[Sample]] = field(default_factory=dict[str, list[Sample]])

    def add(self, name: str, text: object, file: str, line: int) -> None:
        """Count a cell of a field."""
        self.counts[name] = self.counts.get(name, 0) + 1
        few = self.samples.setdefault(name, [])
        if len(few) < SAMPLES:
            few.append(Sample(str(text)[:_LONGEST], file, line))

    def messages(self, fields: Mapping[str, FieldDecl]) -> Iterator[str]:
        """A warning for each field, as the command line shows it."""
        for name, count in self.counts.items():
            few = [(row.text, row.place) for row in self.samples.get(name, ())]
            if name == say.RECORD:
                yield say.bad_records(count, few)
            else:
                yield say.bad_cells(name, fields[name].shown_type, count, few)
                found = (told for marks, told in _MARKS if any(marks.fullmatch(text) for text, _ in few))
                yield from (told(name) for told in islice(found, 1))

    def data(self) -> list[dict[str, Any]]:
        """The bad cells as JSON data."""
        return [
            {
                "field": name,
                "cells": count,
                "samples": [
                    {"text": row.text, "file": row.file, "line": row.line or None}
                    for row in self.samples.get(name, ())
                ],
            }
            for name, count in self.counts.items()
        ]
