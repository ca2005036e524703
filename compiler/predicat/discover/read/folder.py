"""All conditions of folders and files."""

import dataclasses
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from predicat.catalog.templates import is_template
from predicat.diagnostics import Source, Span
from predicat.diagnostics.messages import discover as say
from predicat.discover.answer_cache import AnswerCache, Progress, search_name
from predicat.discover.conditions import Condition, Refused, SourceRange
from predicat.discover.processes import mapped
from predicat.discover.read import (
    compiled,
    data,
    dataform,
    dialects,
    looker,
    notebooks,
    python,
    scala,
    schema_files,
    sqlmesh,
    templates,
    types,
)
from predicat.discover.read.above import PROJECT, macros_beside, top_of
from predicat.discover.read.embedded import Ranges
from predicat.discover.read.files import File, Unusable, files
from predicat.discover.read.sql import SqlText, plain_place
from predicat.discover.read.written import place_of, ranges_of
from predicat.forge.owners import Owners

ReadResult = Condition | Refused
_PROGRAMS = ("python", "scala")
# Bytes of files for which processes are started: a second of reading, at least.
MUCH = 500_000


class Changed(Struct, frozen=True):
    """The searched files that have changed since a revision, as they are named."""

    revision: str
    paths: frozenset[str]


class Scan(Struct):
    """What was found. `files` counts the files by their kinds, `dialects` the texts of SQL by their dialects,
    `skipped` the files without conditions by the reason, `unread` those that were left at Ctrl-C.
    `changed` are the files that are reported: None for all.
    """

    conditions: list[Condition] = field(default_factory=list[Condition])
    refused: list[Refused] = field(default_factory=list[Refused])
    files: Counter[str] = field(default_factory=Counter[str])
    dialects: Counter[str] = field(default_factory=Counter[str])
    skipped: Counter[str] = field(default_factory=Counter[str])
    unread: int = 0
    changed: Changed | None = None

    @property
    def changed_paths(self) -> frozenset[str]:
        """The files that have changed; empty without a revision."""
        return frozenset() if self.changed is None else self.changed.paths

    def add(self, items: Iterable[ReadResult]) -> None:
        """Adds what a file has."""
        for item in items:
            if isinstance(item, Condition):
                self.conditions.append(item)
            else:
                self.refused.append(item)


class Found(Struct, frozen=True):
    """What one file has. `kind` is how it was read: empty if it was not, because of Ctrl-C. `dialects` counts
    its texts of SQL.
    """

    kind: str = ""
    conditions: tuple[Condition, ...] = ()
    refused: tuple[Refused, ...] = ()
    dialects: dict[str, int] = {}


class Lost(Found, frozen=True):
    """What a file has whose process ended: it is not kept."""


class _ToRead(Struct, frozen=True):
    """A file, and all that its conditions depend on as a text."""

    file: File
    key: str


def read(
    paths: Sequence[Path],
    dialect: str | None = None,
    columns: types.TableTypes | None = None,
    *,
    cache: Path | None = None,
    search: str | None = None,
    progress: Progress | None = None,
    jobs: int = 1,
) -> Scan:
    """The conditions in files and in the files of folders.

    Args:
        paths: files and folders.
        dialect: the dialect of all SQL, by sqlglot's name. Default: what configurations say, or what reads
            most of the files.
        columns: types of columns that are known already, as of a server.
        cache: The folder that keeps what files have, such as `answer_cache.folder()`: a file is read again
            if it has changed, or what its conditions depend on. None keeps nothing.
        search: Its name in the cache. Default: that of the paths.
        progress: Is called with the number of files that were read, and of all that are.
        jobs: How many processes read, where there is much to read. What is found is the same.

    Returns:
        What was found. After Ctrl-C it is what was found until then, and `unread` is not 0.
    """
    kept = AnswerCache(cache, "files")
    return _Reading(paths, dialect, columns).read(kept, search or search_name(paths), progress, jobs)


