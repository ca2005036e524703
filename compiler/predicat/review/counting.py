"""Counts the rows of the questions of a review: one scan of a relation for all of them, and short queries for
examples.

What an engine evaluates once stands in an inner SELECT: each condition is a column `c0`, `c1`, ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from predicat import backends
from predicat.backends.sql import shown
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import review as say
from predicat.ir.nodes import Field
from predicat.review.clusters import clusters
from predicat.review.counts import Counts, Part
from predicat.review.questions import Question, Questions, key_of
from predicat.review.split import Split, split, unsplit

# Examples that are shown.
SAMPLE = 5
# Rows that are looked at for them: the first ones are often alike.
FETCHED = 200
# Questions in one SELECT: PostgreSQL has at most 1,664 columns, and a longer method of Spark is not compiled.
_CHUNKS = {"postgres": 400, "spark": 25}
_COUNT = {"postgres": "COUNT(*) FILTER (WHERE {})"}
# PostgreSQL would evaluate the columns of an inner SELECT wherever they are used.
_ONCE = {"postgres": " OFFSET 0"}

Select = Callable[[str], Sequence[Mapping[str, Any]]]


class Source(Struct, frozen=True):
    """Where rows are counted: what stands in FROM before and after the change, and how an engine is asked.

    `check` gives the reason why a question cannot be asked, None if it can. `select` raises PredicatError.
    """

    before: str
    after: str
    select: Select
    check: Callable[[Question], str | None] = lambda _: None


def count(questions: Questions, dataset: str, source: Source) -> dict[str, Counts]:
    """The counts of the questions about a dataset, or the reasons why they are not known."""
    refused: dict[str, Counts] = {}
    asked: list[Question] = []
    moved = source.before != source.after
    for question in questions.of(dataset):
        reason = source.check(question) if question.nodes or moved else say.ONE_RELATION
        if reason is None:
            asked.append(question)
        else:
            refused[question.label] = Counts(reason=reason)
    if not asked:
        return refused
    state, dialect = questions.state(dataset), questions.dialect
    counter = (_Moved if moved else _Counter)(dialect, source, state)
    found = counter.by_groups(asked)
    remaining = [question for question in asked if question.label not in found]
    for chunk in _chunks(dialect, remaining):
        found |= counter.counts_or_reasons(chunk)
    return {**refused, **{question.label: found[question.label] for question in asked}}


def _chunks(dialect: str, asked: Sequence[Question]) -> list[Sequence[Question]]:
    size = _CHUNKS.get(dialect, len(asked))
    return [asked[start : start + size] for start in range(0, len(asked), size or 1)]


def distinct(rows: Iterable[Mapping[str, Any]], most: int = SAMPLE) -> list[Mapping[str, Any]]:
    """The first different rows, at most some."""
    result: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        result.setdefault(repr(row), row)
        if len(result) == most:
            break
    return list(result.values())


class _Counter:
    """Counts rows of one relation. `totals` are the numbers of all its rows, as SQL by their names."""

    totals: Mapping[str, str] = {"t1": "COUNT(*)"}

    def __init__(self, dialect: str, source: Source, dataset: Mapping[str, Any]) -> None:
        self.fence = _ONCE.get(dialect, "")
        self.dialect, self.source, self.dataset = dialect, source, dataset
        self.split: Split | None = None

    def counts_or_reasons(self, asked: Sequence[Question]) -> dict[str, Counts]:
        """The counts; of questions that the engine refuses, what it says."""
        try:
            return self.counts(asked)
        except PredicatError as error:
            told = Counts(reason=error.diagnostics[0].message)
        refused = {one.label: Counts(reason=reason) for one in asked if (reason := self.reason(one))}
        runs = [one for one in asked if one.label not in refused]
        if refused and runs:
            return {**refused, **self.counts_or_reasons(runs)}
        return {one.label: refused.get(one.label, told) for one in asked}

    def reason(self, question: Question) -> str | None:
        """Why the engine does not take the conditions of a question. It reads no row."""
        try:
            self.source.select(f"SELECT 1 AS one FROM {self.body(_Names(), [question])} LIMIT 0")
        except PredicatError as error:
            return error.diagnostics[0].message
        return None

    def by_groups(self, asked: Sequence[Question]) -> dict[str, Counts]:
        """The counts of questions that groups of rows answer; none if the engine refuses one."""
        try:
            split = self.split_rows()
            found = clusters(self.dialect, asked, split)
            rows = self.source.select(found.query(self.source.after, self.fence)) if found.all else ()
            counts = {
                label: _counts(parts, split.text)
                for cluster in found.all
                for label, parts in cluster.parts(rows, split).items()
            }
            own = [question for question in asked if question.label in counts]
            for chunk in _chunks(self.dialect, own):
                counts |= self.with_examples({one.label: counts[one.label] for one in chunk}, chunk)
        except PredicatError:  # which one it refuses, the counts by rows tell
            return {}
        return counts

    def split_rows(self) -> Split:
        """How the rows are divided. Raises PredicatError."""
        self.split = self.split or split(self.dialect, self.dataset, self.source.after, self.source.select)
        return self.split

    def counts(self, asked: Sequence[Question]) -> dict[str, Counts]:
        """The counts. Raises PredicatError."""
        split = self.split_rows()
        names = _Names()
        aggregates = [f"{count} AS {name}" for name, count in self.totals.items()]
        for place, question in enumerate(asked):
            before, after = self.sides(names, question)
            aggregates += [
                f"{self.counted(condition)} AS {key}{place}"
                for key, condition in (
                    ("b", before),
                    ("g", _less(after, before)),
                    ("l", _less(before, after)),
                )
            ]
        keys = list(split.numbers)
        group = f" GROUP BY {', '.join(keys)}" if keys else ""
        body = self.body(names, asked, split.numbers, self.fence)
        rows = self.source.select(f"SELECT {', '.join([*keys, *aggregates])} FROM {body}{group}")
        counts = {question.label: _read(rows, place, split) for place, question in enumerate(asked)}
        return self.with_examples(counts, asked)

    def counted(self, condition: str) -> str:
        """The number of rows for which a condition holds, as SQL."""
        return _COUNT.get(self.dialect, "COUNT_IF({})").format(condition)

    def sides(self, names: _Names, question: Question) -> tuple[str, str]:
        """The conditions of a question, by the names of the columns that hold them."""
        before, after = ([names.of(0, sql) for sql in side] for side in (question.before, question.after))
        return _any(before), _any(after)

    def body(
        self,
        names: _Names,
        asked: Sequence[Question],
        more: Mapping[str, str] | None = None,
        fence: str = "",
    ) -> str:
        """The rows as an item of FROM."""
        for question in asked:
            self.sides(names, question)
        columns = {**names.columns(0), **(more or {})} or {"one": "1"}
        listed = ", ".join(f"{sql} AS {name}" for name, sql in columns.items())
        return f"(SELECT {listed} FROM {self.source.after}{fence}) AS predicat_rows"

    # --- examples

    def with_examples(self, counts: dict[str, Counts], asked: Sequence[Question]) -> dict[str, Counts]:
        """The counts, with some gained and lost rows of each. Each query finds rows for many of them, and
        ends when it has enough.
        """
        wanted = {
            (question.label, gained): question
            for question in asked
            for gained in (True, False)
            if (counts[question.label].gained if gained else counts[question.label].lost)
        }
        found: dict[tuple[str, bool], list[Mapping[str, Any]]] = {}
        while wanted:
            new = self.examples(wanted)
            found |= new
            wanted = {key: question for key, question in wanted.items() if key not in new} if new else {}
        return {
            label: _with_rows(one, found.get((label, True), ()), found.get((label, False), ()))
            for label, one in counts.items()
        }

    def examples(
        self, wanted: Mapping[tuple[str, bool], Question]
    ) -> dict[tuple[str, bool], list[Mapping[str, Any]]]:
        """The first rows that some conditions find."""
        names = _Names()
        flags: list[str] = []
        for (_, gained), question in wanted.items():
            before, after = self.sides(names, question)
            flags.append(_less(after, before) if gained else _less(before, after))
        columns = {sql: name for question in wanted.values() for name, sql in self.shown(question).items()}
        places = {sql: f"d{place}" for place, sql in enumerate(columns)}
        body = self.body(names, list(wanted.values()), {name: sql for sql, name in places.items()})
        selected = [*places.values(), *(f"({flag}) AS f{place}" for place, flag in enumerate(flags))]
        limit = max(FETCHED, 4 * SAMPLE * len(flags))
        rows = self.source.select(
            f"SELECT {', '.join(selected)} FROM {body} WHERE {' OR '.join(f'({one})' for one in flags)} "
            f"LIMIT {limit}"
        )
        result: dict[tuple[str, bool], list[Mapping[str, Any]]] = {}
        for place, (key, question) in enumerate(wanted.items()):
            own = self.shown(question)
            mine = distinct(
                {name: row[places[sql]] for name, sql in own.items()} for row in rows if row[f"f{place}"]
            )
            if mine:
                result[key] = mine if own else [{}]
        return result

    def shown(self, question: Question) -> Mapping[str, str]:
        """The columns of an example as SQL, by their names."""
        return question.columns


class _Moved(_Counter):
    """Counts rows of two relations. Rows with the same key are the same row."""

    totals: Mapping[str, str] = {"t0": "COUNT(o_there)", "t1": "COUNT(n_there)"}

    def __init__(self, dialect: str, source: Source, dataset: Mapping[str, Any]) -> None:
        super().__init__(dialect, source, dataset)
        decls = key_of(dataset)
        self.key = {
            f"k{place}": backends.dialect(dialect).render(Field(decl.type, decl))
            for place, decl in enumerate(decls)
        }
        fields = dataset.get("fields", {})
        self.names = {
            f"k{place}": (decl.name, bool(fields[decl.name].get("sensitive")))
            for place, decl in enumerate(decls)
        }
        self.split = unsplit(dialect)

    def by_groups(self, asked: Sequence[Question]) -> dict[str, Counts]:  # noqa: ARG002  # of one relation
        return {}

    def counts(self, asked: Sequence[Question]) -> dict[str, Counts]:
        """The counts; without a key only how many rows each relation has, and the filters accept."""
        return super().counts(asked) if self.key else self.apart(asked)

    def apart(self, asked: Sequence[Question]) -> dict[str, Counts]:
        """The counts of each relation."""
        found: list[Mapping[str, Any]] = []
        for place, relation in enumerate((self.source.before, self.source.after)):
            names = _Names()
            sides = [self.sides(names, question)[place] for question in asked]
            columns = names.columns(place) or {"one": "1"}
            inner = ", ".join(f"{sql} AS {name}" for name, sql in columns.items())
            counted = [f"{self.counted(side)} AS n{number}" for number, side in enumerate(sides)]
            found += self.source.select(
                f"SELECT {', '.join(['COUNT(*) AS t', *counted])} FROM "
                f"(SELECT {inner} FROM {relation}{self.fence}) AS predicat_rows"
            )
        before, after = found
        return {
            question.label: Counts(
                after["t"], before[f"n{number}"], after[f"n{number}"], None, None, former=before["t"]
            )
            for number, question in enumerate(asked)
        }

    def sides(self, names: _Names, question: Question) -> tuple[str, str]:
        before = [names.of(0, sql) for sql in question.before]
        return _any(before), _any([names.of(1, sql) for sql in question.after])

    def body(
        self,
        names: _Names,
        asked: Sequence[Question],
        more: Mapping[str, str] | None = None,
        fence: str = "",  # noqa: ARG002  # a row of a group is evaluated once
    ) -> str:
        for question in asked:
            self.sides(names, question)
        own = names.columns(0), names.columns(1)
        columns = [
            f"COALESCE({side}.{name}, FALSE) AS {name}"
            for side, row in zip("on", own, strict=True)
            for name in row
        ]
        columns += [f"{side}.there AS {side}_there" for side in "on"]
        columns += [f"COALESCE(n.{key}, o.{key}) AS {key}" for key in self.key]
        added = [f"{sql} AS {name}" for name, sql in (more or {}).items()]
        both = " AND ".join(f"o.{key} = n.{key}" for key in self.key)
        old, new = self.rows(self.source.before, own[0]), self.rows(self.source.after, own[1])
        joined = f"{old} AS o FULL JOIN {new} AS n ON {both}"
        body = f"(SELECT {', '.join(columns)} FROM {joined}) AS predicat_rows"
        return f"(SELECT *, {', '.join(added)} FROM {body}) AS predicat_shown" if added else body

    def rows(self, relation: str, conditions: Mapping[str, str]) -> str:
        """A relation with one row for each key, which a condition accepts if it accepts one with this key."""
        columns = [f"{sql} AS {name}" for name, sql in self.key.items()]
        columns += [f"BOOL_OR({sql}) AS {name}" for name, sql in conditions.items()]
        group = ", ".join(str(place + 1) for place in range(len(self.key)))
        return f"(SELECT {', '.join([*columns, '1 AS there'])} FROM {relation} GROUP BY {group})"

    def shown(self, question: Question) -> Mapping[str, str]:  # noqa: ARG002  # the key of both relations
        return {
            name: f"CASE WHEN {key} IS NOT NULL THEN '{shown.MASK}' END" if hidden else key
            for key, (name, hidden) in self.names.items()
        }


class _Names:
    """The names of the columns that hold conditions, of each side."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, str], str] = {}

    def of(self, place: int, sql: str) -> str:
        """The name of a condition of a side."""
        return self.known.setdefault((place, sql), f"c{len(self.known)}")

    def columns(self, place: int) -> dict[str, str]:
        """The conditions of a side by their names."""
        return {name: sql for (side, sql), name in self.known.items() if side == place}


