"""Notebooks as cells: Databricks' source files, Jupyter's `.ipynb`, and programs with cell magics."""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from predicat.diagnostics import Source
from predicat.discover.read.json_texts import characters, located_json
from predicat.discover.read.residues import PARAMETER
from predicat.discover.read.written import replaced
from predicat.importing.located import at, items

# The languages of files, of kernels and of magics; sqlglot's dialect of SQL if its name tells.
_LANGUAGES = {
    "sql": ("sql", ""),
    "sparksql": ("sql", "spark"),
    "bigquery": ("sql", "bigquery"),
    "python": ("python", ""),
    "py": ("python", ""),
    "pyspark": ("python", ""),
    "scala": ("scala", ""),
    "spark": ("scala", ""),
    "r": ("r", ""),
    "sparkr": ("r", ""),
}
# Magics of a cell whose code is in the language of the notebook.
_AROUND = frozenset({"time", "timeit", "capture", "prun"})
_SUFFIXES = {".py": ("#", "python"), ".r": ("#", "r"), ".sql": ("--", "sql"), ".scala": ("//", "scala")}
_DATABRICKS = re.compile(r"\s*(#|--|//) Databricks notebook source[ \t]*\r?$", re.MULTILINE)
# A magic, behind comments such as the title of a cell.
_MAGIC = re.compile(r"(?:\s|(?:#|--|//)[^\n]*\n)*(%%?)([\w-]+)[ \t]*")
_LINE_MAGIC = re.compile(r"^([ \t]*)((?:\w[\w, ]*=[ \t]*)?[%!].*)$", re.MULTILINE)
_LINE_SQL = re.compile(r"^[ \t]*(?:\w+[ \t]*=[ \t]*)?%sql[ \t]+(?:\w+[ \t]*<<[ \t]*)?(?=\w)", re.MULTILINE)
# Options of a magic before its SQL.
_OPTIONS = re.compile(
    r"(?!\s*(?:select|with|insert|merge|update|delete|create|from|--|/\*)\b)(?:[ \t]*\w+[ \t]*<<|[^\n]*)",
    re.IGNORECASE,
)
_CELL_MARK = re.compile(r"^# (?:%%(?!\w)|In\[).*$", re.MULTILINE)
_COMMENT = re.compile(r"# ?")
_MAGICS = re.compile(r"^(?:# ?)?%%?(?:sql|bigquery|sparksql)\b", re.MULTILINE)
# A widget; `$db.t` is left, which reads as a table, and `$$`, which quotes.
_WIDGET = re.compile(r"\$\{([\w.:]+)\}|(?<![\w$])\$([A-Za-z_]\w*)(?![\w$.])")


class Cell(Struct, frozen=True):
    """A cell: its language, the dialect of SQL if it is known, and its text, which knows its places."""

    language: str
    dialect: str
    source: Source


def is_databricks(content: str) -> bool:
    """Whether a file is the source of a notebook of Databricks."""
    return _DATABRICKS.match(content) is not None


def cells(path: Path, content: str) -> list[Cell] | None:
    """The cells of a notebook; None if the file is none. Raises ValueError for a broken `.ipynb`."""
    file = Source(str(path), content)
    comment, language = _SUFFIXES.get(path.suffix.lower(), ("", ""))
    if path.suffix == ".ipynb":
        found = _jupyter(file)
    elif comment and is_databricks(content):
        found = _databricks(file, comment, language)
    elif language == "python" and _MAGICS.search(content):
        found = _marked(file)
    else:
        return None
    return list(_joined(found))


def _part(file: Source, pieces: Iterable[tuple[int, int]]) -> Source:
    """Ranges of a file as one text."""
    ranges = list(pieces)
    offsets = [at for start, end in ranges for at in range(start, end)]
    return Source(file.name, "".join(file.text[start:end] for start, end in ranges), file, offsets)


def _cut(source: Source, start: int, end: int | None = None) -> Source:
    return Source(source.name, source.text[start:end], source.outer, source.offsets[start:end])


