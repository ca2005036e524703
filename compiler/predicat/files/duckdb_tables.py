"""CSV, JSON and Parquet files as tables of DuckDB, whose columns have the declared types.

DuckDB reads the cells of CSV and JSON as texts; `cells` says what they mean. It ends at the first record of
another form. Then the files are copied by the reader of `predicat match`, which goes on, and DuckDB reads the
copies.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace
from sqlglot import exp

from predicat.backends.column_types import duckdb_type
from predicat.backends.sql.names import quoted
from predicat.catalog.file_formats import ENCODINGS, FileFormat
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import deploy as say_deploy
from predicat.diagnostics.messages import tables as say
from predicat.files import cells, finding, records
from predicat.files.bad_cells import BadCells
from predicat.ir.column_forms import held_type
from predicat.ir.nodes import FieldDecl
from predicat.ir.types import JSON

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")
_PLAIN = FileFormat("csv", delim=",")
# Records of JSON whose keys are columns, beside the declared fields.
_FIRST_KEYS = 1000


def of_moments(kind: str) -> str:
    """A type of DuckDB with moments in the place of local times."""
    return re.sub(r"\bTIMESTAMP\b(?! WITH)", "TIMESTAMP WITH TIME ZONE", kind)


class FileTable(Struct):
    """Files as a table. `sql` is what stands in FROM.

    `columns` are the names in the files. `read` are the files that DuckDB reads: perhaps copies. `damaged`
    has the records of another form, as far as they are known.
    """

    connection: duckdb.DuckDBPyConnection
    form: FileFormat
    files: list[str]
    fields: dict[str, FieldDecl]
    folder: Path
    sql: str = ""
    columns: list[str] = field(default_factory=list[str])
    damaged: BadCells = field(default_factory=BadCells)
    read: list[str] = field(default_factory=list[str])
    _cells: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    _texts: str = ""
    _shown: str = "*"
    _copied: bool = False

    def types(self) -> dict[str, str]:
        """The columns, and DuckDB's names of their types."""
        return self.described(self.sql)

    def found_types(self) -> dict[str, str]:
        """The columns, and the types that DuckDB finds in JSON and Parquet. Timestamps of JSON are moments,
        and those of Parquet that are INT96, as Spark writes them.
        """
        if self.form.kind == "parquet":
            query = (
                "SELECT DISTINCT split_part(path_in_schema, ', ', 1) "
                f"FROM parquet_metadata({_list(self.files[:1])}) WHERE type = 'INT96'"
            )
            old = {str(name) for (name,) in self.connection.execute(query).fetchall()}
            return {name: of_moments(kind) if name in old else kind for name, kind in self.types().items()}
        found = self.asked(lambda: self.described(f"read_json({_list(self.read)})"))
        return {name: of_moments(kind) for name, kind in found.items()}

    def described(self, source: str) -> dict[str, str]:
        """The columns of what stands in FROM, and DuckDB's names of their types."""
        described = self.connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
        return {str(row[0]): str(row[1]) for row in described}

    def asked(self, work: Callable[[], T]) -> T:
        """What some queries answer. If DuckDB cannot read the files, it gets copies, and is asked again."""
        import duckdb  # noqa: PLC0415  # optional

        try:
            return work()
        except duckdb.Error:
            if self._copied or self.form.kind == "parquet":
                raise
            self._copy()
            return work()

    def bad(self, rows: int | None = None) -> BadCells:
        """The bad cells of all rows, or of the first ones, with the places of some."""
        counts = self.check(rows)
        found = {name: count for name, count in zip(self._cells, counts, strict=True) if count}
        columns = {decl.column("duckdb"): decl for decl in self.fields.values()}
        samples = finding.samples(self.files, self.form, columns, found) if found else {}
        return BadCells({**found, **self.damaged.counts}, {**samples, **self.damaged.samples})

    def check(self, rows: int | None = None) -> Sequence[int]:
        """Read all rows, or the first ones, so that later queries can: the numbers of bad cells."""
        return self.asked(lambda: self._counted(rows)) if self._cells else ()

    def with_bad(self) -> tuple[str, dict[str, str]]:
        """What stands in FROM, with a column for each field that says whether the cell is bad; and the names
        of these columns by field.
        """
        tests = {name: _is_bad(*cell) for name, cell in self._cells.items()}
        names = {name: f"predicat_b{place}" for place, name in enumerate(tests)}
        more = "".join(f", {test} AS {names[name]}" for name, test in tests.items())
        return f"(SELECT {self._shown}{more} FROM {self._texts})", names

    def _counted(self, rows: int | None) -> Sequence[int]:
        tests = [f"count(*) FILTER {_is_bad(*cell)}" for cell in self._cells.values()]
        part = self._texts if rows is None else f"(SELECT * FROM {self._texts} LIMIT {int(rows)})"
        return self.connection.execute(f"SELECT {', '.join(tests)} FROM {part}").fetchone() or ()

    # --- what stands in FROM

    def build(self) -> None:
        """Find the columns, and how each is converted. Raises PredicatError."""
        if self.form.kind == "parquet":
            self.sql = self._texts = read_parquet(self.files)
            return
        (self._csv if self.form.kind == "csv" else self._json)(self.files)

    def _csv(self, files: Iterable[str]) -> None:
        self.read = list(files)
        layouts: dict[records.Layout, list[str]] = {}
        for file in self.read:
            layouts.setdefault(records.layout(file, self.form), []).append(file)
        if not self._copied and not all(
            found.plain and ENCODINGS[found.form.encoding].duckdb for found in layouts
        ):
            self._copy()
            return
        parts = [f"SELECT * FROM {_read_csv(found, named)}" for found, named in layouts.items()]
        self._texts = f"({' UNION ALL BY NAME '.join(parts)})"
        self.columns = list(dict.fromkeys(name for found in layouts for name in found.columns))
        self._typed({name: quoted(name, "duckdb") for name in self.columns}, self.form)

    def _json(self, files: Iterable[str]) -> None:
        self.read = list(files)
        source = f"read_json_objects({_list(self.read)}, format = 'auto')"
        if not self._copied:
            odd = f"SELECT count(*) FROM {source} WHERE json_type(json) IS DISTINCT FROM 'OBJECT'"
            if self.asked_once(odd) != 0:
                self._copy()
                return
        keys = self.connection.execute(
            f"SELECT DISTINCT unnest(json_keys(json)) FROM (SELECT json FROM {source} LIMIT {_FIRST_KEYS})"
        ).fetchall()
        found = {str(row[0]): _pointer(str(row[0])) for row in keys}
        found |= self._rare(source, {name.lower() for name in found})
        self.columns, self._texts = list(found), source
        self._typed({name: f"json -> {pointer}" for name, pointer in found.items()}, self.form)

    def _rare(self, source: str, known: Collection[str]) -> dict[str, str]:
        """The columns of fields that only later records have, or that are members of objects: `ce.type`."""
        names = [decl.column("duckdb") for decl in self.fields.values()]
        places = {
            name: [_pointer(name), *([_pointer(*name.split("."))] if "." in name else [])]
            for name in names
            if name.lower() not in known
        }
        if not places:
            return {}
        asked = [f"bool_or(json_exists(json, {place}))" for some in places.values() for place in some]
        answers = iter(self.connection.execute(f"SELECT {', '.join(asked)} FROM {source}").fetchone() or ())
        there = {name: [place for place in some if next(answers)] for name, some in places.items()}
        return {name: some[0] for name, some in there.items() if some}

    def asked_once(self, query: str) -> int | None:
        """A number; None if DuckDB cannot read the files."""
        import duckdb  # noqa: PLC0415  # optional

        try:
            return int((self.connection.execute(query).fetchone() or (0,))[0])
        except duckdb.Error:
            return None

    def _typed(self, sources: Mapping[str, str], form: FileFormat) -> None:
        """Convert the columns of fields. The others stay texts."""
        by_column = {decl.column("duckdb").lower(): decl for decl in self.fields.values()}
        shown: list[str] = []
        inner: list[str] = []
        self._cells = {}
        for place, (name, source) in enumerate(sources.items()):
            decl = by_column.get(name.lower())
            text, whole = f"c{place}", f"j{place}"
            inner += (
                [f"{source} AS {text}"]
                if form.kind == "csv"
                else [
                    f"{source} AS {whole}",
                    f"{source} ->> '$' AS {text}",
                ]
            )
            if decl is not None:
                self._cells[decl.name] = _conversion(text, whole, decl, form)
            value = self._cells[decl.name][1] if decl is not None else text
            shown.append(f"{value} AS {quoted(name, 'duckdb')}")
        self._texts = f"(SELECT {', '.join(inner)} FROM {self._texts})"
        self._shown = ", ".join(shown)
        self.sql = f"(SELECT {self._shown} FROM {self._texts})"

    # --- copies

    def _copy(self) -> None:
        """Copy the files without what DuckDB cannot read, and count it."""
        self._copied, self.damaged = True, BadCells()
        copies: list[str] = []
        for number, file in enumerate(self.files):
            copy = self.folder / f"{number}.{self.form.kind}"
            (self._copy_csv if self.form.kind == "csv" else self._copy_json)(file, copy)
            copies.append(str(copy))
        form = self.form
        self.form = replace(_PLAIN, nulls=form.nulls, decimal=form.decimal, thousands=form.thousands)
        if form.kind == "csv":
            self._csv(copies)
        else:
            self.form = form
            self._json(copies)
        self.form = form

    def _records(self, file: str) -> Iterator[records.Record]:
        for record in records.records(file, self.form):
            if record.wrong:
                self.damaged.add(say.RECORD, record.wrong, file, record.line)
            yield record

    def _copy_csv(self, file: str, copy: Path) -> None:
        names = records.layout(file, self.form).columns
        with copy.open("w", encoding="utf-8", newline="") as to:
            writer = csv.writer(to, quoting=csv.QUOTE_ALL)
            writer.writerow(names)
            writer.writerows([record.cells.get(name, "") for name in names] for record in self._records(file))

    def _copy_json(self, file: str, copy: Path) -> None:
        with copy.open("w", encoding="utf-8") as to:
            for record in self._records(file):
                to.write(" ".join(record.text.split("\n")).strip() or "{}")
                to.write("\n")


