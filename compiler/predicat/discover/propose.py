"""A catalog out of the conditions that were found: a dataset for each relation, a filter for each rule."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from predicat.catalog.files import catalog_files
from predicat.diagnostics import Reporter
from predicat.diagnostics.messages import discover as say
from predicat.diagnostics.writing import write_text
from predicat.discover.conditions import POLICIES, Condition
from predicat.discover.drafts import Ask, draft, unused
from predicat.discover.passing import fitting
from predicat.discover.read.residues import PARAMETER
from predicat.discover.real_rows import RealRows
from predicat.discover.rules import Rule
from predicat.discover.verdicts import Judged
from predicat.importing.model import slug

# Filters of a dataset: those in most places come first.
_MAX_FILTERS = 60
# The tables in which a database describes itself.
_OF_SERVER = re.compile(r"(?:^|\.)(?:(?:information_schema|pg_catalog)\.|__tables)")
# A column, and a constant.
_NAME = re.compile(r"[\w.\"]+")
_CONSTANT = re.compile(r"'(?:[^']|'')*'|-?[\d.]+")
_NAMED = re.compile(r"^dataset:\s*['\"]?(\w+)", re.MULTILINE)


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
    """What was proposed: the text of each file, the rules by the names of their filters, the attributes of
    sessions that they read, and why rules were left out.
    """

    files: dict[str, str] = field(default_factory=dict[str, str])
    filters: dict[str, Rule] = field(default_factory=dict[str, Rule])
    attributes: set[str] = field(default_factory=set[str])
    left: Counter[str] = field(default_factory=Counter[str])


def propose(
    conditions: Sequence[Condition],
    judged: Judged,
    ask: Ask | None = None,
    choose: Choose | None = None,
    min_places: int = 1,
    data: RealRows | None = None,
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
        data: Where rows for tests are. Default: they are made up.
    """
    result = Proposal()
    by_relation = _by_relation(conditions, judged, min_places, result.left)
    if choose is not None:
        by_relation = _chosen(by_relation, conditions, judged, choose, result.left)
    for relation, rules in by_relation.items():
        dataset = _name(relation, result.files)
        made = draft(dataset, relation, rules, ask, result.attributes, result.left, data)
        if made is not None:
            result.files[dataset] = made.text
            result.filters |= {f"{dataset}.{name}": rule for name, rule in made.rules.items()}
            result.attributes |= made.attributes
    return result


def _name(relation: str, names: Collection[str]) -> str:
    """The name of a dataset: that of its table, with the schema if another one has the table."""
    parts = relation.split(".")
    tried = [slug(parts[-1], "dataset"), slug("_".join(parts[-2:]), "dataset")]
    return next((name for name in tried if name not in names), unused(tried[0], names))


def write(proposal: Proposal, folder: Path) -> tuple[list[Path], list[Path]]:
    """Write the files of datasets that the folder does not have yet. Returns the files that were written, and
    those that were there.
    """
    known = _datasets_in(folder)
    paths = {name: known.get(name, folder / f"{name}.yml") for name in proposal.files}
    there = [path for path in paths.values() if path.exists() or path.is_symlink()]
    new = {path: proposal.files[name] for name, path in paths.items() if path not in there}
    passed = fitting(new, folder, proposal.left)
    for path, text in passed.items():
        write_text(path, text)
    return list(passed), there


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
    lookups = _lookups(conditions)
    leaders = {number: numbers[0] for numbers in judged.same for number in numbers}
    rules: dict[tuple[str, object, bool, bool], Rule] = {}
    for number, condition in enumerate(conditions):
        reason = say.LOOKUP if number in lookups else _unfit(condition, number, judged, dead)
        if reason:
            left[reason] += 1
            continue
        relation = _known_part(str(condition.relation).lower())
        key = (relation, leaders.get(number, condition.sql), condition.accepts, condition.writes)
        rules.setdefault(key, Rule(condition.sql, [])).conditions.append(condition)
    result: dict[str, list[Rule]] = {}
    for (relation, *_), rule in rules.items():
        rule.sql = rule.plainest()
        if rule.is_bare and not rule.declared:
            left[say.BARE] += len(rule.conditions)
        elif rule.is_one_off:
            left[say.ONE_OFF] += len(rule.conditions)
        elif rule.declared or (rule.files if rule.is_comparison else rule.places) >= min_places:
            result.setdefault(relation, []).append(rule)
        else:
            few = say.few_files if rule.places >= min_places else say.few_places
            left[few(min_places)] += len(rule.conditions)
    for relation, of_relation in result.items():
        of_relation.sort(key=lambda rule: -len(rule.conditions))
        if len(of_relation) > _MAX_FILTERS:
            left[say.TOO_MANY] += len(of_relation) - _MAX_FILTERS
            result[relation] = of_relation[:_MAX_FILTERS]
    return result


def _known_part(relation: str) -> str:
    """The name of a relation without the schema that a program puts in."""
    schema, _, table = relation.rpartition(".")
    return table if PARAMETER in schema or "@" in schema or not schema else relation


def _lookups(conditions: Sequence[Condition]) -> set[int]:
    """The conditions by which a CASE looks up a value: several branches compare a column with a constant."""
    found: dict[tuple[str, int, str], list[int]] = {}
    for number, condition in enumerate(conditions):
        column, _, constant = condition.sql.partition(" = ")
        if condition.branches is not None and _NAME.fullmatch(column) and _CONSTANT.fullmatch(constant):
            key = condition.place.path, condition.branches[0], column
            found.setdefault(key, []).append(number)
    return {number for numbers in found.values() if len(numbers) > 1 for number in numbers}


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
    if condition.derived or condition.relation is None or PARAMETER in _known_part(condition.relation):
        return say.NO_RELATION
    if _OF_SERVER.search(condition.relation.lower()):
        return say.OF_SERVER
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
