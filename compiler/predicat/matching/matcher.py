"""Which filters of a dataset accept a row."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from predicat.api import KeyCheck, Predicate, row_of
from predicat.catalog.model import Catalog, Dataset
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import matching as say
from predicat.ir.nodes import Node, code_of, params_of
from predicat.matching.index import Index
from predicat.rewrite.simplify import simplify
from predicat.rewrite.substitute import with_defaults
from predicat.semantics import clock
from predicat.semantics.closures import NONE


class Entry(NamedTuple):
    """A predicate and the name to return if it accepts a row. `tolerant`: it accepts UNKNOWN rows as well."""

    name: str
    predicate: Predicate
    tolerant: bool = False


class Matcher:
    """Finds the names of all filters that accept a row. The result is the same as evaluating each filter; an
    index makes it fast.

    A filter accepts a row if its predicate is TRUE, or if it is UNKNOWN and the filter has
    `on_unknown: accept`. Parameters have their defaults. A matcher is immutable: make a new one when the
    catalog changes. Several threads may use it at once.

    Args:
        catalog: A catalog, as `load_catalog` returns it.
        dataset: The name of one of its datasets.
        names: The filters to match, as `late` or, for a version, `late@1`. Default: the latest version of
            every filter.
        tag: Only filters with this tag.
        subscriptions: Match the subscriptions of the dataset instead; `names` and `tag` are those of their
            filters.

    Attributes:
        names: The names that may be found, sorted. The id of a name is its position here.
        left_out: The filters that cannot be matched, each with the reason: a parameter without a default, or
            Python code (an entry filter). It is an error to name them in the argument `names`.

    Raises:
        PredicatError: There is no such dataset or filter.

    Example:
        >>> import predicat
        >>> fields = {"dep_delay": "double", "carrier": "string"}
        >>> late = predicat.parse("dep_delay > 60", "sql", fields)
        >>> united = predicat.parse("carrier = 'UA'", "sql", fields)
        >>> matcher = predicat.Matcher.of({"late": late, "united": united})
        >>> matcher.match({"carrier": "UA", "dep_delay": 90.0})
        ['late', 'united']
    """

    names: tuple[str, ...]
    left_out: Mapping[str, str]

    def __init__(
        self,
        catalog: Catalog,
        dataset: str,
        *,
        names: Collection[str] | None = None,
        tag: str | None = None,
        subscriptions: bool = False,
    ) -> None:
        dataset_ = catalog.datasets.get(dataset)
        if dataset_ is None:
            raise PredicatError.of(say.no_dataset(dataset, catalog.datasets))
        entries = list(_chosen(catalog, dataset_, names, tag))
        if subscriptions:
            entries = list(_subscribed(catalog, dataset_, entries, latest=names is None))
        self._build(entries, strict=names is not None)

    @classmethod
    def of(cls, predicates: Mapping[str, Predicate], *, accept_unknown: Collection[str] = ()) -> Matcher:
        """A matcher of predicates outside a catalog.

        Args:
            predicates: The predicates by name.
            accept_unknown: The names of the predicates that accept UNKNOWN rows.
        """
        matcher = cls.__new__(cls)
        matcher._build(  # noqa: SLF001  # of its own class
            [Entry(name, predicate, name in accept_unknown) for name, predicate in predicates.items()],
            strict=False,
        )
        return matcher

    def match(self, row: Mapping[str, Any], now: Any = None) -> list[str]:
        """The names of the filters that accept a row, sorted.

        Args:
            row: Field names and Python values, as for `Predicate.evaluate`.
            now: The current time for the filters that read it, as for `Predicate.evaluate`. Default: the
                clock, read once per row.

        Raises:
            PredicatError: A value does not fit the declared type of its field, or `now` is not within the
                years 1970 to 2999.

        Warns:
            UnknownKeyWarning: The row has no key for a field that a filter reads, but has a key with a
                similar name.
        """
        return [self.names[number] for number in self._found(row, now)]

    def match_ids(self, row: Mapping[str, Any], now: Any = None) -> list[int]:
        """Like `match`, but returns ids: positions in `names`."""
        return self._found(row, now)

    def count(self, row: Mapping[str, Any], now: Any = None) -> int:
        """How many filters accept a row."""
        return len(self._found(row, now))

    def _found(self, row: Mapping[str, Any], now: Any) -> list[int]:
        """The ids. Only public methods call it: warnings point to the caller of those (the stack level)."""
        row = row if type(row) is dict else row_of(row)
        self._keys.check(row, stacklevel=4)
        numbers = self._index.accepting(row, clock.reading(now) if self._index.timed else NONE)
        return sorted(number for ident in numbers for number in self._numbers[ident])

    def _build(self, entries: list[Entry], *, strict: bool) -> None:
        left_out: dict[str, str] = {}
        known: dict[tuple[Node, bool], list[str]] = {}
        for entry in entries:
            node = with_defaults(entry.predicate.node)
            free = params_of(node)
            if code_of(node):
                left_out[entry.name] = say.RUNS_CODE
            elif free:
                left_out[entry.name] = say.needs_parameter(next(iter(free)))
            else:
                changed = node is not entry.predicate.node
                known.setdefault((simplify(node) if changed else node, entry.tolerant), []).append(entry.name)
        if strict and left_out:
            raise PredicatError([say.left_out(name, reason) for name, reason in left_out.items()])
        self.left_out = left_out
        self.names = tuple(sorted(name for names in known.values() for name in names))
        places = {name: number for number, name in enumerate(self.names)}
        self._numbers = [[places[name] for name in names] for names in known.values()]
        self._index = Index(known)
        self._keys = KeyCheck(node for node, _ in known)


def _chosen(
    catalog: Catalog, dataset: Dataset, names: Collection[str] | None, tag: str | None
) -> Iterator[Entry]:
    """The chosen filters, by the names that the caller gave."""
    for name in dataset.filters if names is None else dict.fromkeys(names):
        filter_, version = catalog.find(name if "." in name else f"{dataset.name}.{name}")
        if filter_.dataset != dataset.name:
            raise PredicatError.of(say.of_another_dataset(name, dataset.name))
        if tag is None or tag in filter_.tags:
            short = name.removeprefix(f"{dataset.name}.")
            yield Entry(short, filter_.versions[version].predicate, filter_.on_unknown == "accept")


def _subscribed(catalog: Catalog, dataset: Dataset, entries: list[Entry], *, latest: bool) -> Iterator[Entry]:
    """The subscriptions to the chosen filters. If all are chosen: the subscriptions to any version."""
    chosen = {entry.name: entry for entry in entries}
    for name, subscription in dataset.subscriptions.items():
        name_ = subscription.filter.removeprefix(f"{dataset.name}.")
        entry = chosen.get(name_)
        if entry is None and latest and name_.partition("@")[0] in chosen:
            filter_, version = catalog.find(f"{dataset.name}.{name_}")
            entry = Entry(name_, filter_.versions[version].predicate, filter_.on_unknown == "accept")
        if entry is not None:
            yield entry._replace(name=name)