def _is_bad(there: str, value: str) -> str:
    """Whether a cell is there and has no value."""
    return f"(({there}) IS NOT NULL AND ({value}) IS NULL)"


@contextmanager
def opened(
    connection: duckdb.DuckDBPyConnection, path: str, form: FileFormat, fields: Iterable[FieldDecl]
) -> Iterator[FileTable]:
    """The files at a path as a table. Raises PredicatError for what cannot be read."""
    records.refuse_sheet(path)
    files = records.files_of(path)
    found = records.format_of(files[0], form)
    if found is None:
        raise PredicatError.of(say_deploy.unknown_ending(path, tuple(records.ENDINGS)))
    decls = {decl.name: decl for decl in fields if not decl.expression("duckdb")}
    with TemporaryDirectory(prefix="predicat-") as folder:
        table = FileTable(connection, found, files, decls, Path(folder))
        table.build()
        yield table


def source(path: str) -> str:
    """Files as DuckDB's shell takes them after FROM: for a folder the pattern of the first known ending."""
    folder = Path(path)
    if folder.is_dir():
        patterns = [f"**/*{ending}{packed}" for ending in records.ENDINGS for packed in ("", *records.PACKED)]
        path = f"{path.rstrip('/')}/{next((one for one in patterns if any(folder.glob(one))), patterns[0])}"
    return _text(path)


