"""Selectors: which filters of a catalog a command works on. The syntax follows dbt.

| selector | what it selects |
|---|---|
| `flights.late`, `late`, `late@2` | a filter, or one of its versions |
| `flights` | all filters of a dataset; a filter of this name is preferred |
| `flights.*`, `*late*` | the filters whose full name fits the pattern |
| `tag:ops`, `owner:*@example.com` | the filters with a tag or an owner |
| `ops-desk`, `subscription:ops-*` | the filter of a subscription, unless a filter or dataset has the name |
| `language:cel`, `reads:dep_delay` | by the language of the latest version, by a field that it reads |
| `state:changed`, `state:new`, `state:deprecated` | by difference from the base, by deprecation |
| `+name`, `name+`, `1+name+2` | also the filters it refers to, or that refer to it; a number limits steps |
| `tag:ops,flights.*` | the filters that match all of these selectors |

Several selectors select the filters that match at least one of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from msgspec import Struct, field

from predicat.catalog.model import Catalog, DatasetHead, Filter, WrittenFilter, subscribed
from predicat.catalog.versions import version_number
from predicat.diagnostics import NOWHERE, PredicatError
from predicat.diagnostics.messages import references
from predicat.diagnostics.messages import selection as say

STATES = ("changed", "new", "deprecated")
_TERM = re.compile(
    r"(?:(?P<up>[0-9]{0,4})(?P<above>\+))?(?P<body>.*?)(?:(?P<below>\+)(?P<down>[0-9]{0,4}))?\Z", re.DOTALL
)
_METHOD = re.compile(r"([A-Za-z_]+):(.*)\Z", re.DOTALL)

# The names of new filters and of changed ones, by state; asked for at most once.
States = Callable[[], Mapping[str, Collection[str]]]


class Selected(Struct, frozen=True):
    """A selected filter. `number` is the version in the selector, or else the latest."""

    name: str
    number: int


class Filters(Struct, frozen=True):
    """The filters that selectors select from.

    Attributes:
        written: The filters as written in their files, by `dataset.filter`.
        checked: Returns the filters without problems. The fields and references of others are not known.
        states: The filters that differ from the base, by state.
        datasets: The datasets, whose subscriptions can be named too.
    """

    written: Mapping[str, WrittenFilter]
    checked: Callable[[], Mapping[str, Filter]]
    states: States
    datasets: Iterable[DatasetHead] = ()
    _memo: dict[str, Mapping[str, Collection[str]]] = field(
        default_factory=dict[str, Mapping[str, Collection[str]]]
    )

    def references(self) -> Mapping[str, Collection[str]]:
        """The filters that each filter refers to, in any of its versions."""
        if "references" not in self._memo:
            self._memo["references"] = {
                name: {
                    other.partition("@")[0]
                    for version in row.versions.values()
                    for other in version.references
                }
                for name, row in self.checked().items()
            }
        return self._memo["references"]

    def users(self) -> Mapping[str, Collection[str]]:
        """The filters that refer to each filter."""
        if "users" not in self._memo:
            users: dict[str, set[str]] = {}
            for name, others in self.references().items():
                for other in others:
                    users.setdefault(other, set()).add(name)
            self._memo["users"] = users
        return self._memo["users"]

    def in_state(self, state: str) -> Collection[str]:
        """The filters in a state."""
        if state == "deprecated":
            return [
                name for name, filter_ in self.written.items() if filter_.versions[filter_.latest].deprecated
            ]
        if "states" not in self._memo:
            self._memo["states"] = self.states()
        return self._memo["states"][state]


def of_catalog(catalog: Catalog, states: States) -> Filters:
    """The filters of a loaded catalog."""
    return Filters(catalog.known, lambda: catalog.known, states, catalog.datasets.values())


def select(filters: Filters, selectors: Sequence[str], exclude: Sequence[str] = ()) -> list[Selected]:
    """The selected filters, in the order of the catalog; all filters if there are no selectors.

    Args:
        filters: The filters to select from.
        selectors: Selectors, see the head of this module.
        exclude: Selectors of filters to leave out.

    Raises:
        PredicatError: A selector is not valid, or refers to something that the catalog does not have. States
            and selectors joined by commas may select nothing.
    """
    chosen: dict[str, set[int]] = {}
    if not selectors:
        chosen = {name: {filter_.latest} for name, filter_ in filters.written.items()}
    for selector in selectors:
        for name, numbers in _joined(filters, selector).items():
            chosen.setdefault(name, set()).update(numbers)
    left_out = {name for selector in exclude for name in _joined(filters, selector)}
    return [
        Selected(name, number)
        for name in filters.written
        if name in chosen and name not in left_out
        for number in sorted(chosen[name])
    ]


def is_plain(selectors: Sequence[str]) -> bool:
    """Whether the selectors are a single name, so that the output needs no headings."""
    return len(selectors) == 1 and not set(selectors[0]) & set("*?[+:,")


def _joined(filters: Filters, selector: str) -> dict[str, set[int]]:
    """The filters that match all selectors between commas."""
    parts = [_term(filters, part.strip()) for part in selector.split(",")]
    return {
        name: set.intersection(*(part[name] for part in parts)) or {filters.written[name].latest}
        for name in parts[0]
        if all(name in part for part in parts)
    }


def _term(filters: Filters, text: str) -> dict[str, set[int]]:
    match = _TERM.match(text)
    if match is None or not match["body"]:
        raise PredicatError.of(say.bad_selector(text))
    result = _body(filters, match["body"])
    for sign, steps, edges in (
        (match["above"], match["up"], filters.references),
        (match["below"], match["down"], filters.users),
    ):
        if sign:
            reached = _reached(list(result), edges(), int(steps) if steps else None)
            more = {name: {filters.written[name].latest} for name in reached if name in filters.written}
            result = {**more, **result}
    return result


def _reached(start: Iterable[str], edges: Mapping[str, Collection[str]], steps: int | None) -> set[str]:
    """The filters that are reached along edges in at most `steps` steps (None: any number), with
    the start.
    """
    seen, front = set(start), list(start)
    while front and steps != 0:
        front = [
            other for other in {other for name in front for other in edges.get(name, ())} if other not in seen
        ]
        seen.update(front)
        steps = None if steps is None else steps - 1
    return seen


def _body(filters: Filters, text: str) -> dict[str, set[int]]:
    method = _METHOD.match(text)
    if method is None or text in subscribed(filters.datasets):
        return _named(filters, text)
    kind, value = method.groups()
    if kind not in METHODS:
        raise PredicatError.of(say.no_method(kind, text, METHODS))
    return _numbered(filters, METHODS[kind](filters, value))


def _numbered(filters: Filters, names: Iterable[str]) -> dict[str, set[int]]:
    """The filters of names, with the versions in the names, or else the latest."""
    result: dict[str, set[int]] = {}
    for name in names:
        base, _, version = name.partition("@")
        row = filters.written.get(base)
        if row is not None:
            result.setdefault(base, set()).add(version_number(version) or row.latest)
    return result


def _named(filters: Filters, text: str) -> dict[str, set[int]]:
    """The filters of a name or a pattern."""
    if set(text) & set("*?["):
        names = [name for name in filters.written if fnmatchcase(name, text)]
        if not names:
            raise PredicatError.of(references.unknown_filter(NOWHERE, text, filters.written))
        return {name: {filters.written[name].latest} for name in names}
    base, _, version = text.partition("@")
    rows = [filters.written[base]] if base in filters.written else _short(filters, base)
    if not rows and not version:
        rows = [row for row in filters.written.values() if row.dataset == base]
    if not rows and not version and (asked := _subscribed(filters, base)):
        return _numbered(filters, asked)
    if not rows:
        every = filters.written.values()
        known = dict.fromkeys(
            (
                *filters.written,
                *(row.name for row in every),
                *(row.dataset for row in every),
                *subscribed(filters.datasets),
            )
        )
        raise PredicatError.of(references.unknown_filter(NOWHERE, base, known))
    if not version:
        return {row.qualified: {row.latest} for row in rows}
    number = version_number(version)
    if number is None or number not in rows[0].versions:
        versions = map(str, rows[0].versions)
        raise PredicatError.of(references.unknown_version(NOWHERE, rows[0].qualified, version, versions))
    return {rows[0].qualified: {number}}


def _short(filters: Filters, name: str) -> list[WrittenFilter]:
    """The filter of a name without its dataset."""
    rows = [row for row in filters.written.values() if row.name == name]
    _of_one_dataset(name, [row.qualified for row in rows])
    return rows


def _subscribed(filters: Filters, name: str) -> list[str]:
    """The filter of the subscription of a name."""
    subscriptions = subscribed(filters.datasets).get(name, [])
    _of_one_dataset(name, [whole for whole, _ in subscriptions])
    return [asked for _, asked in subscriptions]


def _of_one_dataset(name: str, names: Sequence[str]) -> None:
    from predicat.diagnostics.messages import catalog as of_catalog_files  # noqa: PLC0415  # only for a mistake

    if len(names) > 1:
        raise PredicatError.of(of_catalog_files.several_datasets(name, " and ".join(names)))


def _subscriptions(filters: Filters, pattern: str) -> Iterable[str]:
    known = subscribed(filters.datasets)
    names = [asked for name, rows in known.items() if fnmatchcase(name, pattern) for _, asked in rows]
    if not names:
        raise PredicatError.of(say.no_subscription(pattern, known))
    return names


def _by(
    values: Callable[[WrittenFilter], Iterable[str]], what: str
) -> Callable[[Filters, str], Iterable[str]]:
    """A method that compares a pattern with values of each filter. A value that no filter has is an error."""

    def method(filters: Filters, pattern: str) -> Iterable[str]:
        names = [
            name
            for name, filter_ in filters.written.items()
            if any(fnmatchcase(one, pattern) for one in values(filter_))
        ]
        if not names:
            known = dict.fromkeys(
                one for filter_ in filters.written.values() for one in values(filter_) if one
            )
            raise PredicatError.of(say.nobody_has(what, pattern, known))
        return names

    return method


def _reads(filters: Filters, pattern: str) -> Iterable[str]:
    fields = {name: row.current.predicate.fields for name, row in filters.checked().items()}
    names = [name for name, known in fields.items() if any(fnmatchcase(one, pattern) for one in known)]
    if not names:
        every = dict.fromkeys(one for known in fields.values() for one in known)
        raise PredicatError.of(say.nobody_has(say.FIELD, pattern, every))
    return names


def _state(filters: Filters, state: str) -> Iterable[str]:
    if state not in STATES:
        raise PredicatError.of(say.no_state(state, STATES))
    return filters.in_state(state)


# What may stand before a colon. Each gives the names of the filters that have the value behind it, some with
# a version.
METHODS: Mapping[str, Callable[[Filters, str], Iterable[str]]] = {
    "tag": _by(lambda row: row.tags, say.TAG),
    "owner": _by(lambda row: [row.owner], say.OWNER),
    "language": _by(lambda row: [row.versions[row.latest].language], say.LANGUAGE),
    "reads": _reads,
    "state": _state,
    "subscription": _subscriptions,
}