class _Reading:
    """One search."""

    def __init__(self, paths: Sequence[Path], dialect: str | None, columns: types.TableTypes | None) -> None:
        self.result = Scan()
        self.files = list(files(paths, self.result.skipped))
        self.dialect = dialect
        self.configured = dialects.Configured()
        self.tried: dict[Path, str] = {}
        self.columns = types.TableTypes()
        self.server = columns
        self.tops: dict[Path, Path] = {}
        self.projects: dict[Path, Path | None] = {}
        self.texts: dict[Path, dict[str, str]] = {}
        self.macros: dict[Path, dict[str, Any]] = {}
        self.compiled: dict[Path, tuple[str, str]] = {}
        self.views: dict[str, looker.View] = {}
        self.spoken = Counter[str]()
        self.owners = Owners()
        self.readers: dict[str, Callable[[File], Iterator[ReadResult]]] = {
            "sql": self.sql,
            "python": self.python,
            "scala": self.scala,
            "looker": self.looker,
            "data": self.data,
            "r": self.r,
        }

    def __getstate__(self) -> dict[str, object]:
        # Compiled macros cannot be given to a process that does not begin as a copy of this one.
        return {**vars(self), "macros": {}}

    def read(self, kept: AnswerCache, search: str, progress: Progress | None = None, jobs: int = 1) -> Scan:
        self.learn()

        def ask(missing: Sequence[_ToRead]) -> Iterator[Found]:
            read = [one.file for one in missing]
            several = jobs if sum(map(_size, read)) >= MUCH else 1
            if several > 1:
                for file in read:  # once for all processes
                    self.macros_of(self.project(file))
                    self.dialect_of(file)
            for done, found in enumerate(mapped(self.found, read, several, _lost), 1):
                yield found
                if progress is not None:
                    progress(done, len(missing))

        questions = list(self.questions())
        answers = kept.answers(search, questions, Found, ask)
        for question in questions:
            self.add(question.file, answers[question])
        self.result.unread = kept.unanswered
        return self.result

    def questions(self) -> Iterator[_ToRead]:
        """The files, with all that their conditions depend on."""
        columns = _hash(
            sorted((name, type(of).__name__, sorted(of.items())) for name, of in self.columns.tables.items())
        )
        macros = {project: _hash(sorted(texts.items())) for project, texts in self.texts.items()}
        views = _hash(list(self.looker_texts()))
        samples: dict[Path, str] = {}
        for file in self.files:
            try:
                text = file.text()
            except Unusable as problem:
                yield _ToRead(file, _hash([str(file.path), "", str(problem)]))
                continue
            dialect = self.dialect or self.configured.of(file.path.absolute().parent, self.top(file))
            if dialect is None:
                if file.root not in samples:
                    samples[file.root] = _hash([*self.raw_sample(file.root), *sorted(macros.values())])
                dialect = samples[file.root]
            project = self.project(file)
            parts: list[object] = [
                str(file.path),
                text,
                dialect,
                self.dialect is None,
                columns,
                str(project is None),
            ]
            if is_template(text):
                parts += [macros.get(project, "") if project is not None else ""]
                parts += self.compiled.get(file.path.absolute(), ())
            yield _ToRead(file, _hash([*parts, views if file.kind == "looker" else ""]))

    def found(self, file: File) -> Found:
        """What a file has."""
        kind, items = file.kind, list[ReadResult]()
        self.spoken = Counter()
        try:
            cells = notebooks.cells(file.path, file.text())
            kind = kind if cells is None else "notebook"
            for item in self.readers[kind](file) if cells is None else self.notebook(file, cells):
                items.append(item)  # what is before a problem stays
        except (Unusable, ValueError, RecursionError) as problem:
            reason = str(problem) if isinstance(problem, Unusable) else say.NOT_DATA
            items.append(Refused(SourceRange(str(file.path), 1, 1, 0, 0), reason, ""))
        conditions = tuple(item for item in items if isinstance(item, Condition))
        refused = tuple(item for item in items if isinstance(item, Refused))
        return Found(kind, conditions, refused, dict(self.spoken))

    def add(self, file: File, found: Found) -> None:
        """Adds what a file has, with the owner of the file."""
        if not found.kind:
            return
        if found.kind == "sql" or found.conditions:
            self.result.files[found.kind] += 1
        elif not found.refused:
            self.result.skipped[say.NOTHING_IN[found.kind]] += 1
        self.result.dialects.update(found.dialects)
        self.result.add(found.refused)
        owner = self.owners.of(file.path) if found.conditions else None
        self.result.add(
            dataclasses.replace(condition, owner=owner) if owner else condition
            for condition in found.conditions
        )

    def learn(self) -> None:
        """Reads what tells about other files: types of columns, macros, what dbt compiled."""
        macros: dict[Path, dict[str, str]] = {}
        documents: list[tuple[Path, File]] = []
        roots = {file.root for file in self.files}
        for file in self.files:
            try:
                text = file.text() if file.kind == "sql" else ""
            except Unusable:
                continue
            sql = self.rendered(file, text)[0] if types.CREATES.search(text) else None
            if sql is not None:
                types.tell(sql, self.dialect_of(file), self.columns)
            project = self.project(file)
            if project is not None and file.kind == "data":
                documents.append((project, file))
            if project is not None and "{% macro" in text.replace("{%-", "{%"):
                macros.setdefault(project, {})[str(file.path)] = text
        for project in {known for known in self.projects.values() if known is not None}:
            self.compiled.update(compiled.compiled(project))
            texts = macros.get(project, {})
            if not any(root.absolute() in (project, *project.parents) for root in roots):
                texts = {**macros_beside(project), **texts}
            self.texts[project] = texts
            dialect = self.dialect or self.configured.of(project, project) or ""
            for relation, columns in types.of_dbt(project / "target" / "catalog.json", dialect):
                self.columns.add(relation, columns)
        self.views = looker.merged(self.looker_views())
        for root in roots:
            for relation, columns in types.of_parquet(root):
                self.columns.add(relation, columns)
        for project, file in documents:
            self.learn_document(file, self.dialect or self.configured.of(project, project) or "")
        for relation, columns in self.server.tables.items() if self.server is not None else ():
            self.columns.replace(relation, columns)

    def learn_document(self, file: File, dialect: str) -> None:
        """Reads the types that a document of dbt has: those of tables and of dbt's catalog come first."""
        with suppress(Unusable):
            text = file.text()
            if any(mark in text for mark in schema_files.MARKS):
                for relation, columns in schema_files.types_of(text, dialect):
                    self.columns.document(relation, columns)

    def looker_views(self) -> Iterator[looker.View]:
        """The views of all files of LookML."""
        for path, text in self.looker_texts():
            yield from looker.views_of(Source(path, text))

    def looker_texts(self) -> Iterator[tuple[str, str]]:
        """The files of LookML with their texts."""
        for file in self.files:
            if file.kind == "looker":
                with suppress(Unusable):
                    yield str(file.path), file.text()

    def macros_of(self, project: Path | None) -> Mapping[str, Any]:
        """The macros of a project, as far as they are known."""
        if project is None or project not in self.texts:
            return {}
        if project not in self.macros:
            self.macros[project] = templates.macros_of(self.texts[project])
        return self.macros[project]

    def project(self, file: File) -> Path | None:
        """The dbt project that a file belongs to."""
        return self.project_of(file.path.absolute().parent, self.top(file))

    def project_of(self, folder: Path, top: Path) -> Path | None:
        """The nearest dbt project, from a folder up to another one."""
        if folder not in self.projects:
            if (folder / PROJECT).is_file():
                self.projects[folder] = folder
            else:
                above = folder not in (top, folder.parent)
                self.projects[folder] = self.project_of(folder.parent, top) if above else None
        return self.projects[folder]

    def top(self, file: File) -> Path:
        """The last folder above a file whose configuration counts."""
        if file.root not in self.tops:
            self.tops[file.root] = top_of(file.root)
        return self.tops[file.root]

    def sql(self, file: File) -> Iterator[ReadResult]:
        """The conditions of a file of SQL, in the dialect that reads it."""
        text = file.text()
        sql, place = self.rendered(file, text)
        if sql is None:
            yield Refused(SourceRange(str(file.path), 1, 1, 0, len(text)), say.NOT_RENDERED, "")
            return
        dialect = self.fitting(sql, self.dialect_of(file))
        self.spoken[dialect] += 1
        yield from SqlText(sql, dialect, place, self.columns).read()

    def python(self, file: File) -> Iterator[ReadResult]:
        """The conditions of a program."""
        source = Source(str(file.path), file.text())
        known = python.runs_statements(source.text)
        return self.program("python", source, known=known, own=lambda: self.dialect_of(file))

    def scala(self, file: File) -> Iterator[ReadResult]:
        """The conditions of a program in Scala."""
        return self.program("scala", Source(str(file.path), file.text()))

    def looker(self, file: File) -> Iterator[ReadResult]:
        """The conditions of a file of LookML."""
        source = Source(str(file.path), file.text())
        own = self.dialect_of(file)
        return looker.conditions(source, self.views, lambda text: self.fitting(text, own), self.columns)

    def program(
        self, language: str, source: Source, *, known: bool = False, own: Callable[[], str] = str
    ) -> Iterator[ReadResult]:
        """The conditions of a program; none of one that is not known to have SQL. `own` is the dialect of
        statements that are not Spark's.
        """
        if not known and not python.uses_spark(source.text):
            return
        if language == "python":
            yield from python.conditions(source, self.columns, lambda text: self.fitting(text, own()))
        else:
            yield from scala.conditions(source, self.columns)

    def fitting(self, sql: str, dialect: str) -> str:
        """The dialect, or the first one that reads a statement."""
        if self.dialect is not None or dialects.score(sql, dialect)[0]:
            return dialect
        return dialects.tried([sql], [dialect, *(tried for tried in dialects.TRIED if tried != dialect)])

    def notebook(self, file: File, cells: Sequence[notebooks.Cell]) -> Iterator[ReadResult]:
        """The conditions of a notebook, whose SQL is in the dialect of its platform or one that reads it."""
        own = "databricks" if notebooks.is_databricks(file.text()) else None
        dialect = self.dialect or own or self.configured.of(file.path.absolute().parent, self.top(file))
        if dialect is None and any(python.uses_spark(cell.source.text) for cell in cells):
            dialect = "spark"
        if dialect is None:
            dialect = dialects.tried([cell.source.text for cell in cells if cell.language == "sql"])
        self.spoken[dialect] += any(cell.language == "sql" for cell in cells)
        for cell in cells:
            if cell.language == "sql":
                yield from self.sql_cell(cell, cell.dialect or dialect)
            elif cell.language in _PROGRAMS:
                runs = own is not None or python.runs_statements(cell.source.text)
                yield from self.program(cell.language, cell.source, known=runs, own=lambda: dialect)
            else:
                yield Refused(place_of(Span(cell.source, 0, len(cell.source.text))), say.OTHER_CELL, "")

    def sql_cell(self, cell: notebooks.Cell, dialect: str) -> Iterator[ReadResult]:
        """The conditions of a cell of SQL, which may be a template."""
        rendered = None
        text = cell.source.text
        if is_template(text):
            with suppress(templates.NotRendered):
                rendered = templates.render(text, {})
        place = ranges_of(cell.source, "", rendered)
        yield from SqlText(rendered.text if rendered else text, dialect, place, self.columns).read()

    def r(self, file: File) -> Iterator[ReadResult]:
        """None: programs in R are counted."""
        del file
        return iter(())

    def data(self, file: File) -> Iterator[ReadResult]:
        """The conditions of a file of YAML, JSON or Terraform."""

        def own() -> str:
            return self.dialect_of(file)

        def fitting(text: str) -> str:
            return self.fitting(text, own())

        return data.conditions(file.path, file.text(), own, self.columns, fitting)

    def dialect_of(self, file: File) -> str:
        """The dialect of a file: given, configured, or the one that reads most files of its root."""
        dialect = self.dialect or self.configured.of(file.path.absolute().parent, self.top(file))
        if dialect is not None:
            return dialect
        if file.root not in self.tried:
            self.tried[file.root] = dialects.tried(self.sample(file.root))
        return self.tried[file.root]

    def sample(self, root: Path) -> Iterator[str]:
        """The texts of some files of SQL, from all over a folder; those of LookML where it has none."""
        chosen = self.chosen(root)
        if not chosen:
            yield from self.view_sample()
        for file in chosen:
            try:
                text, _ = self.rendered(file, file.text())
            except Unusable:
                continue
            if text is not None and not notebooks.is_databricks(text):
                yield text

    def raw_sample(self, root: Path) -> Iterator[str]:
        """The files that `sample` takes, as they are, and what dbt compiled of them."""
        chosen = self.chosen(root)
        if not chosen:
            yield from self.view_sample()
        for file in chosen:
            with suppress(Unusable):
                yield from (file.text(), *self.compiled.get(file.path.absolute(), ()))

    def view_sample(self) -> Sequence[str]:
        """The SQL of some views of LookML."""
        rows = [view.sample for view in self.views.values() if view.sample]
        return rows[:: max(1, len(rows) // dialects.MAX_SAMPLE)]

    def chosen(self, root: Path) -> Sequence[File]:
        """Some files of SQL, from all over a folder."""
        rows = [other for other in self.files if other.kind == "sql" and other.root == root]
        return rows[:: max(1, len(rows) // dialects.MAX_SAMPLE)]

    def rendered(self, file: File, text: str) -> tuple[str | None, Ranges]:
        """The SQL of a file, and the places of its ranges; None where a template cannot be rendered."""
        plain = plain_place(str(file.path), text)
        if file.path.suffix == ".sqlx" or sqlmesh.is_model(text):
            own = Source(str(file.path), text, Source(str(file.path), text), range(len(text)))
            is_sqlx = file.path.suffix == ".sqlx"
            query = dataform.plain(own, file.path.stem) if is_sqlx else sqlmesh.plain(own)
            return query.text, ranges_of(query)
        if not is_template(text):
            return text, plain
        raw, sql = self.compiled.get(file.path.absolute(), ("", ""))
        if sql and raw.strip() == text.strip():
            return sql, compiled.ranges(str(file.path), text, sql)
        project = self.project(file)
        try:
            rendered = templates.render(text, self.macros_of(project), file.path.stem)
        except templates.NotRendered:
            # Outside of dbt the text may have no template at all, only its braces.
            return (text if project is None else None), plain

        def place(start: int, end: int) -> tuple[SourceRange, bool]:
            first, last, same = rendered.place(start, end)
            return plain(first, last)[0], same

        return rendered.text, place


def _size(file: File) -> int:
    with suppress(OSError):
        return file.path.stat().st_size
    return 0


def _lost(file: File) -> Found:
    path = str(file.path)
    return Lost(file.kind, refused=(Refused(SourceRange(path, 1, 1, 0, 0), say.lost(path), ""),))


def _hash(parts: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
