"""The proofs of a review: the effect of each change on rows. Each pair of predicates is compared once."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from predicat.explain import show
from predicat.ir.canonical import proof_text
from predicat.ir.nodes import Literal, Node, params_of
from predicat.proof.compare import Verdict
from predicat.proof.retyped import compare_retyped
from predicat.rewrite.substitute import substitute

SAME = Verdict("equivalent", "proved")


class Proof(Struct, frozen=True):
    """The effect of a change on the rows of a filter.

    `verdict` is for all values of the common parameters. `defaults` is for the default values (views, calls
    without arguments), if that is a different question; `params` are the parameters with a default. Of a
    policy the parameters are attributes of the `session`, which belong to each row.
    """

    verdict: Verdict
    defaults: Verdict | None = None
    params: tuple[str, ...] = ()
    session: bool = False

    @property
    def same_rows(self) -> bool:
        """Whether it is proved that no rows are gained or lost."""
        return self.verdict.same_rows and (self.defaults is None or self.defaults.same_rows)

    @property
    def main(self) -> Verdict:
        """The verdict for views and calls without arguments."""
        return self.defaults or self.verdict

    @property
    def alike(self) -> bool:
        """Whether the answer is the same for the defaults and for all values."""
        return self.defaults is None or (self.defaults.kind, self.defaults.proof) == (
            self.verdict.kind,
            self.verdict.proof,
        )

    @property
    def title(self) -> str:
        """The verdict in a word, or in two (for the defaults and for all values) if they differ."""
        if self.alike:
            return show.title(self.main)
        return f"{self.short} ({show.title(self.verdict)} for all values)"

    @property
    def short(self) -> str:
        """The verdict for views and calls without arguments, in a word."""
        return show.title(self.main) + ("" if self.alike else " at the defaults")

    def lines(self) -> list[str]:
        """The verdict in sentences."""
        if self.defaults is None:
            return [show.sentence(self.verdict)]
        names = ", ".join(self.params)
        if self.alike:
            return [f"{show.sentence(self.defaults)}, at the defaults of {names} and for all values"]
        return [
            f"at the defaults of {names}: {show.sentence(self.defaults)}",
            f"for all values of {names}: {show.sentence(self.verdict)}",
        ]

    def rows(self) -> list[tuple[str, str, str]]:
        """Example rows: what each shows, the row, and the row with its outcomes."""
        result: dict[tuple[str, str, str], None] = {}
        for verdict in (self.main,) if self.alike else (self.defaults, self.verdict):
            for what, witness in show.witnesses(verdict) if verdict is not None else ():
                row = show.session_text(witness) if self.session else show.row_text(witness.row)
                result[(what, row, show.witness_text(witness, what))] = None
        return list(result)


class Prover:
    """Compares predicates. `effort` is that of `compare` for each pair."""

    def __init__(self, effort: float) -> None:
        self.effort = effort
        self._known: dict[tuple[str, str, str, str], Verdict] = {}

    def verdict(self, before: Node, after: Node, on_unknown: tuple[str, str]) -> Verdict:
        """The verdict of one pair, cached."""
        texts = proof_text(before), proof_text(after)
        if texts[0] == texts[1] and on_unknown[0] == on_unknown[1]:
            return SAME
        key = (*texts, *on_unknown)
        if key not in self._known:
            self._known[key] = compare_retyped(before, after, on_unknown, self.effort)
        return self._known[key]

    def proof(self, before: Node, after: Node, on_unknown: tuple[str, str]) -> Proof:
        """The effect on the rows of a filter, for the defaults of its parameters and for all their values."""
        old, new = params_of(before), params_of(after)
        # A parameter that one side lacks cannot be set there: that side's callers get the
        # default of the other.
        verdict = self.verdict(
            _bound(before, old.keys() - new.keys()), _bound(after, new.keys() - old.keys()), on_unknown
        )
        usual = [name for name, decl in {**old, **new}.items() if not decl.required]
        alike = all(name in old and name in new and old[name].default == new[name].default for name in usual)
        if not usual or (alike and verdict.kind == "equivalent" and verdict.same_rows):
            return Proof(verdict)
        return Proof(
            verdict, self.verdict(_bound(before, usual), _bound(after, usual), on_unknown), tuple(usual)
        )


def _bound(node: Node, names: Iterable[str]) -> Node:
    """The node with the defaults of some of its parameters."""
    params = params_of(node)
    values: Mapping[str, Node] = {
        name: Literal(params[name].type, params[name].default)
        for name in names
        if name in params and not params[name].required
    }
    return substitute(node, values) if values else node
