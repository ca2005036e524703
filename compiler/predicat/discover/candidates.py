"""Which rules are worth a comparison: an index over their tests, so that not all pairs are looked at.

Two rules are near if they have all tests but one in common, and the tests that differ are of one place: other
values of one field, another bound, or a test for NULL that only one of them has. Two rules may be the same if
they read the same fields and no row tells them apart.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from msgspec import Struct, structs

from predicat.diagnostics.messages import verdicts as say
from predicat.discover.one_off import has_run, is_replaced, without_version
from predicat.discover.profile import Atom, Profile, is_distinctive

# A rule with more tests is compared with those only that say the same.
MOST_TESTS = 30
# Up to this number of rules with all tests but one in common, all pairs are compared.
_MOST_NEAR = 40
# The operators of a bound.
_ORDER = re.compile("[<>=]+")
# A column that says when something happened, or whether it did.
_MOMENT = re.compile(r"^(?!not ).*(?:_(?:at|on|date|time|ts|until)|ed)\W*\Z", re.IGNORECASE)
# Values that one list has and the other has not, at most.
_MOST_DIFFERENT = 3
# Tests, or values of a list, that two rules have in common, at least, unless something else tells that they
# are about one thing.
_SHARED = 2
# Tests and values of a list that two rules have in common, at least, if one is likely a copy of the other.
_COPIED = 5


class Rule(Struct, frozen=True):
    """A rule: its number, its profile, the relations and files that it is found in, whether it is only found
    in branches of CASE and in FILTER, which are made to differ, whether it is about rows that are
    written, whether its clause has more everywhere, and whether it names single rows in what runs once.
    """

    number: int
    profile: Profile
    relations: frozenset[str]
    files: frozenset[str] = frozenset()
    branch: bool = False
    writes: bool = False
    part: bool = False
    one_off: bool = False


class Candidate(Struct, frozen=True):
    """Two rules to compare, in what they differ, and whether that is often meant."""

    left: int
    right: int
    difference: str
    message: str
    meant: bool = False


def near(rules: Sequence[Rule]) -> Iterator[Candidate]:
    """Pairs of rules that have all tests but one in common. A test that a rule lacks may be in the rest of
    its clause, which is not read, or be made up for there: of a part nothing is said to be missing.
    """
    chosen = [rule for rule in rules if len(rule.profile.atoms) <= MOST_TESTS and not rule.profile.queries]
    chosen = [rule for rule in chosen if not rule.one_off]
    by_tests: dict[tuple[str, ...], Rule] = {_texts(rule): rule for rule in chosen}
    alone = {
        named
        for rule in rules
        for atom in rule.profile.atoms
        if len(atom.values) == 1
        for named in _named(rule, atom)
    }
    buckets: dict[tuple[tuple[str, ...], str, str], list[tuple[Rule, Atom]]] = {}
    for rule in chosen:
        for at, atom in enumerate(rule.profile.atoms):
            rest = _texts(rule)[:at] + _texts(rule)[at + 1 :]
            if atom.test == "null":
                other = by_tests.get(rest)
                if other is not None and _may_lack(other) and _comparable(rule, other, len(rest)):
                    # That `deleted_at` is NULL is a state; that another value is there or not, a choice.
                    meant = not _MOMENT.search(atom.place) or _are_apart(other, rule)
                    difference = say.ONE_NULL_TEST, say.only_second(atom.shown)
                    yield Candidate(other.number, rule.number, *difference, meant=meant)
            elif atom.test:
                buckets.setdefault((rest, atom.test, atom.place), []).append((rule, atom))
    for (rest, *_), members in buckets.items():
        for (one, first), (other, second) in combinations(members[:_MOST_NEAR], 2):
            candidate = _difference(first, second, len(rest))
            if candidate is not None and _comparable(
                one, other, len(rest), distinctive=_distinctive(one, first, second)
            ):
                meant = _is_chosen(first, second, len(rest)) or _are_apart(one, other)
                more = (one, first, second), (other, second, first)
                meant = meant or all(_is_taken(alone, *side) for side in more)
                yield Candidate(one.number, other.number, *candidate, meant=meant)


def _is_chosen(first: Atom, second: Atom, shared: int) -> bool:
    """Whether what differs is chosen, not forgotten: another bound, one value of a list, or a short list, as
    of the events that a step looks at. A bound that is in one rule and out of the other is a mistake.
    """
    if first.test == "values":
        common = len(set(first.values) & set(second.values))
        return 1 in (len(first.values), len(second.values)) or common + shared < _COPIED
    return len({_ORDER.sub("", atom.shown) for atom in (first, second)}) > 1


def _are_apart(one: Rule, other: Rule) -> bool:
    """Whether a difference can be no mistake or is past: between relations, in programs that have run, with
    one that was replaced, or between versions of one file.
    """
    files = one.files, other.files
    return (
        not one.relations & other.relations
        or all(map(has_run, one.files | other.files))
        or any(all(map(is_replaced, own)) for own in files)
        or (
            one.files.isdisjoint(other.files)
            and len({frozenset(map(without_version, own)) for own in files}) == 1
        )
    )


def _named(rule: Rule, atom: Atom) -> Iterator[tuple[str, str, str]]:
    """The values that a rule has of a place, with its files."""
    place = atom.place.removeprefix("not ")
    return ((file, place, value) for file in rule.files for value in atom.values)


def _is_taken(alone: Collection[tuple[str, str, str]], rule: Rule, mine: Atom, other: Atom) -> bool:
    """Whether the values that only one of two lists has are each tested alone in its files: it selects what
    it tells apart.
    """
    only = structs.replace(mine, values=tuple(set(mine.values) - set(other.values)))
    return mine.test == "values" and all(named in alone for named in _named(rule, only))


def _may_lack(rule: Rule) -> bool:
    """Whether a rule is a whole clause and has a test with constants: other tests are of keys and dates,
    which most rules have.
    """
    return not rule.part and any(atom.values or atom.test == "bound" for atom in rule.profile.atoms)


def _texts(rule: Rule) -> tuple[str, ...]:
    return tuple(atom.text for atom in rule.profile.atoms)


def _comparable(one: Rule, other: Rule, shared: int, *, distinctive: bool = False) -> bool:
    """Whether two rules are about the same thing, as far as anything tells: they have several tests in
    common, or a constant that nobody writes by chance, or one relation and different files. In one file rules
    that are nearly the same are made to differ.
    """
    if ((one.branch or other.branch) and one.files & other.files) or one.writes != other.writes:
        return False
    if shared >= _SHARED:
        return True
    related = distinctive or bool(one.relations & other.relations)
    return related and one.files != other.files and not (one.branch and other.branch)


def _distinctive(rule: Rule, mine: Atom, other: Atom) -> bool:
    """Whether what two rules have in common, but for a test of each, has a distinctive constant."""
    shared = any(atom.distinctive for atom in rule.profile.atoms if atom != mine)
    return shared or any(map(is_distinctive, set(mine.values) & set(other.values)))


def _difference(first: Atom, second: Atom, shared: int) -> tuple[str, str] | None:
    """In what two tests of one place differ; None where one is no variant of the other."""
    if first.test == "bound":
        return (say.ONE_BOUND, say.two_tests(first.shown, second.shown)) if shared else None
    mine, theirs = set(first.values), set(second.values)
    common, different = mine & theirs, mine ^ theirs
    if not common or len(different) > min(len(common), _MOST_DIFFERENT):
        return None
    if len(common) < _SHARED and shared < _SHARED:
        return None
    only = [value for value in first.values if value not in theirs]
    added = [value for value in second.values if value not in mine]
    return say.ONE_VALUE if len(different) == 1 else say.SOME_VALUES, say.values(only, added)
