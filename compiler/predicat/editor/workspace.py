"""A catalog as an editor sees it: files on disk, with the texts of open documents over them."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct, field

from predicat.catalog.jobs import JOB, SOURCE
from predicat.catalog.json_schema import FILES
from predicat.catalog.keys import (
    ATTRIBUTE,
    FIELD,
    FILE,
    FILTER,
    GROUP,
    PARAM,
    POLICY,
    POLICY_FILTER,
    POLICY_TEST,
    SUBSCRIPTION,
    TEST,
    VERSION,
    Keys,
)
from predicat.catalog.live import LiveCatalog, Loaded
from predicat.catalog.model import Catalog, Filter
from predicat.diagnostics import Diagnostic, Span, Unsupported
from predicat.editor.lenses import Lens, Rows, lenses
from predicat.editor.places import Place, place
from predicat.editor.rename import Edit, rename
from predicat.editor.signatures import Signature, call_at, signatures
from predicat.editor.symbols import Index, Outline, Symbol, Use, dict_of, file_of, outline
from predicat.ir.types import SCALAR_NAMES
from predicat.language import LANGUAGES
from predicat.language.cel.reader import KNOWN as CEL_FUNCTIONS
from predicat.language.sql.rules import FUNCTIONS as SQL_FUNCTIONS
from predicat.rewrite.list_tables import in_tables

_COMPOSITIONS = ("all", "any", "not", "filters", "filter")
_MACRO = re.compile(r"\{%-?\s*macro\s+(\w+)")


class Completion(Struct, frozen=True):
    """A word to offer: its text, what it is ("field", "filter", "function", "key", "macro"), and a line
    about it.
    """

    text: str
    kind: str
    about: str = ""


class Location(Struct, frozen=True):
    """A place in a file, 0-based; columns count characters."""

    file: Path
    line: int
    column: int
    length: int


class Workspace(Struct):
    """A catalog folder. `good` is its last state without errors, which answers while a file is broken."""

    folder: Path
    texts: dict[Path, str] = field(default_factory=dict[Path, str])
    good: Catalog | None = None
    loaded: Loaded | None = None
    index: Index = field(default_factory=Index)
    _live: LiveCatalog | None = None

    def check(self) -> list[Diagnostic]:
        """Every problem and warning of the catalog as it is now."""
        if self._live is None:
            self._live = LiveCatalog(self.folder)
        self.loaded = self._live.load(self.texts)
        if self.loaded.good or self.good is None:
            self.good = self.loaded.catalog
        return list(self.loaded.diagnostics)

    def current(self) -> Loaded:
        """The catalog as it is now."""
        if self.loaded is None:
            self.check()
        assert self.loaded is not None  # noqa: S101  # checked just now
        return self.loaded

    def text(self, file: Path) -> str:
        """The text of a file as the editor has it."""
        result = self.texts.get(file)
        return result if result is not None else file.read_text(encoding="utf-8") if file.exists() else ""

    # --- completion

    def complete(self, file: Path, line: int, column: int) -> list[Completion]:
        """The completions at a cursor."""
        return list(self._offers(place(self.text(file), line, column)))

    def _offers(self, at: Place) -> Iterator[Completion]:
        if not at.value:
            keys = _keys(at.path).items()
            yield from (Completion(key, "key", kind.get("description", "")) for key, kind in keys)
            return
        key = at.path[-1] if at.path else ""
        if key in LANGUAGES and key not in _COMPOSITIONS:
            yield from self._body(at, key)
        elif key in _COMPOSITIONS:
            yield from self._filters(at.dataset)
        elif key == "type" or "fields" in at.path[:1]:
            yield from (Completion(name, "type") for name in SCALAR_NAMES)
        else:
            known = _keys(at.path[:-1]).get(key, {}).get("enum", ())
            yield from (Completion(name, "value") for name in known if isinstance(name, str))

    def _body(self, at: Place, language: str) -> Iterator[Completion]:
        if re.search(r"filter\(\s*['\"][^'\"]*$", at.before):
            yield from self._filters(at.dataset)
            return
        dataset = self.good.datasets.get(at.dataset) if self.good else None
        for decl in dataset.fields.values() if dataset else ():
            yield Completion(
                decl.name, "field", f"{decl.type}" + (f": {decl.description}" if decl.description else "")
            )
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
        for filter_ in self.good.filters() if self.good else ():
            if filter_.dataset == dataset:
                yield Completion(filter_.name, "filter", filter_.description)

    def _macros(self) -> Iterator[tuple[str, Location]]:
        for file in sorted((self.folder.parent / "macros").glob("*.sql")):
            for number, line in enumerate(self.text(file).split("\n")):
                for result in _MACRO.finditer(line):
                    yield result[1], Location(file, number, result.start(1), len(result[1]))

    # --- what a word is

    def filter_at(self, file: Path, line: int, column: int) -> Filter | None:
        """The filter that a word names."""
        at = place(self.text(file), line, column)
        name = at.word.partition("@")[0]
        if self.good is None or not name:
            return None
        known = {**self.good.known, **self.current().catalog.known}
        return known.get(name) or known.get(f"{at.dataset}.{name}")

    def hover(self, file: Path, line: int, column: int) -> str | None:
        """What is known of the word at a cursor, as Markdown."""
        filter_ = self.filter_at(file, line, column)
        if filter_ is not None:
            return _about(filter_)
        at = place(self.text(file), line, column)
        dataset = self.good.datasets.get(at.dataset) if self.good else None
        decl = dataset.fields.get(at.word) if dataset else None
        if decl is None:
            return None
        return f"**{decl.name}** `{decl.type}`" + (f"\n\n{decl.description}" if decl.description else "")

    def definition(self, file: Path, line: int, column: int) -> Location | None:
        """Where the word at a cursor is defined: a filter, a parameter, a field or a macro."""
        symbol = self.symbol_at(file, line, column)
        uses = self.uses(symbol) if symbol is not None else []
        for use in sorted(uses, key=lambda use: not use.defines):
            return location(use.near if use.span is None else use.span)
        at = place(self.text(file), line, column)
        filter_ = self.filter_at(file, line, column)
        if filter_ is not None:
            return location(filter_.span)
        return next((macro for name, macro in self._macros() if name == at.word), None)

    # --- all uses of a name

    def uses(self, symbol: Symbol) -> list[Use]:
        """Every place that means a symbol."""
        return [use for use in self.index.uses(self.current()) if use.symbol == symbol]

    def symbol_at(self, file: Path, line: int, column: int) -> Symbol | None:
        """The symbol whose name is at a cursor."""
        use = self.use_at(file, line, column)
        return use.symbol if use is not None else None

    def use_at(self, file: Path, line: int, column: int) -> Use | None:
        """The use of a name at a cursor; None if there is none."""
        at = offset(self.text(file), line, column)
        for use in self.index.uses(self.current()):
            result = use.span.outermost() if use.span is not None else None
            if result is not None and result.start <= at <= result.end and file_of(result) == file:
                return use
        return None

    def rename(self, symbol: Symbol, name: str) -> list[Edit]:
        """The edits that give a symbol another name. Raises Refused."""
        return rename(symbol, name, self.uses(symbol), self.current(), self.folder, self.texts)

    def outline(self, file: Path) -> list[Outline]:
        """What a file defines."""
        root = self.current().files.get(file)
        return outline(root) if root is not None else []

    def symbols(self, query: str) -> list[tuple[str, Outline]]:
        """The definitions of all files whose name has the letters of a query in their order, with their
        dataset.
        """
        wanted = re.compile(".*?".join(map(re.escape, query.lower())))
        result: list[tuple[str, Outline]] = []
        for root in self.current().files.values():
            dataset = dict_of(root).get("dataset")
            name = str(dataset.value) if dataset is not None else ""
            result += [(name, item) for item in outline(root) if wanted.search(f"{name}.{item.name}".lower())]
        return result

    def lenses(self, file: Path, rows: Rows) -> list[Lens]:
        """The lenses of a file; `rows` are the last measured numbers of rows."""
        return list(lenses(self.current(), file, rows))

    def signatures(self, file: Path, line: int, column: int) -> tuple[tuple[Signature, ...], int]:
        """The ways to call the function around a cursor, and the argument that the cursor is in."""
        text = self.text(file)
        at = place(text, line, column)
        language = next((key for key in reversed(at.path) if key in ("sql", "cel")), "")
        call = (
            call_at(text[max(offset(text, line, column) - 2000, 0) : offset(text, line, column)])
            if language
            else None
        )
        if call is None:
            return (), 0
        return signatures(language, call.name, method=call.method), call.argument


def offset(text: str, line: int, column: int) -> int:
    """The offset of a 0-based line and column."""
    start = 0
    for _ in range(line):
        start = text.find("\n", start) + 1 or len(text)
    return min(start + column, len(text))


def location(span: Span) -> Location:
    """The place of a span in its file."""
    result = span.outermost()
    line, column = result.source.line_column(result.start)
    return Location(file_of(result), line - 1, column - 1, result.end - result.start)


# The keys of a mapping, by the path to it; `*` is any name.
_KEYS: Mapping[tuple[str, ...], Keys] = {
    (): FILE,
    ("filters", "*"): FILTER,
    ("filters", "*", "versions", "*"): VERSION,
    ("fields", "*"): FIELD,
    ("relation", "*"): FILES,
    ("groups", "*"): GROUP,
    ("subscriptions", "*"): SUBSCRIPTION,
    ("jobs", "*"): JOB,
    ("jobs", "*", "source"): SOURCE,
    ("policies", "*"): POLICY,
    ("policies", "*", "tests"): POLICY_TEST,
    ("policies", "*", "using"): POLICY_FILTER,
    ("policies", "*", "check"): POLICY_FILTER,
    ("attributes", "*"): ATTRIBUTE,
}


def _keys(path: tuple[str, ...]) -> Keys:
    """The keys that a mapping may have."""
    named = tuple("*" if number % 2 else part for number, part in enumerate(path))
    match path:
        case _ if named in _KEYS:
            return _KEYS[named]
        case (*_, "params", _):
            return PARAM
        case (*_, "tests") | ("tests", _):
            return TEST
        case _:
            return {}


def _about(filter_: Filter) -> str:
    from predicat import backends  # noqa: PLC0415  # rendering needs sqlglot, hovering over a field does not

    lines = [f"**{filter_.qualified}** version {filter_.latest}", "", filter_.description]
    for dialect in ("spark", "postgres"):
        try:
            sql = backends.dialect(dialect).render(in_tables(filter_.current.predicate.node))
        except Unsupported as error:
            sql = f"-- {error.diagnostics[0].message}"
        lines += ["", f"{dialect}:", "```sql", sql, "```"]
    return "\n".join(lines)
