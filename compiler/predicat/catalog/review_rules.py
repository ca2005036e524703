"""How severe a change is: the one table of rules; and what the project file says of reviews."""

from __future__ import annotations

from datetime import date

from msgspec import Struct

from predicat.diagnostics import NOWHERE, Span

# What a change may do to what others rely on, the worst first.
SEVERITIES = ("breaking", "narrower", "wider", "equal")
# What may happen to rows.
GAINED, LOST = "rows gained", "rows lost"
_BOTH = (GAINED, LOST)


class Rule(Struct, frozen=True):
    """A rule about changes: its severity, what may happen to rows, and which entries it is about. An empty
    condition holds for each.

    Attributes:
        code: Its name.
        severity: One of `SEVERITIES`.
        doc: What changed, in a few words.
        effects: What may happen to rows.
        kinds: Kinds of entries (`review.kinds.KINDS`).
        statuses: added, removed or changed.
        verdicts: Verdicts of a proof; `same` if no row is gained or lost.
        levels: Levels of entries.
        approvable: Whether it is no failure any more once everybody has approved it who must.
    """

    code: str
    severity: str
    doc: str
    effects: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    verdicts: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    approvable: bool = False


_DEFINITIONS = ("dataset", "group", "subscription", "job", "field", "enum", "param")
# The first rule that holds for an entry is its rule.
RULES = (
    Rule("filter-removed", "breaking", "A filter is gone.", (LOST,), ("filter",), ("removed",)),
    Rule("filter-added", "wider", "A filter is new.", (GAINED,), ("filter",), ("added",)),
    Rule("version-removed", "breaking", "A version is gone.", (LOST,), ("version",), ("removed",)),
    Rule(
        "policy-opens",
        "breaking",
        "A role sees or writes rows that it could not.",
        (GAINED,),
        ("permission",),
        verdicts=("wider", "always"),
        approvable=True,
    ),
    Rule(
        "policy-replaces",
        "breaking",
        "A role sees or writes rows that it could not, and not others that it could.",
        _BOTH,
        ("permission",),
        verdicts=("changed", "disjoint"),
        approvable=True,
    ),
    Rule("rows-same", "equal", "No row is gained or lost.", verdicts=("same",)),
    Rule("rows-lost", "narrower", "Rows are lost.", (LOST,), verdicts=("narrower", "never")),
    Rule("rows-gained", "wider", "Rows are gained.", (GAINED,), verdicts=("wider", "always")),
    Rule("rows-replaced", "breaking", "Rows are gained and lost.", _BOTH, verdicts=("changed", "disjoint")),
    Rule("not-proved", "breaking", "Nothing is proved.", _BOTH, verdicts=("undecided", "unsupported")),
    Rule("not-compared", "breaking", "It could not be compared.", _BOTH, ("not-compared",)),
    Rule("renamed", "breaking", "The old name is gone.", (), ("filter-renamed", "dataset-renamed")),
    Rule(
        "definition-removed", "breaking", "Something that has users is gone.", (), _DEFINITIONS, ("removed",)
    ),
    Rule(
        "parameter-required",
        "breaking",
        "Callers must give a value.",
        (),
        ("param",),
        ("added",),
        levels=("warning",),
    ),
    Rule("parameter-changed", "breaking", "Callers give other values.", (), ("param-type", "param-order")),
    Rule("source-changed", "breaking", "Rows come from elsewhere.", _BOTH, levels=("rows",)),
    Rule("described", "equal", "Anything else."),
)
ANY = "any change"
# What `when` of a rule of the project may name.
WHEN = (GAINED, LOST, ANY, *SEVERITIES, *(rule.code for rule in RULES))


class Approval(Struct, frozen=True):
    """A rule of the project: who must approve which changes. `tag` is one of the filter, `dataset` its
    dataset; None for any.
    """

    when: str
    approve: tuple[str, ...]
    tag: str | None = None
    dataset: str | None = None

    @property
    def text(self) -> str:
        """`rows gained, tag pii`."""
        more = [f"{key} {value}" for key in ("tag", "dataset") if (value := getattr(self, key))]
        return ", ".join([self.when, *more])


class Waiver(Struct, frozen=True):
    """A change that is accepted until the end of a day: its entry (`orders.large`), and the rule or severity
    that it is about, or `any change`.
    """

    entry: str
    reason: str
    until: date
    when: str = ANY
    span: Span = NOWHERE
