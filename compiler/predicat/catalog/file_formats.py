"""How the files of a relation are written: `relation: {duckdb: {csv: orders*.csv, delim: ";"}}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from predicat.catalog.yaml_nodes import YamlNode
from predicat.diagnostics.messages import tables as say

# The formats. The key of the path in a relation names one.
KINDS = ("csv", "json", "parquet")


class Encoding(Struct, frozen=True):
    """An encoding: its names in Python, in DuckDB ("" if it has none), and in Java."""

    python: str
    duckdb: str
    java: str


ENCODINGS = {
    "utf-8": Encoding("utf-8-sig", "utf-8", "UTF-8"),
    "utf-16": Encoding("utf-16", "", "UTF-16"),
    "latin-1": Encoding("latin-1", "latin-1", "ISO-8859-1"),
    "cp1252": Encoding("cp1252", "", "windows-1252"),
}
DECIMALS = (".", ",")
_THOUSANDS = (".", ",", "'", " ")


class FileFormat(Struct, frozen=True):
    """How files are written. For JSON and Parquet only `kind` counts, and `nulls` for JSON.

    Attributes:
        kind: One of KINDS. Default: by the ending of the file.
        delim: What separates the cells. Default: that of `,`, `;`, tab and `|` which gives most columns.
        quote: What is around a cell that has a delimiter or a line break in it.
        escape: What is before a quote inside of such a cell.
        encoding: One of ENCODINGS.
        header: The names of the columns, for files whose first line is a row.
        decimal: The decimal mark of numbers.
        thousands: The mark between thousands of numbers.
        nulls: Words that mean a missing value, beside the empty cell.
    """

    kind: str = ""
    delim: str = ""
    quote: str = '"'
    escape: str = '"'
    encoding: str = "utf-8"
    header: tuple[str, ...] = ()
    decimal: str = "."
    thousands: str = ""
    nulls: tuple[str, ...] = ()


# Files that say nothing about how they are written.
ANY = FileFormat()


class Key(Struct, frozen=True):
    """A key of a relation beside the path: what it says, and what it is called in Spark and in DuckDB ("":
    our conversion of cells does it).
    """

    about: str
    spark: str
    duckdb: str
    one_of: tuple[str, ...] = ()
    several: bool = False
    character: bool = False


# By key. A file is always read with all of them, so that no engine guesses.
KEYS = {
    "delim": Key("What separates the cells. Default: found in the header.", "sep", "delim", character=True),
    "quote": Key("What is around a cell.", "quote", "quote", character=True),
    "escape": Key("What is before a quote inside of a cell.", "escape", "escape", character=True),
    "encoding": Key("The encoding.", "encoding", "encoding", tuple(ENCODINGS)),
    "header": Key("The names of the columns, if the first line is a row.", "header", "header", several=True),
    "decimal": Key("The decimal mark of numbers.", "", "", DECIMALS),
    "thousands": Key("The mark between thousands of numbers.", "", "", _THOUSANDS),
    "nulls": Key("Words that mean a missing value.", "", "", several=True),
}


def spark_options(form: FileFormat) -> dict[str, str]:
    """The format as options of Spark's reader of CSV. Its quotes are those of RFC 4180, also over lines."""
    values = {
        "delim": form.delim or ",",
        "quote": form.quote,
        "escape": form.escape,
        "encoding": ENCODINGS[form.encoding].java,
        "header": "false" if form.header else "true",
    }
    return {KEYS[key].spark: value for key, value in values.items()} | {"multiLine": "true"}


def of_spark_options(kind: str, options: Mapping[str, str]) -> FileFormat:
    """The format that options of Spark say, and the keys beside them that our conversion of cells reads."""
    known = {name.lower(): value for name, value in options.items()}
    java = {row.java.lower(): name for name, row in ENCODINGS.items()}
    coding = known.get("encoding", known.get("charset", "utf-8")).lower()
    null = [word for word in (known.get("nullvalue"),) if word]
    return FileFormat(
        kind,
        known.get("sep", known.get("delimiter", "")).replace("\\t", "\t"),
        known.get("quote", ANY.quote),
        known.get("escape", ANY.escape),
        java.get(coding, coding if coding in ENCODINGS else "utf-8"),
        decimal=known.get("decimal", ANY.decimal),
        thousands=known.get("thousands", ANY.thousands),
        nulls=(*null, *(word for word in known.get("nulls", "").split(",") if word)),
    )


def cell_options(form: FileFormat) -> dict[str, str]:
    """What our conversion of cells reads, as options beside those of Spark."""
    return {"decimal": form.decimal, "thousands": form.thousands, "nulls": ",".join(form.nulls)}


def read_files(item: YamlNode, keys: Mapping[str, YamlNode]) -> tuple[str, FileFormat]:
    """The path and the format of files in a relation. Problems are reported."""
    paths = {key: value for key, value in keys.items() if key in KINDS}
    if len(paths) != 1:
        item.reporter.add(say.one_path(item.span, KINDS))
        return "", ANY
    ((kind, path),) = paths.items()
    values: dict[str, Any] = {"kind": kind}
    for name, key in KEYS.items():
        if name in keys:
            values[name] = _several(keys[name], name) if key.several else _one(keys[name], name, key)
    form = FileFormat(**values)
    if form.thousands == form.decimal:
        item.reporter.add(say.same_marks(keys["thousands"].span, form.decimal))
    return path.text(kind), form


def _several(item: YamlNode, name: str) -> tuple[str, ...]:
    return item.texts(name) if name == "nulls" else tuple(part.text(name) for part in item.items(name))


def _one(item: YamlNode, name: str, key: Key) -> str:
    text = item.text(name)
    if key.one_of and text not in key.one_of:
        item.reporter.add(say.no_choice(item.span, name, text, key.one_of))
        return key.one_of[0]
    if key.character and len(text) != 1:
        item.reporter.add(say.length_of_key(item.span, name))
        return str(getattr(ANY, name))
    return text