def _lines(content: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The lines of a range, with their ends."""
    while start < end:
        after = content.find("\n", start, end) + 1 or end
        yield start, after
        start = after


def _parts(content: str, mark: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """The ranges between marks."""
    start = 0
    for match in mark.finditer(content):
        yield start, match.start()
        start = match.end()
    yield start, len(content)


def _databricks(file: Source, comment: str, language: str) -> Iterator[Cell]:
    mark = re.compile(rf"^{comment} (?:COMMAND -+|Databricks notebook source)[^\n]*$", re.MULTILINE)
    magic = re.compile(rf"{comment} MAGIC(?: |(?=\r?\n)|$)")
    for start, end in _parts(file.text, mark):
        lines = list(_lines(file.text, start, end))
        marked = [(match.end(), last) for first, last in lines if (match := magic.match(file.text, first))]
        yield from _cell(_part(file, marked or lines), language, whole=bool(marked))


def _marked(file: Source) -> Iterator[Cell]:
    """The cells of a program, in which magics may be comments."""
    for start, end in _parts(file.text, _CELL_MARK):
        lines = list(_lines(file.text, start, end))
        first = next((line for line in lines if file.text[slice(*line)].strip()), (0, 0))
        if file.text[first[0] : first[1]].lstrip("# ").startswith("%") and file.text[first[0]] == "#":
            lines = [(match.end(), high) for low, high in lines if (match := _COMMENT.match(file.text, low))]
        yield from _cell(_part(file, lines), "python")


def _jupyter(file: Source) -> Iterator[Cell]:
    data = located_json(file)
    kernel = (
        at(data, "metadata", "application/vnd.databricks.v1+notebook", "language")
        or at(data, "metadata", "kernelspec", "language")
        or at(data, "metadata", "language_info", "name")
        or "python"
    )
    for cell in items(at(data, "cells")):
        if at(cell, "cell_type") == "code":
            metadata, written = at(cell, "metadata"), at(cell, "source")
            own = at(metadata, "vscode", "languageId") or at(metadata, "microsoft", "language")
            lines = [written] if isinstance(written, str) else items(written)
            offsets = [place for line in lines for place in characters(line)]
            yield from _cell(Source(file.name, "".join(lines), file, offsets), str(own or kernel).lower())


def _cell(source: Source, language: str, *, whole: bool = False) -> Iterator[Cell]:
    """The code of a cell by its magic. `whole` says that a magic with one `%` is that of all of the cell."""
    name, dialect = _LANGUAGES.get(language, (language, ""))
    match = _MAGIC.match(source.text)
    if match is None:
        code = source
    elif match[2] in _AROUND:
        _, _, rest = source.text[match.end() :].partition("\n")
        yield from _cell(_cut(source, len(source.text) - len(rest)), language)
        return
    elif match[1] == "%%" or whole or name != "python" or _program(source.text) is None:
        if match[2] not in _LANGUAGES:
            return
        name, dialect = _LANGUAGES[match[2]]
        options = _OPTIONS.match(source.text, match.end()) if match[1] == "%%" else None
        code = _cut(source, options.end() if options else match.end())
    else:
        code = source
    if name == "python":
        yield from _of_python(code)
    elif code.text.strip():
        yield Cell(name, dialect, _with_parameters(code) if name == "sql" else code)


def _of_python(source: Source) -> Iterator[Cell]:
    """A cell of Python, and the SQL of its line magics."""
    for match in _LINE_SQL.finditer(source.text):
        end = source.text.find("\n", match.end())
        yield Cell("sql", "", _with_parameters(_cut(source, match.end(), None if end < 0 else end)))
    code = source if _program(source.text) is not None else _dedented(source)
    program = _program(code.text)
    yield Cell("python", "", Source(code.name, program or code.text, code.outer, code.offsets))


def _dedented(source: Source) -> Source:
    """A cell without the indentation of its first line, where that is all that a lost `# MAGIC` has left."""
    indent = re.match(r"(?:[ \t]*\n)*([ \t]*)", source.text)
    width = len(indent[1]) if indent else 0
    offsets = [
        at
        for start, end in _lines(source.text, 0, len(source.text))
        for at in range(
            start + min(width, len(source.text[start:end]) - len(source.text[start:end].lstrip(" \t"))), end
        )
    ]
    return Source(
        source.name,
        "".join(source.text[at] for at in offsets),
        source.outer,
        [source.offsets[at] for at in offsets],
    )


def _program(code: str) -> str | None:
    """Python without line magics, as long as it was; None if it is no Python."""
    for candidate in (code, _LINE_MAGIC.sub(lambda line: line[1] + "0".ljust(len(line[2])), code)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(candidate)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        return candidate
    return None


def _with_parameters(source: Source) -> Source:
    """SQL with the widgets of a notebook (`${day}`, `$day`) as parameters."""

    def parameter(match: re.Match[str]) -> str:
        return PARAMETER + re.sub(r"\W", "_", match[1] or match[2]).lower()

    return replaced(source, _WIDGET, parameter)


def _joined(found: Iterable[Cell]) -> Iterator[Cell]:
    """Cells, those of Python as one program, in which a name is known in the cells behind."""
    programs: list[Source] = []
    for cell in found:
        if cell.language == "python" and _program(cell.source.text) is not None:
            programs.append(cell.source)
        else:
            yield cell
    if programs:
        offsets = [place for part in programs for place in [*part.offsets, (part.offsets or [0])[-1]]]
        code = "".join(f"{part.text}\n" for part in programs)
        yield Cell("python", "", Source(programs[0].name, code, programs[0].outer, offsets))
