"""The file of a relation: its fields with their types, and a filter with tests for each of its rules."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from predicat.api import Predicate, declared, parse
from predicat.catalog.keys import API_VERSION
from predicat.diagnostics import PredicatError, Source
from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import SERVER, Condition
from predicat.discover.examples import NOW, Constants, Row, constants_of, tests_of
from predicat.discover.infer import Unclear
from predicat.discover.names import MAX_LENGTH
from predicat.discover.passing import passing, problem_in
from predicat.discover.read.above import in_repository
from predicat.discover.real_rows import RealRows
from predicat.discover.references import PartKeys, proved, with_references
from predicat.discover.rules import Rule
from predicat.discover.typed import subject_of, together
from predicat.editor.layout import layout
from predicat.explain.prose import describe
from predicat.importing.model import LONGEST, slug
from predicat.importing.writing import dumped
from predicat.ir.types import DATE, STRING, TIMESTAMP, DecimalType, StructType
from predicat.ir.widths import field_type

# A longer sentence about a condition is no description.
_LONGEST_TOLD = 200
# What to say of a field whose type was inferred, by its kind: texts and truth values have one type only.
_UNSURE = {"any": say.UNKNOWN_TYPE, "number": say.SOME_NUMBER, "time": say.SOME_TIME}
# Gives the name of a filter for its condition and a first name; an empty text leaves it out.
Ask = Callable[[str, str], str]


class Draft(Struct):
    """A dataset that is proposed: its text, its rules by the names of their filters, and the attributes of
    sessions that it declares.
    """

    text: str
    rules: dict[str, Rule]
    attributes: set[str] = field(default_factory=set[str])


def draft(
    dataset: str,
    relation: str,
    rules: Sequence[Rule],
    ask: Ask | None,
    attributes: Collection[str],
    left: Counter[str],
    data: RealRows | None = None,
) -> Draft | None:
    """The file of a relation; None if no rule is left.

    Args:
        dataset: The name of the dataset.
        relation: Its relation.
        rules: What is to be a filter.
        ask: Gives the names of filters. Default: names made of fields and values.
        attributes: The attributes that another dataset declares.
        left: Gets the reasons why rules are left out.
        data: Where rows for tests are. Default: they are made up.
    """
    fields, marks = _fields(rules)
    keys = PartKeys(declared(fields))
    named = _named(_read(rules, fields, keys, left), ask)
    if not named:
        return None
    session = {
        name: {"type": kind, "postgres": text}
        for rule in named.values()
        for name, (kind, text) in rule.conditions[0].session.items()
        if name not in attributes
    }
    constants = constants_of(predicate_of(rule) for rule in named.values())
    filters = {
        name: _filter(rule, constants, _real(rule, relation, constants, data)) for name, rule in named.items()
    }

    def data_of(names: Collection[str]) -> dict[str, Any]:
        members = [named[name] for name in names]
        used = {name for rule in members for name in (*predicate_of(rule).fields, *_columns(rule.sql))}
        return {
            "apiVersion": API_VERSION,
            "dataset": dataset,
            "description": say.rows_of(relation),
            "relation": relation,
            "fields": {
                name: {"type": kind, "description": marks[name]} if name in marks else kind
                for name, kind in sorted(fields.items())
                if name in used
            },
            **({"attributes": session} if session else {}),
            **({"now": NOW.strftime("%Y-%m-%d %H:%M:%S")} if any(map(_is_timed, members)) else {}),
            "filters": {name: dict(filters[name]) for name in names},
        }

    text, kept = passing(dataset, list(named), data_of, left)
    if not kept:
        return None
    return Draft(
        _referring(dataset, data_of(kept), named, keys) or text,
        {name: named[name] for name in kept},
        set(session),
    )


def predicate_of(rule: Rule) -> Predicate:
    """The predicate of a rule that was read."""
    if rule.predicate is None:
        raise AssertionError(rule.sql)
    return rule.predicate


def _is_timed(rule: Rule) -> bool:
    return predicate_of(rule).reads_now


def _read(
    rules: Iterable[Rule], fields: Mapping[str, str], keys: PartKeys, left: Counter[str]
) -> Iterable[Rule]:
    """The rules that can be read with the types of their relation; those that take the same rows are one."""
    found: dict[tuple[str, bool, bool, bool], Rule] = {}
    for rule in rules:
        try:
            rule.predicate = parse(rule.sql, "sql", fields, params=rule.conditions[0].params)
        except PredicatError:
            left[say.UNCLEAR] += len(rule.conditions)
            continue
        if not rule.predicate.fields:  # as of `note = NULL`
            left[say.DEAD] += len(rule.conditions)
            continue
        key = (keys.key(rule.predicate), rule.accepts, rule.writes, bool(rule.conditions[0].params))
        first = found.setdefault(key, rule)
        if first is not rule:
            first.conditions += rule.conditions
    return found.values()


def _named(rules: Iterable[Rule], ask: Ask | None) -> dict[str, Rule]:
    """Rules by the names of their filters."""
    result: dict[str, Rule] = {}
    for rule in rules:
        first = unused(rule.first_name(result), result, MAX_LENGTH)
        answer = ask(rule.sql, first) if ask is not None else first
        if answer:
            result[unused(slug(answer), result)] = rule
    return result


def _referring(dataset: str, data: dict[str, Any], named: Mapping[str, Rule], keys: PartKeys) -> str:
    """The text of a dataset in which filters refer to others; empty if none does, or it does not pass."""
    filters = data["filters"]
    # A reference would reject UNKNOWN.
    bodies = {name: (rule.sql, predicate_of(rule)) for name, rule in named.items() if not rule.accepts}
    bodies = {name: body for name, body in bodies.items() if name in filters}
    references = with_references(bodies, keys)
    if not references:
        return ""
    _refer(filters, references)
    same = set(proved(dumped(data), dataset, bodies))
    _refer(filters, {name: bodies[name][0] for name in references if name not in same})
    text = layout(Source(dataset, dumped(data)))
    return "" if problem_in(dataset, text) else text


def _refer(filters: Mapping[str, Any], texts: Mapping[str, str]) -> None:
    """Gives filters another text."""
    for name, text in texts.items():
        filters[name]["sql"] = text


def _fields(rules: Sequence[Rule]) -> tuple[dict[str, str], dict[str, str]]:
    """A type for each field that all rules of a relation take: known types first, else inferred from all
    rules together, else from each. Also what to say of the fields whose type is not known.
    """
    known = {
        name: kind
        for rule in rules
        for condition in rule.conditions
        for name, kind in condition.fields.items()
    }
    fractions = _fractions(rules)
    result: dict[str, str] = {}
    marks: dict[str, str] = {}
    for group in (rules, *([rule] for rule in rules)):
        try:
            types = together([subject_of(rule.conditions[0]) for rule in group])
        except Unclear:
            continue
        for condition in types:
            for name, decl in Predicate(condition.wide, "sql").fields.items():
                told = _UNSURE.get(condition.inferred.get(name, ""))
                if told and name not in result:
                    marks[name] = told
                result.setdefault(name, _kind(decl.type, name, fractions, condition.inferred))
        if group is rules:
            break
    others = {
        name: kind
        for rule in rules
        for condition in rule.conditions
        for name, kind in condition.others.items()
    }
    marks |= {name: say.other_type(kind) for name, kind in others.items() if name in result}
    fields = with_structs({**result, **known})
    return fields, {name.partition(".")[0]: mark for name, mark in marks.items() if name not in known}


def with_structs(fields: Mapping[str, str]) -> dict[str, str]:
    """Types of fields, with members such as `device.os` in the struct that has them."""
    result = {name: kind for name, kind in fields.items() if "." not in name}
    members: dict[str, dict[str, str]] = {}
    for name, kind in fields.items():
        first, _, rest = name.partition(".")
        if rest:
            members.setdefault(first, {})[rest] = kind
    for name, inner in members.items():
        kinds = sorted(with_structs(inner).items())
        result[name] = str(StructType(tuple((part, field_type(kind)[0]) for part, kind in kinds)))
    return result


def _kind(kind: Any, name: str, fractions: Collection[str], inferred: Mapping[str, str]) -> str:
    """A type as a person would choose it: whole numbers if no constant has a fraction."""
    if inferred.get(name) == "any" and not isinstance(kind, DecimalType):
        return str(STRING)  # it is only tested for NULL, or for being the same as another
    if name in inferred and isinstance(kind, DecimalType):
        return "double" if name in fractions else "bigint"
    return "timestamp" if kind in (DATE, TIMESTAMP) and name in inferred else str(kind)


def _columns(sql: str) -> set[str]:
    """The columns that a condition names, also where it does not depend on them: `note = NULL OR n > 3`."""
    from sqlglot import exp, parse_one  # noqa: PLC0415  # only for a proposal

    return {column.parts[0].name for column in parse_one(sql).find_all(exp.Column)}


def _fractions(rules: Sequence[Rule]) -> set[str]:
    """The columns that are compared with a number that has a fraction."""
    from sqlglot import exp, parse_one  # noqa: PLC0415  # only for a proposal

    constants = (node for rule in rules for node in parse_one(rule.sql).find_all(exp.Literal))
    return {
        ".".join(part.name for part in column.parts)
        for node in constants
        if not node.is_string and not node.name.isdigit()
        for column in (node.find_ancestor(exp.Predicate) or node).find_all(exp.Column)
    }


def _real(rule: Rule, relation: str, constants: Constants, data: RealRows | None) -> Mapping[bool, Row]:
    """Rows of the data for a rule; none for one whose outcome depends on the clock or a session."""
    predicate = predicate_of(rule)
    if data is None or predicate.reads_now or rule.conditions[0].params:
        return {}
    return data.of(relation, rule.sql, predicate, constants)


def _filter(rule: Rule, constants: Constants, real: Mapping[bool, Row]) -> dict[str, Any]:
    """A filter as a catalog has it."""
    predicate = predicate_of(rule)
    places, parts = (
        list(dict.fromkeys(_place(item) for item in rule.conditions if item.whole == whole))
        for whole in (True, False)
    )
    entry: dict[str, Any] = {
        "description": say.described(_told(predicate), places, parts, writes=rule.writes)
    }
    owners = [condition.owner for condition in rule.conditions if condition.owner]
    if owners:
        entry["owner"] = Counter(owners).most_common(1)[0][0]
    entry["sql"] = rule.sql
    if rule.conditions[0].params:
        entry["params"] = dict(rule.conditions[0].params)
    if rule.accepts:
        entry["on_unknown"] = "accept"
    tests = tests_of(predicate, constants, real, accepts=rule.accepts)
    if tests:
        entry["tests"] = tests
    return entry


def _told(predicate: Predicate) -> str:
    """What a condition says about rows, in a few words."""
    told = " ".join(describe(predicate.surface).split())
    return say.where(told) if len(told) <= _LONGEST_TOLD else say.on_fields(list(predicate.fields))


def _place(condition: Condition) -> str:
    path = condition.place.path
    return f"{path if path.startswith(SERVER) else in_repository(Path(path))}:{condition.place.line}"


def unused(name: str, names: Iterable[str], longest: int = LONGEST) -> str:
    """A name that is not taken, with a number at its end if need be, and no longer than names may be."""
    candidate, number = name, 1
    while candidate in names:
        number += 1
        end = f"_{number}"
        room = longest - len(end)
        candidate = (name if len(name) <= room else name[: room + 1].rpartition("_")[0] or name[:room]) + end
    return candidate
