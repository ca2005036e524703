"""A catalog out of the conditions that were found: a dataset for each relation, a filter for each rule."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from predicat.api import Predicate, declared, parse
from predicat.catalog.files import catalog_files
from predicat.catalog.keys import API_VERSION
from predicat.catalog.manifest import plain
from predicat.diagnostics import PredicatError, Reporter, Source
from predicat.diagnostics.messages import discover as say
from predicat.diagnostics.writing import write_text
from predicat.discover.conditions import POLICIES, Condition
from predicat.discover.infer import Unclear
from predicat.discover.names import MAX_LENGTH, name_of
from predicat.discover.references import proved, with_references
from predicat.discover.typed import subject_of, together
from predicat.discover.verdicts import Judged
from predicat.editor.layout import layout
from predicat.explain.prose import describe
from predicat.importing.model import LONGEST, slug
from predicat.importing.writing import dumped
from predicat.ir.types import DATE, STRING, TIMESTAMP, DecimalType
from predicat.proof.compare import example
from predicat.rewrite.substitute import with_defaults

# Filters of a dataset: those in most places come first.
_MAX_FILTERS = 60
_MOST_DESCRIBED = 300
_NAMED = re.compile(r"^dataset:\s*['\"]?(\w+)", re.MULTILINE)
_EFFORT = 1.0
# Gives the name of a filter for its condition and a first name; an empty text leaves it out.
Ask = Callable[[str, str], str]


class Rule(Struct, eq=False):
    """A rule: its SQL, and the conditions that are this rule."""

    sql: str
    conditions: list[Condition]
    name: str = ""
    predicate: Predicate | None = None

    @property
    def part(self) -> bool:
        """Whether it is nowhere a whole condition."""
        return not any(condition.whole for condition in self.conditions)

    @property
    def accepts(self) -> bool:
        """Whether a row for which it is UNKNOWN is accepted."""
        return self.conditions[0].accepts

    @property
    def writes(self) -> bool:
        """Whether it is about rows that are written."""
        return self.conditions[0].writes

    @property
    def places(self) -> int:
        """In how many places it is."""
        return len({(condition.place.path, condition.place.start) for condition in self.conditions})

    @property
    def declared(self) -> bool:
        """Whether a table or a server declares it."""
        return any(condition.declared for condition in self.conditions)

    def first_name(self) -> str:
        """A name made of its fields and values, which says what kind of rule it is."""
        return name_of(self.sql, "_on_write" * self.writes + "_part" * self.part)


class Near(Struct, frozen=True):
    """Two rules on a relation that are nearly the same: their difference, and rows that only one accepts."""

    relation: str
    first: Rule
    second: Rule
    message: str
    rows: Sequence[Mapping[str, Any]]


# Gives the rules that are right: one of the two, or both.
Choose = Callable[[Near], Sequence[Rule]]


class Proposal(Struct):
    """What was proposed: the text of each file, how many filters there are, the attributes of sessions that
    they read, and why rules were left out.
    """

    files: dict[str, str] = field(default_factory=dict[str, str])
    filters: int = 0
    attributes: set[str] = field(default_factory=set[str])
    left: Counter[str] = field(default_factory=Counter[str])


def propose(
    conditions: Sequence[Condition],
    judged: Judged,
    ask: Ask | None = None,
    choose: Choose | None = None,
    min_places: int = 1,
) -> Proposal:
    """A catalog for conditions.

    Args:
        conditions: The conditions.
        judged: What was found in them: one rule in several places becomes one filter, and what no row or
            every row meets becomes none.
        ask: Gives the names of filters. Default: names made of fields and values.
        choose: Gives the right ones of two rules that are nearly the same. Default: both.
        min_places: In how many places of the code a rule is, at least. What a table or a server declares
            (a CHECK, a view, a policy) is a rule in one place too.
    """
    result = Proposal()
    by_relation = _by_relation(conditions, judged, min_places, result.left)
    if choose is not None:
        by_relation = _chosen(by_relation, conditions, judged, choose, result.left)
    for relation, rules in by_relation.items():
        dataset = _unused(slug(relation.rpartition(".")[2], "dataset"), result.files)
        text = _dataset(dataset, relation, rules, ask, result)
        if text:
            result.files[dataset] = text
    return result


def write(proposal: Proposal, folder: Path) -> tuple[list[Path], list[Path]]:
    """Write the files of datasets that the folder does not have yet. Returns the files that were written, and
    those that were there.
    """
    known = _datasets_in(folder)
    written, there = [], []
    for name, text in proposal.files.items():
        path = known.get(name, folder / f"{name}.yml")
        if path.exists() or path.is_symlink():
            there.append(path)
            continue
        write_text(path, text)
        written.append(path)
    return written, there


def _datasets_in(folder: Path) -> dict[str, Path]:
    """The datasets of a catalog, which may have problems, with a file of each."""
    datasets: dict[str, Path] = {}
    for file in catalog_files(folder, Reporter()) if folder.is_dir() else ():
        with suppress(OSError, UnicodeDecodeError):
            for name in _NAMED.findall(file.read_text(encoding="utf-8")):
                datasets.setdefault(name, file)
    return datasets


def _by_relation(
    conditions: Sequence[Condition], judged: Judged, min_places: int, left: Counter[str]
) -> dict[str, list[Rule]]:
    """The rules of each relation; those in most places first."""
    dead = {condition.condition for condition in judged.judgements if condition.kind in ("never", "always")}
    leaders = {number: numbers[0] for numbers in judged.same for number in numbers}
    rules: dict[tuple[str, object, bool, bool], Rule] = {}
    for number, condition in enumerate(conditions):
        reason = _unfit(condition, number, judged, dead)
        if reason:
            left[reason] += 1
            continue
        relation = str(condition.relation).lower()
        key = (relation, leaders.get(number, condition.sql), condition.accepts, condition.writes)
        rules.setdefault(key, Rule(condition.sql, [])).conditions.append(condition)
    result: dict[str, list[Rule]] = {}
    for (relation, *_), rule in rules.items():
        if rule.places >= min_places or rule.declared:
            result.setdefault(relation, []).append(rule)
        else:
            left[say.few_places(min_places)] += len(rule.conditions)
    for relation, of_relation in result.items():
        of_relation.sort(key=lambda rule: -len(rule.conditions))
        if len(of_relation) > _MAX_FILTERS:
            left[say.TOO_MANY] += len(of_relation) - _MAX_FILTERS
            result[relation] = of_relation[:_MAX_FILTERS]
    return result


def _chosen(
    by_relation: Mapping[str, list[Rule]],
    conditions: Sequence[Condition],
    judged: Judged,
    choose: Choose,
    left: Counter[str],
) -> dict[str, list[Rule]]:
    """The rules without those that somebody rejected in favour of a near-duplicate."""
    rules = {
        id(condition): (relation, rule)
        for relation, members in by_relation.items()
        for rule in members
        for condition in rule.conditions
    }
    wrong: set[int] = set()
    for pair in judged.pairs:
        first, second = (rules.get(id(conditions[number])) for number in (pair.left, pair.right))
        if first is None or second is None or first[0] != second[0] or first[1] is second[1]:
            continue
        if wrong & {id(first[1]), id(second[1])}:
            continue
        rows = [condition for condition in (pair.lost, pair.gained) if condition is not None]
        right = choose(Near(first[0], first[1], second[1], pair.message, rows))
        wrong |= {id(rule) for _, rule in (first, second) if rule not in right}
    left.update(say.WRONG for _, rule in rules.values() if id(rule) in wrong)
    remaining = {
        relation: [rule for rule in members if id(rule) not in wrong]
        for relation, members in by_relation.items()
    }
    return {relation: members for relation, members in remaining.items() if members}


def _unfit(condition: Condition, number: int, judged: Judged, dead: Iterable[int]) -> str:
    """Why a condition becomes no filter; an empty text if it does."""
    if condition.language != "sql" or not condition.sql:
        return say.OTHER_LANGUAGE
    if condition.derived or condition.relation is None:
        return say.NO_RELATION
    if condition.clause in POLICIES and not condition.whole:
        return say.PART_OF_POLICY
    if number in judged.unjudged:
        return say.UNCLEAR
    if number in dead:
        return say.DEAD
    of_session = bool(condition.session) and condition.session.keys() == condition.params.keys()
    if condition.has_parameters and not of_session:
        return say.HAS_PARAMETERS
    return ""


def _dataset(dataset: str, relation: str, rules: list[Rule], ask: Ask | None, result: Proposal) -> str:
    """The text of a catalog file; empty if no rule is left."""
    fields, unknown = _fields(rules)
    filters: dict[str, Any] = {}
    named: dict[str, tuple[str, Predicate]] = {}
    used: set[str] = set()
    for rule in rules:
        try:
            rule.predicate = parse(rule.sql, "sql", fields, params=rule.conditions[0].params)
        except PredicatError:
            result.left[say.UNCLEAR] += len(rule.conditions)
            continue
        if not rule.predicate.fields:  # as of `note = NULL`
            result.left[say.DEAD] += len(rule.conditions)
            continue
        first = _unused(rule.first_name(), filters, MAX_LENGTH)
        answer = ask(rule.sql, first) if ask is not None else first
        if answer:
            name = _unused(slug(answer), filters)
            filters[name] = _filter(rule, rule.predicate)
            if not rule.accepts:  # a reference would reject UNKNOWN
                named[name] = rule.sql, rule.predicate
            used |= {*rule.predicate.fields, *_columns(rule.sql)}
    if not filters:
        return ""
    result.filters += len(filters)
    session = {
        name: {"type": kind, "postgres": text}
        for rule in rules
        if rule.predicate is not None
        for name, (kind, text) in rule.conditions[0].session.items()
        if name not in result.attributes
    }
    result.attributes |= set(session)
    data: dict[str, Any] = {
        "apiVersion": API_VERSION,
        "dataset": dataset,
        "description": say.rows_of(relation),
        "relation": relation,
        "fields": {
            name: {"type": kind, "description": say.UNKNOWN_TYPE} if name in unknown else kind
            for name, kind in sorted(fields.items())
            if name in used
        },
        **({"attributes": session} if session else {}),
        "filters": filters,
    }
    references = with_references(named, declared(data["fields"]))
    if references:
        _refer(filters, references)
        same = set(proved(dumped(data), dataset, named))
        _refer(filters, {name: named[name][0] for name in references if name not in same})
    return layout(Source(dataset, dumped(data)))


def _refer(filters: Mapping[str, Any], texts: Mapping[str, str]) -> None:
    """Gives filters another text."""
    for name, text in texts.items():
        filters[name]["sql"] = text


def _fields(rules: list[Rule]) -> tuple[dict[str, str], set[str]]:
    """A type for each field that all rules of a relation take: known types first, else inferred from all
    rules together, else from each. Also the fields of which nothing tells the type.
    """
    known = {
        name: kind
        for rule in rules
        for condition in rule.conditions
        for name, kind in condition.fields.items()
    }
    fractions = _fractions(rules)
    result: dict[str, str] = {}
    unknown: set[str] = set()
    for group in (rules, *([rule] for rule in rules)):
        try:
            types = together([subject_of(rule.conditions[0]) for rule in group])
        except Unclear:
            continue
        for condition in types:
            for name, decl in Predicate(condition.wide, "sql").fields.items():
                if name not in result and condition.inferred.get(name) == "any":
                    unknown.add(name)
                result.setdefault(name, _kind(decl.type, name, fractions, condition.inferred))
        if group is rules:
            break
    return {**result, **known}, unknown - set(known)


def _kind(kind: Any, name: str, fractions: bool, inferred: Mapping[str, str]) -> str:
    """A type as a person would choose it: whole numbers if no constant has a fraction."""
    if inferred.get(name) == "any" and not isinstance(kind, DecimalType):
        return str(STRING)  # it is only tested for NULL, or for being the same as another
    if name in inferred and isinstance(kind, DecimalType):
        return "double" if fractions else "bigint"
    return "timestamp" if kind in (DATE, TIMESTAMP) and name in inferred else str(kind)


def _columns(sql: str) -> set[str]:
    """The columns that a condition names, also where it does not depend on them: `note = NULL OR n > 3`."""
    from sqlglot import exp, parse_one  # noqa: PLC0415  # only for a proposal

    return {column.name for column in parse_one(sql).find_all(exp.Column)}


def _fractions(rules: list[Rule]) -> bool:
    from sqlglot import exp, parse_one  # noqa: PLC0415  # only for a proposal

    constants = (node for rule in rules for node in parse_one(rule.sql).find_all(exp.Literal))
    return any(not node.is_string and not node.name.isdigit() for node in constants)


def _filter(rule: Rule, predicate: Predicate) -> dict[str, Any]:
    """A filter as a catalog has it."""
    places, parts = (
        list(
            dict.fromkeys(
                f"{item.place.path}:{item.place.line}" for item in rule.conditions if item.whole == whole
            )
        )
        for whole in (True, False)
    )
    told = " ".join(describe(predicate.surface).split())[:_MOST_DESCRIBED]
    entry: dict[str, Any] = {"description": say.described(told, places, parts, writes=rule.writes)}
    owners = [condition.owner for condition in rule.conditions if condition.owner]
    if owners:
        entry["owner"] = Counter(owners).most_common(1)[0][0]
    entry["sql"] = rule.sql
    if rule.conditions[0].params:
        entry["params"] = dict(rule.conditions[0].params)
    if rule.accepts:
        entry["on_unknown"] = "accept"
    tests = [_test(predicate, wanted) for wanted in (True, False)]
    if any(tests):
        entry["tests"] = [test for test in tests if test]
    return entry


def _test(predicate: Predicate, wanted: bool) -> dict[str, Any]:
    """A test with a row that the solver found; empty if there is none that YAML can hold."""
    node = with_defaults(predicate.node)
    _, witness = example(node, wanted, _EFFORT)
    if witness is None:
        return {}
    row = {name: plain(value) for name, value in witness.row.items()}
    try:
        outcome = predicate.evaluate(row)
    except (PredicatError, ValueError, TypeError):
        return {}
    return {"row": row, "matches": wanted} if outcome is wanted else {}


def _unused(name: str, names: Iterable[str], longest: int = LONGEST) -> str:
    """A name that is not taken, with a number at its end if need be, and no longer than names may be."""
    candidate, number = name, 1
    while candidate in names:
        number += 1
        end = f"_{number}"
        candidate = name[: longest - len(end)].rstrip("_") + end
    return candidate
