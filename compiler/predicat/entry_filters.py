"""Entry filters: Python classes that decide which rows a subscription gets, after a native filter.

A filter of the catalog with a `python:` body names one class or a chain of them. This module has the
protocol of such a class, finds and runs it, and lists what is installed. Source: Pulsar PIP-105, pluggable
entry filter in dispatcher.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from msgspec import Struct

from predicat.backends.sql.shown import MASK
from predicat.catalog.model import Catalog, Filter
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import entries as say
from predicat.ir.nodes import TRUE, Call, Node, code_of, params_of, reads_now
from predicat.ir.types import BOOLEAN
from predicat.rewrite.simplify import simplify
from predicat.rewrite.substitute import with_defaults
from predicat.semantics import clock
from predicat.semantics.closures import NONE
from predicat.semantics.evaluate import compile_node

# The group of entry points that providers register their classes in.
GROUP = "predicat.entry_filters"
_LOG = logging.getLogger(GROUP)


class FilterResult(StrEnum):
    """The decision of an entry filter about a row."""

    ACCEPT = "ACCEPT"
    """Deliver it."""
    REJECT = "REJECT"
    """Skip it."""
    RESCHEDULE = "RESCHEDULE"
    """Not now: offer it again later."""


class Outcome(StrEnum):
    """The result for a row: a FilterResult, or UNKNOWN if a class raised an error."""

    ACCEPT = "ACCEPT"
    REJECT = "REJECT"
    RESCHEDULE = "RESCHEDULE"
    UNKNOWN = "UNKNOWN"


class FilterContext(Struct, frozen=True):
    """What an entry filter gets in addition to the row.

    Attributes:
        subscription: The name of the subscription; an empty string if there is none.
        properties: The properties of the subscription. They never change once it is released.
        consumer: What the caller passes about the consumer, such as its name.
        message: The metadata of the message: the columns of the row that are not fields of the dataset,
            such as `topic`, `partition` and `offset`.
        tries: How often the filter got the row, including this time: more than 1 after RESCHEDULE in a job.
    """

    subscription: str
    properties: Mapping[str, str]
    consumer: Mapping[str, str]
    message: Mapping[str, Any]
    tries: int = 1


class EntryFilter(Protocol):
    """A class that decides which rows are delivered. It is made without arguments, once per run or task."""

    def filter_entry(self, entry: Mapping[str, Any], context: FilterContext) -> FilterResult:
        """Decide on a row. An error counts as UNKNOWN for this row.

        Args:
            entry: The row: the fields of the dataset and their values; None is an absent value.
            context: The subscription, the consumer and the metadata of the message.
        """
        ...

    def close(self) -> None:
        """Let go of what the filter holds. It is not asked again."""
        ...


class Provider(NamedTuple):
    """An entry filter that an installed distribution offers."""

    name: str
    target: str
    distribution: str


class Plan(Struct, frozen=True):
    """An entry filter of the catalog that is ready to run. It can be sent to another process.

    Attributes:
        name: The filter, as `dataset.filter@version`.
        native: The native condition that removes most rows first, without parameters.
        classes: The names of the chain.
        tolerant: Whether UNKNOWN accepts a row (`on_unknown: accept`).
        fields: The fields of the dataset.
        key: The fields that identify a row in the log.
        subscription: The name of the subscription; empty if there is none.
        properties: The properties of the subscription.
        consumer: What the context has about the consumer.
        hidden: The sensitive fields. With any, texts of errors are not shown.
    """

    name: str
    native: Node
    classes: tuple[str, ...]
    tolerant: bool
    fields: tuple[str, ...]
    key: tuple[str, ...]
    subscription: str
    properties: Mapping[str, str]
    consumer: Mapping[str, str]
    hidden: frozenset[str] = frozenset()


def plan(
    catalog: Catalog, name: str, *, subscription: str = "", consumer: Mapping[str, str] | None = None
) -> Plan:
    """Prepare to run an entry filter. Nothing is imported yet.

    Args:
        catalog: The catalog.
        name: The filter, as `dataset.filter` or `dataset.filter@version`.
        subscription: A subscription of its dataset. The context has its properties. Default: none.
        consumer: What the context has about the consumer. Default: nothing.

    Raises:
        PredicatError: There is no such filter or subscription, or the filter has no `python:` body.
    """
    filter_, version = catalog.find(name)
    node = with_defaults(filter_.versions[version].predicate.node)
    return plan_of(catalog, filter_, version, node, subscription=subscription, consumer=consumer)


def plan_of(
    catalog: Catalog,
    filter_: Filter,
    version: int,
    node: Node,
    *,
    subscription: str = "",
    consumer: Mapping[str, str] | None = None,
) -> Plan:
    """Like `plan`, for a version and its predicate `node`, whose parameters have values."""
    dataset = catalog.datasets[filter_.dataset]
    label = f"{filter_.qualified}@{version}"
    native, classes = _parts(node)
    if not classes:
        raise PredicatError.of(say.not_an_entry_filter(label))
    for parameter in params_of(native):
        raise PredicatError.of(say.needs_parameter(label, parameter))
    if subscription and subscription not in dataset.subscriptions:
        raise PredicatError.of(say.no_subscription(subscription, dataset.name, dataset.subscriptions))
    properties = dataset.subscriptions[subscription].properties if subscription else {}
    return Plan(
        label,
        simplify(native),
        classes,
        filter_.on_unknown == "accept",
        tuple(dataset.fields),
        dataset.key,
        subscription,
        {str(key): str(value) for key, value in properties.items()},
        dict(consumer or {}),
        frozenset(name for name, decl in dataset.fields.items() if decl.sensitive),
    )


def is_entry_filter(node: Node) -> bool:
    """Whether a predicate runs Python code."""
    return bool(code_of(node))


def _parts(node: Node) -> tuple[Node, tuple[str, ...]]:
    """The native condition and the names of the classes: what `python:` and `after:` say."""
    operands = node.args if isinstance(node, Call) and node.op == "and" else (node,)
    native = [part for part in operands if not code_of(part)]
    if not native:
        return TRUE, tuple(code_of(node))
    return native[0] if len(native) == 1 else Call(BOOLEAN, "and", tuple(native)), tuple(code_of(node))


# --- finding classes


def providers() -> list[Provider]:
    """The entry filters that are installed, by name. None of them is imported."""
    return sorted(
        Provider(point.name, point.value, point.dist.name if point.dist is not None else "")
        for point in entry_points(group=GROUP)
    )


def load(name: str) -> EntryFilter:
    """An entry filter by its dotted name, or by the name of its provider. The code is imported.

    Raises:
        PredicatError: There is no such class, it cannot be created, or it has no method `filter_entry`.
    """
    factory = _class(name)
    try:
        instance: EntryFilter = factory()
    except Exception as error:
        raise PredicatError.of(say.not_loaded(name, f"{type(error).__name__}: {error}")) from error
    if not callable(getattr(instance, "filter_entry", None)):
        raise PredicatError.of(say.no_method(name))
    return instance


def _class(name: str) -> Callable[[], EntryFilter]:
    module, _, attribute = name.rpartition(".")
    try:
        if module:
            return _attribute(module, attribute)
        point = next(iter(entry_points(group=GROUP, name=name)), None)
        if point is not None:
            return _attribute(point.module, point.attr)
    except Exception as error:  # whatever the user's module does when it is imported
        raise PredicatError.of(say.not_loaded(name, f"{type(error).__name__}: {error}")) from error
    raise PredicatError.of(say.no_provider(name, [provider.name for provider in providers()]))


def _attribute(module: str, attribute: str) -> Callable[[], EntryFilter]:
    factory: Callable[[], EntryFilter] = getattr(import_module(module), attribute)
    return factory


# --- running them


Raised = Callable[[str, Mapping[str, Any], Exception], None]


class Chain:
    """The objects of the classes of a plan. Any REJECT rejects the row; otherwise an error is UNKNOWN;
    otherwise any RESCHEDULE reschedules the row; otherwise it is accepted.

    Args:
        plan: The plan.
        raised: A function that is called for each error, with the class and the key of the row. Default: the
            first error of each kind is logged.
    """

    def __init__(self, plan: Plan, raised: Raised | None = None) -> None:
        self.plan = plan
        self._raised = raised or self._log
        self._filters = [(name, load(name)) for name in plan.classes]
        self._logged: set[tuple[str, str]] = set()
        self._properties = MappingProxyType(dict(plan.properties))
        self._consumer = MappingProxyType(dict(plan.consumer))

    def outcome(self, entry: Mapping[str, Any], message: Mapping[str, Any], tries: int = 1) -> Outcome:
        """What the classes say of a row that the native filter accepts; `tries` is as in the context."""
        context = FilterContext(self.plan.subscription, self._properties, self._consumer, message, tries)
        outcome = Outcome.ACCEPT
        for name, entry_filter in self._filters:
            try:
                result = entry_filter.filter_entry(entry, context)
                if (
                    type(result) is not FilterResult
                ):  # a text of the same name counts, anything else is an error
                    result = FilterResult(result)
            except Exception as error:  # noqa: BLE001  # whatever the user's code raises
                self._raised(name, self._key(entry, message), self._seen(error))
                outcome = Outcome.UNKNOWN
                continue
            if result is FilterResult.REJECT:
                return Outcome.REJECT
            if result is FilterResult.RESCHEDULE and outcome is Outcome.ACCEPT:
                outcome = Outcome.RESCHEDULE
        return outcome

    def accepts(self, outcome: Outcome) -> bool:
        """Whether a row of this outcome is delivered now."""
        return outcome is Outcome.ACCEPT or (outcome is Outcome.UNKNOWN and self.plan.tolerant)

    def close(self) -> None:
        """Close every class; an error is logged."""
        for name, entry_filter in self._filters:
            try:
                entry_filter.close()
            except Exception:  # noqa: BLE001  # whatever the user's code raises
                _LOG.exception("close of %s", name)

    def _log(self, name: str, key: Mapping[str, Any], error: Exception) -> None:
        kind = name, type(error).__name__
        if kind in self._logged:
            return
        self._logged.add(kind)
        _LOG.warning(say.raised(name, key, error), exc_info=error)

    def _key(self, entry: Mapping[str, Any], message: Mapping[str, Any]) -> dict[str, Any]:
        """What names a row: its key, as people see it, or else the metadata of its message."""
        if not self.plan.key:
            return dict(message)
        return {name: MASK if name in self.plan.hidden else entry.get(name) for name in self.plan.key}

    def _seen(self, error: Exception) -> Exception:
        """An error as people see it: its text may quote a sensitive value."""
        return type(type(error).__name__, (Exception,), {})(MASK) if self.plan.hidden else error


class Runner:
    """An entry filter with its native filter, for one row at a time in Python."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._native = compile_node(chain.plan.native)
        self._timed = reads_now(chain.plan.native)

    def outcome(
        self, row: Mapping[str, Any], message: Mapping[str, Any] | None = None, now: Any = None
    ) -> Outcome:
        """What becomes of a row: REJECT unless the native filter accepts it, else what the classes say.

        Args:
            row: The fields of the dataset, as for `Predicate.evaluate`.
            message: The metadata of the message. Default: nothing.
            now: The current time of the native filter, as for `Predicate.evaluate`. Default: the clock.

        Raises:
            PredicatError: A value does not fit the declared type of its field, or `now` is no moment.
        """
        if self._native(row, NONE, clock.reading(now) if self._timed else NONE) is not True:
            return Outcome.REJECT
        return self._chain.outcome(row, MappingProxyType(dict(message or {})))

    def accepts(self, row: Mapping[str, Any], message: Mapping[str, Any] | None = None) -> bool:
        """Whether a row is delivered now. UNKNOWN is delivered only with `on_unknown: accept`."""
        return self._chain.accepts(self.outcome(row, message))


@contextmanager
def opened(
    catalog: Catalog, name: str, *, subscription: str = "", consumer: Mapping[str, str] | None = None
) -> Iterator[Runner]:
    """Run an entry filter in Python; its classes are imported and made, and closed at the end.

    Args and errors are those of `plan`, and of `load`.
    """
    chain = Chain(plan(catalog, name, subscription=subscription, consumer=consumer))
    try:
        yield Runner(chain)
    finally:
        chain.close()