def _conversion(text: str, whole: str, decl: FieldDecl, form: FileFormat) -> tuple[str, str]:
    """The SQL of a cell that is there, and of its value: NULL where it is none. `text` is the column of the
    text, `whole` that of the JSON.
    """
    there = cells.present_sql("duckdb", text, form)
    if cells.is_scalar(decl.type):
        value = cells.sql("duckdb", text, decl, form)
        nested = f"json_type({whole}) IN ('OBJECT', 'ARRAY')"
        return there, value if form.kind == "csv" else f"CASE WHEN NOT {nested} THEN {value} END"
    if form.kind == "json" and decl.type == JSON:
        there = f"CASE WHEN json_type({whole}) <> 'NULL' THEN {whole} END"
        return there, there
    read = f"TRY_CAST(TRY_CAST({there} AS JSON) AS {duckdb_type(cells.read_type('duckdb', decl))})"
    return there, cells.in_forms("duckdb", read, held_type(decl))


def read_parquet(files: Iterable[str], *, numbered: bool = False) -> str:
    """Parquet files by the names of their columns, so that later files may have more of them; perhaps with
    the file of each row, and its number there.
    """
    more = ", filename = true, file_row_number = true" if numbered else ""
    return f"read_parquet({_list(files)}, union_by_name = true{more})"


def _read_csv(found: records.Layout, files: Iterable[str]) -> str:
    form = found.form
    columns = ", ".join(f"{_text(name)}: 'VARCHAR'" for name in found.columns)
    options = {
        "columns": f"{{{columns}}}",
        "auto_detect": "false",
        "header": "false" if form.header else "true",
        "delim": _text(form.delim),
        "quote": _text(form.quote),
        "escape": _text(form.escape),
        "encoding": _text(ENCODINGS[form.encoding].duckdb),
    }
    said = ", ".join(f"{key} = {value}" for key, value in options.items())
    return f"read_csv({_list(files)}, {said})"


def _pointer(*keys: str) -> str:
    """The JSON pointer to a key, or to a member of its object."""
    return _text("".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys))


def _list(files: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, files))}]"


def _text(value: str) -> str:
    return exp.Literal.string(value).sql(dialect="duckdb")