def _read(rows: Sequence[Mapping[str, Any]], place: int, split: Split) -> Counts:
    """The counts of a question out of rows of counts."""
    names = [f"{key}{place}" for key in "bgl"]
    parts = [Part(split.name(row), int(row["t1"]), *(int(row[name]) for name in names)) for row in rows]
    former = next((int(row["t0"]) for row in rows if "t0" in row), None)
    return replace(_counts(parts, split.text), former=former)


def _counts(parts: Sequence[Part], by: str) -> Counts:
    """The counts of all partitions together."""
    total, before, gained, lost = (
        sum(getattr(one, key) for one in parts) for key in ("total", "before", "gained", "lost")
    )
    changed = [one for one in parts if one.gained or one.lost] if by else []
    return Counts(
        total,
        before,
        before + gained - lost,
        gained,
        lost,
        by=by,
        parts=tuple(sorted(changed, key=lambda part: part.name)),
    )


def _any(conditions: Sequence[str]) -> str:
    return f"({' OR '.join(conditions)})" if len(conditions) > 1 else conditions[0] if conditions else "FALSE"


def _less(one: str, other: str) -> str:
    """That one is true and the other false; DuckDB evaluates it faster than AND and NOT."""
    return f"{one} > {other}"


def _with_rows(
    counts: Counts, gained: Sequence[Mapping[str, Any]], lost: Sequence[Mapping[str, Any]]
) -> Counts:
    return replace(counts, gained_rows=tuple(gained), lost_rows=tuple(lost))
