"""What is found, as findings of rules with codes: for reports, baselines and CI."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, structs
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from predicat.diagnostics import Severity, Span
from predicat.diagnostics.messages import discover as say
from predicat.discover.calls import Use
from predicat.discover.conditions import Condition, SourceRange, relation_of
from predicat.discover.history import parted
from predicat.discover.parts import part_in_file
from predicat.discover.places import source_at, span_of
from predicat.discover.replace import Copies
from predicat.discover.verdicts import Judged, Judgement, Pair
from predicat.forge.patience import Patience
from predicat.lint import Finding
from predicat.lint.baseline import lasting


class Found(Finding, frozen=True):
    """A finding with what ranks and shows it.

    Attributes:
        row: A row that shows it, or on which two rules differ, as JSON; empty if there is none.
        places: Where the rule is, or both rules are, the place of the finding first.
        causes: What makes it, each as a text that is the same for every spelling, column and place where
            that is not what is wrong: findings of a kind that share a cause are one mistake.
    """

    row: str = ""
    places: tuple[SourceRange, ...] = ()
    causes: tuple[str, ...] = ()

    @property
    def calls(self) -> int:
        """How often a server has run the statements of its places, as far as it was asked."""
        return sum({place.path: place.calls for place in self.places}.values())


class Kind(Struct, frozen=True):
    """A kind of finding: its code, its name, how much it weighs, whether `--check` fails on it, and whether
    it weighs more where rows are chosen or joined. There it is hardly meant. `judged` is how many of how
    many findings were mistakes.
    """

    code: str
    name: str
    level: Severity
    doc: str
    stops: bool = False
    chosen: bool = False
    judged: tuple[int, int] = (0, 0)

    @property
    def likelihood(self) -> float:
        """How likely it is a mistake, by the rule of succession: without a judged one, one half."""
        mistakes, read = self.judged
        return (mistakes + 1) / (read + 2)

    def level_in(self, clause: str) -> Severity:
        """How much it weighs in a clause."""
        return Severity.WARNING if self.chosen and clause in ("where", "join") else self.level


# The kinds of findings by name. What was judged is in docs/evidence.md, without what is a note now, as it is
# often meant: branches with the result of the one before, parts that say again what the rest says, and most
# near rules. A copy is no mistake.
KINDS = {
    row.name: row
    for row in (
        Kind("D101", "never", Severity.ERROR, "No row is accepted.", stops=True, judged=(22, 22)),
        Kind(
            "D102",
            "always",
            Severity.NOTE,
            "Every row that has values is accepted.",
            chosen=True,
            judged=(4, 4),
        ),
        Kind("D103", "redundant", Severity.NOTE, "A part has no effect.", chosen=True, judged=(3, 4)),
        Kind(
            "D104",
            "unreachable",
            Severity.WARNING,
            "Earlier branches of CASE leave no row.",
            stops=True,
            judged=(43, 43),
        ),
        Kind(
            "D105",
            "impossible",
            Severity.WARNING,
            "The expression never has this value.",
            stops=True,
            judged=(4, 4),
        ),
        Kind(
            "D106",
            "null comparison",
            Severity.WARNING,
            "A comparison with NULL is never TRUE.",
            stops=True,
            judged=(6, 7),
        ),
        Kind("D107", "null trap", Severity.NOTE, "A negation loses rows without a value.", judged=(2, 5)),
        Kind(
            "D108",
            "layout",
            Severity.WARNING,
            "AND binds tighter than OR; the line breaks suggest the opposite.",
            judged=(13, 13),
        ),
        Kind("D201", "same", Severity.NOTE, "The same rule is in more than one place.", judged=(0, 26)),
        Kind("D202", "near", Severity.NOTE, "Two rules are nearly the same.", chosen=True, judged=(5, 16)),
        Kind("D301", "copy", Severity.WARNING, "A filter of the catalog is written again.", stops=True),
        Kind("D302", "drift", Severity.WARNING, "A rule nearly equals a filter of the catalog.", stops=True),
    )
}
# Pairs whose history is looked up, at most, and seconds for all of them: each look takes git some time.
_DATED, _HISTORY = 50, 20.0
CODES = {row.code: row for row in KINDS.values()}


def findings(
    conditions: Sequence[Condition], judged: Judged, known: Mapping[int, Use], copies: Copies | None = None
) -> list[Found]:
    """The findings in the order of their places.

    Args:
        conditions: The conditions that were judged.
        judged: What was found.
        known: The filters of a catalog, by the numbers of the conditions that are these filters.
        copies: Tells how places write these filters; None without a catalog.
    """
    source_at.cache_clear()  # the files may have changed since
    classes = {number: numbers for numbers in judged.same for number in numbers}
    patience = Patience(_HISTORY)
    result = [
        *(
            _single(conditions[judgement.condition], judgement)
            for judgement in judged.judgements
            if judgement.condition not in known
        ),
        *(item for numbers in judged.same for item in _same(conditions, numbers, known, copies)),
        *_parts(conditions, judged, known, copies),
        *(
            item
            for number, pair in enumerate(_apart(judged, known))
            for dated in [number < _DATED and patience.left(_HISTORY) > 0]
            for item in _near(conditions, pair, known, copies, classes, dated=dated)
        ),
    ]
    return sorted(dict.fromkeys(result), key=_order)


def _order(item: Found) -> tuple[str, int, str, str]:
    return item.span.source.name, item.span.start, item.code, item.message


def _single(condition: Condition, judgement: Judgement) -> Found:
    part, source = None, source_at(condition.place.path)
    if judgement.at is not None:
        part = part_in_file(condition, judgement.at, source)
    # What a template puts together from parts may well say a thing twice.
    meant = judgement.meant or (judgement.kind == "redundant" and condition.has_template(source.text))
    shown = (
        say.about_part(judgement.message, judgement.part) if judgement.at and not part else judgement.message
    )
    parts = [f"{shown}."]
    if judgement.row is not None:
        parts.append(say.row(judgement.row, judgement.outcome))
    if judgement.inferred:
        parts.append(say.inferred(judgement.inferred))
    message = " ".join(filter(None, parts))
    item = _finding(judgement.kind, condition, message, judgement.hint or None, part)
    what = " ".join(judgement.part.split()) or condition.judged
    causes = judgement.causes or (f"{lasting(judgement.message)}: {what}",)
    if judgement.kind == "unreachable":  # a CASE for each of many columns is one mistake
        causes += (f"{condition.place.path}: {_form(condition)}",)
    return _if_meant(structs.replace(item, row=_json(judgement.row), causes=causes), meant)


def _form(condition: Condition) -> str:
    """A condition of SQL without the names of its columns."""
    try:
        tree = parse_one(condition.sql)
    except (SqlglotError, RecursionError):
        return condition.judged
    numbers: dict[str, int] = {}
    for column in tree.find_all(exp.Column):
        column.this.set("this", str(numbers.setdefault(column.name, len(numbers))))
    return tree.sql()


def _same(
    conditions: Sequence[Condition],
    numbers: Sequence[int],
    known: Mapping[int, Use],
    copies: Copies | None,
) -> Iterable[Found]:
    uses = list(dict.fromkeys(known[number] for number in numbers if number in known))
    places = [number for number in numbers if number not in known]
    if uses and copies is not None:
        for number in places:
            copy = copies.at(conditions[number], uses)
            item = _finding("copy", conditions[number], say.copy_of(str(copy.use)), copy.advice)
            yield _if_meant(item, copy.elsewhere)
    elif len({conditions[number].place for number in places}) > 1:
        first = conditions[places[0]]
        others = [_where(conditions[number].place) for number in places[1:]]
        relations = _relations(conditions[number] for number in places)
        item = _finding("same", first, say.same_rule(others, relations), None)
        yield structs.replace(item, places=_places(conditions, places))


def _if_meant(item: Found, meant: bool) -> Found:
    """A finding, as a note if what it tells is often meant."""
    return structs.replace(item, level=Severity.NOTE) if meant else item


def _parts(
    conditions: Sequence[Condition], judged: Judged, known: Mapping[int, Use], copies: Copies | None
) -> Iterable[Found]:
    """The conditions that have a filter and more, each filter once."""
    told = {(number, known[one]) for same in judged.same for number in same for one in same if one in known}
    whole = {number for number, _ in told}
    for part in judged.parts:
        use = known[part.filter]
        if copies is None or part.condition in known or part.condition in whole:
            continue
        if (part.condition, use) not in told:
            told.add((part.condition, use))
            copy = copies.tried(conditions[part.condition], use, proving=False)
            hint = say.for_part(copy.hint) if copy.is_callable else copy.hint
            yield _finding("copy", conditions[part.condition], say.copy_in(str(use), part.text), hint)


def _near(
    conditions: Sequence[Condition],
    pair: Pair,
    known: Mapping[int, Use],
    copies: Copies | None,
    classes: Mapping[int, Sequence[int]],
    *,
    dated: bool,
) -> Iterable[Found]:
    if pair.left in known and pair.right in known:
        return
    left, right = pair.left, pair.right
    if left in known or right in known:
        name = known[left] if left in known else known[right]
        place = conditions[right if left in known else left]
        first, second = (say.THE_FILTER, say.THIS) if left in known else (say.THIS, say.THE_FILTER)
        hint = copies.if_right(place, name) if copies is not None else None
        sides = {"the first": first, "the second": second}
        rows = {side: row for side, row in ((first, pair.lost), (second, pair.gained)) if row is not None}
        item = _finding("drift", place, say.drifted(str(name), pair.message, sides, rows), hint)
        members = classes.get(right if left in known else left, ())
        key = [str(name), *pair.rules[left in known :][:1]]
    else:
        message = say.near(_other(conditions[left], conditions[right]), pair.message, _rows(pair))
        commit = parted(conditions[left], conditions[right]) if dated else None
        hint = None if commit is None else say.parted(commit.commit, commit.subject, commit.path)
        place = conditions[left]
        item = _finding("near", place, message, hint)
        item, key = _if_meant(item, pair.meant), sorted(pair.rules)
        members = [*classes.get(left, [left]), *classes.get(right, [right])]
    places = _places(conditions, [number for number in members if number not in known])
    row = next(iter(_rows(pair)), None)
    difference = lasting(item.message).partition(": ")[2]
    yield structs.replace(
        item,
        row=_json(row),
        places=tuple(dict.fromkeys((*item.places, *places))),
        causes=(f"{difference}: {place.judged}",),
        key="\0".join(key),
    )


def _apart(judged: Judged, known: Mapping[int, Use]) -> Iterable[Pair]:
    """The pairs without those of a copy of a filter with what has drifted from the same filter: that is told
    of the filter.
    """
    filters: dict[int, set[Use]] = {}
    for numbers in judged.same:
        uses = {known[number] for number in numbers if number in known}
        filters |= {number: filters.get(number, set()) | uses for number in numbers if uses}
    for pair in judged.pairs:
        for one, other in ((pair.left, pair.right), (pair.right, pair.left)):
            if one in known:
                filters[other] = filters.get(other, set()) | {known[one]}
    for pair in judged.pairs:
        both = {pair.left, pair.right}
        if both & known.keys() or not set.intersection(*(filters.get(number, set()) for number in both)):
            yield pair


def _rows(pair: Pair) -> list[Mapping[str, Any]]:
    return [row for row in (pair.lost, pair.gained) if row is not None]


def _json(row: Mapping[str, Any] | None) -> str:
    return "" if row is None else json.dumps(row, ensure_ascii=False)


def _places(conditions: Sequence[Condition], numbers: Iterable[int]) -> tuple[SourceRange, ...]:
    return tuple(dict.fromkeys(conditions[number].place for number in numbers))


def _relations(rows: Iterable[Condition]) -> int:
    """How many relations conditions are about; 0 if it is one."""
    number = len({relation for row in rows if (relation := relation_of(row)) is not None})
    return number if number > 1 else 0


def _other(one: Condition, other: Condition) -> str:
    """The place of another condition, with its relation if that is another one."""
    place, relation = _where(other.place), relation_of(other)
    return place if relation in (None, relation_of(one)) else say.place_on(place, other.relation or "")


def _where(place: SourceRange) -> str:
    return f"{place.path}:{place.line}"


def _finding(
    kind: str, condition: Condition, message: str, hint: str | None, part: Span | None = None
) -> Found:
    """A finding at a part of a condition, or at the whole of it."""
    kind_ = KINDS[kind]
    name = condition.relation or say.UNNAMED
    return Found(
        kind_.code,
        name,
        message,
        part or span_of(condition.place),
        hint,
        level=kind_.level_in(condition.clause),
        places=(condition.place,),
    )


def is_told(item: Finding) -> bool:
    """Whether a finding is told one by one where nobody asks for its code."""
    return item.level is not Severity.NOTE


def stops(item: Finding) -> bool:
    """Whether `--check` fails on a finding: not on a copy that cannot use the filter."""
    return CODES[item.code].stops and is_told(item)
