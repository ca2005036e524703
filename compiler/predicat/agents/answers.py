"""What is found about a WHERE, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from predicat.backends.sql import shown
from predicat.catalog.model import Dataset
from predicat.diagnostics.messages import agents as say
from predicat.explain.show import outcome as shown_outcome
from predicat.explain.show import row_text, sentence, value_text, witnesses

if TYPE_CHECKING:
    from predicat.agents.recognize import Compared, Recognized
    from predicat.agents.wheres import Where
    from predicat.proof.compare import Verdict, Witness

# What to do with a filter that a WHERE is nearly.
_NEXT = {"narrower": say.AND_REST, "wider": say.ASK, "differs": say.ASK}
# How many filters an answer tells about.
_MOST = 3


def recognized(where: Where, result: Recognized) -> Iterator[str]:
    """What a WHERE is: the first line is the kind, a colon, and the filters."""
    dataset, found = where.dataset, result.found[:_MOST]
    names = [row.candidate.name for row in found]
    match result.kind:
        case "never":
            yield say.first_line("never", say.NO_ROW)
            yield say.NEVER
            return
        case "always":
            yield say.first_line("always", say.EVERY_ROW)
            yield say.ALWAYS
            return
        case "new":
            yield say.first_line("new", say.new(dataset.name))
            yield say.PROPOSE
        case "undecided":
            yield say.first_line("undecided", ", ".join(names))
            yield say.undecided(" and ".join(names))
        case kind:
            yield say.first_line(kind, names[0])
            for number, row in enumerate(found):
                yield from [say.also(row.kind, row.candidate.name)] if number else []
                yield from _told(row, dataset)
            yield from [_NEXT[kind]] if kind in _NEXT else []
    if result.kind == "new" and result.beside:
        yield say.beside(result.beside)
    if result.left_out:
        yield say.left_out(result.left_out)


def _told(row: Compared, dataset: Dataset) -> Iterator[str]:
    """What the WHERE is to one filter."""
    name, verdict = row.candidate.name, row.verdict
    if row.kind == "same":
        joined = " AND " in name or " OR " in name
        yield say.NEGATED if name.startswith("NOT ") else say.BOTH if joined else say.SAME
        if row.candidate.params:
            values = (f"{key}: {value_text(value)}" for key, value in row.candidate.params.items())
            yield say.with_values("{" + ", ".join(values) + "}")
        if verdict.unknown is not None and not joined:
            yield say.below_not(_row(verdict.unknown, dataset))
        return
    yield {
        "narrower": lambda: say.narrower(name, verdict.proof),
        "wider": lambda: say.wider(name, verdict.proof),
        "differs": lambda: say.differs(name),
    }[row.kind]()
    if verdict.gained is not None:
        yield say.only_where(_row(verdict.gained, dataset))
    if verdict.lost is not None:
        yield say.only_filter(name, _row(verdict.lost, dataset))


def _row(witness: Witness, dataset: Dataset) -> str:
    """A row as people see it, with the current time that it needs."""
    row: dict[str, Any] = {**witness.row, **{f":{name}": value for name, value in witness.params.items()}}
    hidden = {
        name: shown.MASK
        for name, decl in dataset.fields.items()
        if decl.sensitive and row.get(name) is not None
    }
    return row_text({**row, **hidden}) if row else say.NOTHING_KNOWN


def compared(name: str, verdict: Verdict, dataset: Dataset) -> Iterator[str]:
    """How a second filter differs from a first one."""
    yield say.first_line(name, sentence(verdict))
    for what, witness in witnesses(verdict):
        before, after = shown_outcome(witness.before), shown_outcome(witness.after)
        yield say.shown_by(what, _row(witness, dataset), before, after)
