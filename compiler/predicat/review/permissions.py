"""The rows that roles gain and lose by a change of policies, of their filters, or of what these read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from msgspec.structs import replace

from predicat.catalog.policies import Attribute
from predicat.catalog.policy_conditions import bound
from predicat.explain.users import qualified
from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import TRUE, FieldDecl, Node, fields_of
from predicat.ir.python_values import RowError
from predicat.ir.widths import field_type
from predicat.policies.access import ACCESSES, PUBLIC, Access, Rule, allowed, permitted, roles_of
from predicat.policies.bind import MARK, apart
from predicat.proof.candidate_values import typical_values
from predicat.proof.compare import Verdict, Witness
from predicat.proof.inputs import over_inputs
from predicat.review.entries import Entry
from predicat.review.kinds import NOTE, ROWS
from predicat.review.proofs import Proof, Prover
from predicat.review.snapshot import Data, Snapshot

# What the part of an entry begins with.
_ROWS = "rows that it "
# A dataset and a table of it.
Table = tuple[str, str]
# Verdicts that prove that no row is gained.
_NO_GAIN = ("equivalent", "equivalent as a filter", "narrower", "never")


class Permissions:
    """The entries about roles. Raises nothing: what has problems is an entry that it was not compared.

    `renamed` has the new names of filters by the old ones, which the policies of the first side have.
    """

    def __init__(self, before: Snapshot, after: Snapshot, prover: Prover, renamed: Mapping[str, str]) -> None:
        self.before, self.after, self.prover = before, after, prover
        self.unread: dict[Table, str] = {}
        self.rules = self.read(before, renamed), self.read(after, {})

    def read(self, side: Snapshot, renamed: Mapping[str, str]) -> dict[Table, list[Rule]]:
        """The policies of a snapshot by table."""
        found: dict[Table, list[Rule]] = {}
        for dataset, row in side.datasets.items():
            for name, policy in row.get("policies", {}).items():
                named = policy.get("table", "")
                table = dataset, "" if named == row["relation"].get("postgres") else named
                try:
                    found.setdefault(table, []).append(_rule(side, dataset, name, policy, renamed))
                except (LookupError, RowError):
                    self.unread[table] = name
        return found

    def entries(self) -> Iterator[Entry]:
        """The entries of all tables with policies."""
        for table in dict.fromkeys((*self.rules[0], *self.rules[1], *self.unread)):
            if table[0] not in self.before.datasets:
                continue  # nobody has read it yet
            if table in self.unread:
                place = self.after.place(("datasets", table[0], "policies", self.unread[table]))
                note = f"the policy {self.unread[table]} has no filter that can be compared"
                yield Entry("not-compared", table[0], ROWS, place=place, notes=(note,))
            else:
                yield from _together(self.of_table(table))

    def of_table(self, table: Table) -> Iterator[Entry]:
        """The entries of a table: those of `public`, of each role that has others, and of two roles together.

        Two are enough: a row that somebody gains is permitted by a policy of one role, and was kept back by a
        policy of the same role or of another one.
        """
        rules = [*self.rules[0].get(table, ()), *self.rules[1].get(table, ())]
        for what in ACCESSES:
            known: dict[str, Entry | None] = {}
            of_public = self.texts(table, (), what)
            for role in roles_of(rules):
                known[role] = None
                if role == PUBLIC or self.texts(table, (role,), what) != of_public:
                    known[role] = self.entry(table, (role,), what)
            yield from (entry for entry in known.values() if entry is not None)
            if all(rule.permissive or PUBLIC in rule.roles for rule in rules):
                continue
            quiet = [role for role, entry in known.items() if role != PUBLIC and not _gains(entry)]
            for two in combinations(quiet, 2):
                entry = self.entry(table, two, what)
                if _gains(entry) and entry is not None:
                    yield entry

    def entry(self, table: Table, roles: tuple[str, ...], what: Access) -> Entry | None:
        """What changes for the rows of an access; None if its condition is the same. An UPDATE or DELETE
        without a WHERE may gain rows that are not seen.
        """
        entry = self.compared(table, roles, what, alone=False)
        if _gains(entry) or what.command not in ("update", "delete"):
            return entry
        blind = self.compared(table, roles, what, alone=True)
        return blind if _gains(blind) else entry

    def compared(self, table: Table, roles: tuple[str, ...], what: Access, *, alone: bool) -> Entry | None:
        """The entry of an access; None if its condition is the same."""
        before, after = self.pair(table, roles, what, alone=alone)
        if _texts((before, after))[0] == _texts((before, after))[1]:
            return None
        verdict = _of_session(before, after, self.prover.verdict(before, after, ("reject", "reject")))
        changed = self.changed(table, roles)
        words = what.words + (" without a WHERE" if alone else "") + self.of_several(table)
        return Entry(
            "permission",
            f"{table[0]}.{'+'.join(roles)}",
            NOTE if verdict.same_rows else ROWS,
            f"{_ROWS}{words}",
            place=self.after.place(("datasets", table[0], "policies", *changed[:1])),
            proof=Proof(verdict, session=True),
            notes=(f"by {', '.join(changed)}",) if changed else (),
        )

    def pair(
        self, table: Table, roles: Sequence[str], what: Access, *, alone: bool = False
    ) -> tuple[Node, Node]:
        """The condition of an access on both sides: every row where a table has no policies."""
        judge = permitted if alone else allowed
        before, after = (judge(side[table], roles, what) if side.get(table) else TRUE for side in self.rules)
        return before, after

    def texts(self, table: Table, roles: Sequence[str], what: Access) -> list[tuple[str, str]]:
        """The conditions of an access on both sides, with a WHERE and without."""
        return [_texts(self.pair(table, roles, what, alone=alone)) for alone in (False, True)]

    def changed(self, table: Table, roles: Sequence[str]) -> list[str]:
        """The policies of some roles that differ, by name."""
        before, after = (
            {rule.name: _meaning(rule) for rule in side.get(table, ()) if rule.is_for(roles)}
            for side in self.rules
        )
        return [name for name in dict.fromkeys((*after, *before)) if before.get(name) != after.get(name)]

    def of_several(self, table: Table) -> str:
        """The table in words, if the dataset has policies of several."""
        tables = {other for side in self.rules for dataset, other in side if dataset == table[0]}
        return f" in {table[1]}" if len(tables) > 1 else ""


def _together(entries: Iterable[Entry]) -> list[Entry]:
    """The entries, with a single one for the commands of a role that gain and lose the same rows."""
    found: list[Entry] = []
    for entry in entries:
        alike = (at for at, other in enumerate(found) if replace(other, part=entry.part) == entry)
        if (at := next(alike, None)) is None:
            found.append(entry)
        else:
            more = entry.part.removeprefix(_ROWS)
            found[at] = replace(found[at], part=f"{found[at].part}, {more}")
    return found


def _rule(side: Snapshot, dataset: str, name: str, policy: Data, renamed: Mapping[str, str]) -> Rule:
    """A policy with its conditions. Raises LookupError if a filter is not there or has problems."""

    def condition(key: str) -> Node | None:
        written = policy.get(key)
        if written is None:
            return None
        named, number = qualified(dataset, written["filter"]), written["filter"].partition("@")[2]
        filter_ = renamed.get(named, named)
        row = side.filters[filter_]
        checked = side.check(filter_, int(number or row["latest"]))
        if checked is None:
            raise LookupError(filter_)
        return bound(checked.node, row["on_unknown"], written.get("params", {}), _attributes(side))

    return Rule(
        name,
        policy["command"],
        tuple(policy["roles"]),
        policy.get("permissive", True),
        condition("using"),
        condition("check"),
    )


def _attributes(side: Snapshot) -> Mapping[str, FieldDecl]:
    """The attributes of a snapshot, as fields of the row."""
    return {
        name: Attribute(name, kind, row["postgres"], stored=stored).decl
        for name, row in side.data.get("attributes", {}).items()
        for kind, stored in [field_type(row["type"])]
    }


def _gains(entry: Entry | None) -> bool:
    """Whether rows may be gained, as far as is known."""
    proof = entry.proof if entry is not None else None
    return proof is not None and not (proof.verdict.proof == "proved" and proof.verdict.kind in _NO_GAIN)


def _of_session(before: Node, after: Node, verdict: Verdict) -> Verdict:
    """A verdict with the attributes of its rows as parameters; a row that is gained has as many as it may."""
    gained = verdict.gained and _with_attributes(before, after, verdict.gained)
    rows = {"lost": verdict.lost, "gained": gained, "unknown": verdict.unknown}
    return replace(verdict, **{key: row and apart(row) for key, row in rows.items()})


def _with_attributes(before: Node, after: Node, witness: Witness) -> Witness:
    """A row that is gained, by a session that has attributes: those of another tenant, and not of nobody."""
    earlier, now = over_inputs(before), over_inputs(after)
    inputs = {**witness.row, **{f":{name}": value for name, value in witness.params.items()}}
    row = dict(witness.row)
    for name, decl in {**fields_of(before), **fields_of(after)}.items():
        values = typical_values(decl.type, decl) if name.startswith(MARK) and row.get(name) is None else ()
        for value in sorted(values, key=lambda one: one == ""):
            tried = {**inputs, name: value}
            if now(tried) is True and earlier(tried) is not True:
                inputs, row[name] = tried, value
                break
    return replace(witness, row=row, before=earlier(inputs), after=now(inputs))


def _meaning(rule: Rule) -> object:
    texts = [node and canonical_text(node) for node in (rule.using, rule.check)]
    return rule.command, sorted(rule.roles), rule.permissive, texts


def _texts(pair: tuple[Node, Node]) -> tuple[str, str]:
    return canonical_text(pair[0]), canonical_text(pair[1])
