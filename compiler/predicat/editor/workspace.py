"""A catalog as an editor sees it: files on disk, with the texts of open documents over them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, field

from predicat.catalog.definitions import FIELD_KEYS, FILE_KEYS, FILTER_KEYS, GROUP_KEYS, PARAM_KEYS, SUBSCRIPTION_KEYS, TEST_KEYS
from predicat.catalog.load import load_catalog
from predicat.catalog.model import Catalog, Filter
from predicat.diagnostics import Diagnostic, PredicatError, Unsupported
from predicat.editor.places import Place, place
from predicat.frontends import LANGUAGES
from predicat.frontends.cel.reader import KNOWN as CEL_FUNCTIONS
from predicat.frontends.sql import FUNCTIONS as SQL_FUNCTIONS
from predicat.ir.types import SCALAR_NAMES

_COMPOSITIONS = ("all", "any", "not", "filters", "filter")
_MACRO = re.compile(r"\{%-?\s*macro\s+(\w+)")


class Completion(Struct, frozen=True):
    """A word to offer: its text, what it is ("field", "filter", "function", "key", "macro"), and a line about it."""

    text: str
    kind: str
    about: str = ""


class Location(Struct, frozen=True):
    """A place in a file, 0-based."""

    file: Path
    line: int
    column: int
    length: int


class Workspace(Struct):
    """A catalog folder. `good` is its last state without errors, which answers while a file is broken."""

    folder: Path
    texts: dict[Path, str] = field(default_factory=dict[Path, str])
    good: Catalog | None = None

    def check(self) -> list[Diagnostic]:
        """Every problem and warning of the catalog as it is now."""
        try:
            catalog = load_catalog(self.folder, texts=self.texts)
        except PredicatError as error:
            return list(error.diagnostics)
        self.good = catalog
        return list(catalog.warnings)

    def text(self, file: Path) -> str:
        found = self.texts.get(file)
        return found if found is not None else file.read_text(encoding="utf-8") if file.exists() else ""

    # --- completion

    def complete(self, file: Path, line: int, column: int) -> list[Completion]:
        """What may stand at a cursor."""
        return list(self._offers(place(self.text(file), line, column)))

    def _offers(self, at: Place) -> Iterator[Completion]:
        if not at.value:
            yield from (Completion(key, "key") for key in _keys(at.path))
            return
        key = at.path[-1] if at.path else ""
        if key in LANGUAGES and key not in _COMPOSITIONS:
            yield from self._body(at, key)
        elif key in _COMPOSITIONS:
            yield from self._filters(at.dataset)
        elif key == "type" or "fields" in at.path[:1]:
            yield from (Completion(name, "type") for name in SCALAR_NAMES)
        elif key == "on_unknown":
            yield from (Completion(name, "value") for name in ("reject", "accept"))

    def _body(self, at: Place, language: str) -> Iterator[Completion]:
        if re.search(r"filter\(\s*['\"][^'\"]*$", at.before):
            yield from self._filters(at.dataset)
            return
        dataset = self.good.datasets.get(at.dataset) if self.good else None
        for decl in dataset.fields.values() if dataset else ():
            yield Completion(decl.name, "field", f"{decl.type}" + (f": {decl.description}" if decl.description else ""))
        for word, value in dataset.enums.items() if dataset else ():
            yield Completion(word, "value", repr(value))
        functions = SQL_FUNCTIONS if language == "sql" else CEL_FUNCTIONS if language == "cel" else ()
        for name in sorted(set(functions)):
            yield Completion(name, "function")
        for name, _ in self._macros():
            yield Completion(name, "macro")
        if "{{" in at.before or language == "cel":
            yield Completion("filter", "function", "the predicate of another filter")

    def _filters(self, dataset: str) -> Iterator[Completion]:
        for row in self.good.filters() if self.good else ():
            if row.dataset == dataset:
                yield Completion(row.name, "filter", row.description)

    def _macros(self) -> Iterator[tuple[str, Location]]:
        for file in sorted((self.folder.parent / "macros").glob("*.sql")):
            for number, line in enumerate(self.text(file).split("\n")):
                for found in _MACRO.finditer(line):
                    yield found[1], Location(file, number, found.start(1), len(found[1]))

    # --- what a word is

    def filter_at(self, file: Path, line: int, column: int) -> Filter | None:
        """The filter that a word names."""
        at = place(self.text(file), line, column)
        name = at.word.partition("@")[0]
        if self.good is None or not name:
            return None
        return self.good.known.get(name) or self.good.known.get(f"{at.dataset}.{name}")

    def hover(self, file: Path, line: int, column: int) -> str | None:
        """What is known of the word at a cursor, as Markdown."""
        row = self.filter_at(file, line, column)
        if row is not None:
            return _about(row)
        at = place(self.text(file), line, column)
        dataset = self.good.datasets.get(at.dataset) if self.good else None
        decl = dataset.fields.get(at.word) if dataset else None
        if decl is None:
            return None
        return f"**{decl.name}** `{decl.type}`" + (f"\n\n{decl.description}" if decl.description else "")

    def definition(self, file: Path, line: int, column: int) -> Location | None:
        """Where the word at a cursor is defined: a filter, a field or a macro."""
        row = self.filter_at(file, line, column)
        at = place(self.text(file), line, column)
        if row is not None:
            span = row.span.outermost()
            number, start = span.source.line_column(span.start)
            return Location(Path(span.source.name).resolve(), number - 1, start - 1, span.end - span.start)
        for name, found in self._macros():
            if name == at.word:
                return found
        return self._field(at)

    def _field(self, at: Place) -> Location | None:
        pattern = re.compile(rf"^(\s+|fields:\s*\{{.*?\b)({re.escape(at.word)})\s*:")
        for file in sorted(self.folder.rglob("*.y*ml")):
            text = self.text(file.resolve())
            if not re.search(rf"^dataset:\s*{re.escape(at.dataset)}\s*$", text, re.MULTILINE):
                continue
            inside = False
            for number, line in enumerate(text.split("\n")):
                inside = line.startswith("fields:") or (inside and line[:1] in (" ", ""))
                found = pattern.match(line) if inside and at.word else None
                if found:
                    return Location(file.resolve(), number, found.start(2), len(at.word))
        return None


def _keys(path: tuple[str, ...]) -> tuple[str, ...]:
    """The keys that may stand inside a mapping."""
    match path:
        case ():
            return FILE_KEYS
        case ("filters", _) | ("filters", _, "versions", _):
            return (*FILTER_KEYS, *LANGUAGES) if len(path) == 2 else ("params", "deprecated", "on", *LANGUAGES)
        case ("fields", _):
            return FIELD_KEYS
        case ("groups", _):
            return GROUP_KEYS
        case ("subscriptions", _):
            return SUBSCRIPTION_KEYS
        case (*_, "params", _):
            return PARAM_KEYS
        case (*_, "tests") | ("tests", _):
            return TEST_KEYS
        case _:
            return ()


def _about(row: Filter) -> str:
    from predicat import backends  # noqa: PLC0415  # rendering needs sqlglot, hovering over a field does not

    lines = [f"**{row.qualified}** version {row.latest}", "", row.description]
    for dialect in ("spark", "postgres"):
        try:
            sql = backends.dialect(dialect).render(row.current.predicate.node)
        except Unsupported as error:
            sql = f"-- {error.diagnostics[0].message}"
        lines += ["", f"{dialect}:", "```sql", sql, "```"]
    return "\n".join(lines)
