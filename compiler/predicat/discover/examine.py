"""What is wrong with one condition by itself. Every claim holds for the widest types that its fields may
have, and every row that is shown is one of the narrowest.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from predicat.diagnostics import Span
from predicat.diagnostics.messages import verdicts as say
from predicat.discover.infer import Unclear
from predicat.discover.instances import operands
from predicat.discover.null_traps import LostRow, lost_rows
from predicat.discover.parts import Extent, extent
from predicat.discover.profile import Profile, profile_of
from predicat.discover.typed import Subject, Typed, together, typed
from predicat.discover.verdicts import Kind
from predicat.explain.show import plain
from predicat.ir import syntax as t
from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import Call, Literal, Node, fields_of, replaced
from predicat.ir.operators import JUNCTIONS, LOGIC
from predicat.ir.types import BOOLEAN
from predicat.lint.rules import impossible_text, null_comparison
from predicat.lint.rules.redundant_operand import without_one
from predicat.lint.trials import Trial
from predicat.lint.written import walk
from predicat.proof.compare import compare_nodes, example
from predicat.proof.own_errors import with_own_errors
from predicat.proof.work import Work

# The effort for one question to the solver.
QUESTION = 1.0
# The effort for all questions about a condition.
CONDITION = 10.0
# Branches of a CASE that are looked at before one, at most: the nearest.
_BRANCHES = 40
# Up to this number of operands, each is left out once to see whether it matters.
_LONGEST = 40
# A LIKE with a wildcard for one character, which is not escaped.
_WILDCARD = re.compile(r"(?i)\blike\s+'[^'\\]*_[^'\\]*'(?!\s+escape)")
_POSITIVE = JUNCTIONS | {"is_true"}


class Problem(Struct, frozen=True):
    """One thing that is wrong: see `verdicts.Judgement`."""

    kind: Kind
    message: str
    part: str = ""
    hint: str = ""
    row: dict[str, Any] | None = None
    outcome: bool | None = None
    at: Extent | None = None
    meant: bool = False
    branch: int | None = None  # the one of `Subject.before` that takes all rows
    causes: tuple[str, ...] = ()


class Examined(Struct, frozen=True):
    """What is known of a condition, as plain data.

    Attributes:
        reason: Why it is not judged; empty if it is.
        problems: What is wrong with it.
        inferred: The fields whose types were inferred.
        undecided: How many questions had no answer within their work.
        profile: What it is compared by; None where it reads no field.
        lost: The negations that lose rows without a value.
    """

    reason: str = ""
    problems: tuple[Problem, ...] = ()
    inferred: Mapping[str, str] = {}
    undecided: int = 0
    profile: Profile | None = None
    lost: tuple[LostRow, ...] = ()


def examine(item: Subject) -> Examined:
    """Judge one condition."""
    try:
        condition = typed(item)
    except Unclear as error:
        return Examined(str(error))
    nulls = () if condition.tree is None else tuple(_nulls(condition.tree))
    if nulls or not _reads(condition):  # `1 = 1` is meant
        return Examined("", nulls, condition.inferred)
    questions = _Questions(item, condition)
    problems = tuple(questions.problems())
    lost = () if item.accepts else tuple(lost_rows(condition.narrow, QUESTION))
    return Examined("", problems, condition.inferred, questions.undecided, profile_of(condition), lost)


def profiled(item: Subject) -> Examined:
    """What one condition is compared by, without a judgement: `predicat lint` judges filters."""
    try:
        condition = typed(item)
    except Unclear as error:
        return Examined(str(error))
    profile = profile_of(condition) if _reads(condition) else None
    return Examined("", (), condition.inferred, 0, profile)


def _reads(condition: Typed) -> bool:
    """Whether a condition names a field."""
    if condition.tree is None:
        return bool(fields_of(condition.wide))
    return any(isinstance(part, t.Name) for part in walk(condition.tree))


class _Questions:
    """The questions about one condition, within its work."""

    def __init__(self, item: Subject, condition: Typed) -> None:
        self.item = item
        self.condition = condition
        self.work = Work(CONDITION)
        self.undecided = 0
        self.trial = Trial(condition.narrow)

    def problems(self) -> Iterator[Problem]:
        whole = self.constant()
        impossible = list(self.impossible())
        if whole is not None:
            cause = impossible[0] if impossible and whole.kind == "never" else None
            if cause is not None:
                whole = Problem("never", whole.message, cause.part, cause.message, causes=cause.causes)
            yield whole
            return
        yield from impossible
        yield from self.layout()
        yield from self.unreachable()
        yield from self.twice()
        if not impossible:
            yield from self.redundant()

    def constant(self) -> Problem | None:
        """Whether the condition accepts no row, or rejects none. One that a constant decides, as `x = 1 AND
        FALSE`, or a CASE with one result, is switched off on purpose.
        """
        if not fields_of(self.condition.wide) and _has_constant_operand(self.condition.tree):
            return None
        if _has_one_result(self.condition.wide):
            return None
        if not self.can_be(True):
            if self.item.accepts and self.can_be(None):
                return None
            if not self.can_be(False):
                return Problem("never", say.UNKNOWN)
            message = say.NEVER_ACCEPTED if self.item.accepts else say.NEVER
            conflict = self.conflict()
            shown = list(dict.fromkeys(map(_shown, conflict))) if all(span.text for span in conflict) else []
            hint = say.conflict(shown if len(conflict) < len(operands(self.condition.wide, "and")) else [])
            causes = (" AND ".join(sorted(shown)),) if shown else ()
            return Problem("never", message, hint=hint, causes=causes)
        if not self.can_be(False):
            return Problem("always", say.ALWAYS, "", "", *self.row(None))
        return None

    def conflict(self) -> list[Span]:
        """The operands of an AND that together are never TRUE. Of one that is not very long none of them can
        be left out.
        """
        node, needed = self.condition.wide, operands(self.condition.wide, "and")
        for operand in needed if 2 < len(needed) < _LONGEST else ():
            rest = [one for one in needed if one is not operand]
            tried = rest[0] if len(rest) == 1 else Call(node.type, "and", tuple(rest), node.span)
            if not Trial(tried).shows(wanted=True) and self.is_never(tried, True):
                needed = rest
        return [one.span for one in needed]

    def can_be(self, outcome: bool | None) -> bool:
        """Whether some row may have an outcome: not only if it is proved that none has it."""
        if self.trial.shows(outcome):
            return True
        return not self.is_never(self.condition.wide, outcome)

    def is_never(self, node: Node, outcome: bool | None) -> bool:
        """Whether it is proved that a predicate never has an outcome."""
        answer, _ = example(node, outcome, self.question())
        self.undecided += answer not in ("none", "found")
        return answer == "none"

    def row(self, outcome: bool | None) -> tuple[dict[str, Any] | None, bool | None]:
        """A row with an outcome."""
        _, witness = example(self.condition.narrow, outcome, self.question())
        return (None, None) if witness is None else (plain({**witness.row}), witness.before)

    def question(self) -> Work:
        """The work for the next question."""
        return self.work.part(QUESTION)

    def impossible(self) -> Iterator[Problem]:
        """Comparisons with what the other side cannot be."""
        tree, spans = self.condition.tree, set[tuple[int, int]]()
        for problems in (impossible_text.wrong_case, impossible_text.wrong_length):
            for wrong in problems(tree) if tree is not None else ():
                span = wrong.part.span
                spans.add(extent(span))
                message, hint, causes = wrong.message, wrong.hint, wrong.causes
                yield Problem("impossible", message, span.text, hint, at=extent(span), causes=causes)
        for atom in _atoms(self.condition.wide):
            place = atom.span.start, atom.span.end
            if place in spans or not fields_of(atom) or Trial(atom).shows(wanted=True):
                continue
            if self.is_never(atom, True):
                spans.add(place)
                shown = _shown(atom.span)
                yield Problem("impossible", say.impossible(shown), shown, at=extent(atom.span))

    def layout(self) -> Iterator[Problem]:
        """Lines that group AND and OR in another way, if that accepts other rows."""
        if not self.item.laid_out:
            return
        texts = self.item.written, self.item.laid_out
        try:
            written, read = together([self.item.as_written(text) for text in texts])
        except Unclear:
            return
        verdict = compare_nodes(written.narrow, read.narrow, effort=self.question())
        witness = verdict.lost or verdict.gained
        if witness is not None:
            row = plain({**witness.row})
            yield Problem("layout", say.LAYOUT, "", say.parentheses(self.item.laid_out), row, witness.before)

    def unreachable(self) -> Iterator[Problem]:
        """A branch of CASE whose rows earlier branches take."""
        before = self.item.before[-_BRANCHES:]
        if not before:
            return
        try:
            first, *others = together([self.item.as_written(text) for text in (self.item.written, *before)])
        except Unclear:
            return
        left = [Call(BOOLEAN, "not", (Call(BOOLEAN, "is_true", (other.wide,)),)) for other in others]
        rest = Call(BOOLEAN, "and", (first.wide, *left))
        if Trial(rest).shows(wanted=True):
            return
        # One earlier branch often takes all rows, and a question about one is answered much sooner.
        alone = [Call(BOOLEAN, "and", (first.wide, one)) for one in left]
        first_kept = len(self.item.before) - len(before)
        for number, node in enumerate(alone, first_kept):
            if not Trial(node).shows(wanted=True) and self.is_never(node, True):
                yield Problem("unreachable", say.UNREACHABLE, branch=number)
                return
        if self.is_never(rest, True):
            yield Problem("unreachable", say.UNREACHABLE)

    def twice(self) -> Iterator[Problem]:
        """Operands that occur twice in one AND or OR."""
        for part in walk(self.condition.tree) if self.condition.tree is not None else ():
            if isinstance(part, t.OperatorCall) and part.op in JUNCTIONS:
                seen: set[object] = set()
                for arg in part.args:
                    if (form := _without_places(arg)) in seen:
                        message = say.twice(part.op.upper())
                        yield Problem("redundant", message, _shown(arg.span), at=extent(arg.span))
                    seen.add(form)

    def redundant(self) -> Iterator[Problem]:
        """An operand that can be left out, except one that says in which case the rest is meant: first one
        whose rows the rest of the condition excludes.
        """
        node, accepts = self.condition.wide, self.item.accepts
        rule = "accept" if accepts else "reject"
        trial = Trial(node)
        implied: Problem | None = None
        for number, (shorter, parent, place) in enumerate(without_one(node)):
            if number == _LONGEST or self.work.is_done:
                break
            if _is_other_case(node, parent, place):
                continue
            if trial.differs(shorter, accept=accepts):
                continue
            arg = parent.args[place]
            shown, at, op = _shown(arg.span), extent(arg.span), parent.op.upper()
            if parent.op == "or" and self.excluded(parent, arg):
                yield Problem("redundant", say.excluded(op, not self.never_accepts(arg)), shown, at=at)
                return
            if self.equivalent(node, shorter, rule):
                # That a column has no effect at all is not meant.
                meant = len(fields_of(shorter)) == len(fields_of(node))
                hint = _any_character(parent, place)
                implied = implied or Problem("redundant", say.no_effect(op), shown, hint, at=at, meant=meant)
        if implied is not None:
            yield implied

    def excluded(self, parent: Call, operand: Node) -> bool:
        """Whether an operand of an OR never makes the condition accept a row. Without a NOT above it the
        outcome is the greatest one that any operand of the OR makes by itself, in the order FALSE, UNKNOWN,
        TRUE. One that a constant decides is switched off on purpose.
        """
        # What is written at one place, as `j.kind == "x"`, may be several operands.
        same = tuple(arg for arg in parent.args if arg is operand or arg.span.overlaps(operand.span))
        one = same[0] if len(same) == 1 else Call(parent.type, parent.op, same, parent.span)
        alone = _alone(self.condition.wide, parent, one)
        if alone is None or any(map(_is_switched, same)):
            return False
        own = with_own_errors(self.item.language, alone)
        return all(map(self.never_accepts, dict.fromkeys((alone, own))))

    def never_accepts(self, node: Node) -> bool:
        """Whether it is proved that a predicate accepts no row."""
        outcomes, trial = (True, None) if self.item.accepts else (True,), Trial(node)
        return not any(map(trial.shows, outcomes)) and all(self.is_never(node, one) for one in outcomes)

    def equivalent(self, node: Node, other: Node, rule: str) -> bool:
        """Whether two predicates provably have the same outcome, also with the errors of the language."""
        own = (with_own_errors(self.item.language, node), with_own_errors(self.item.language, other))
        for pair in dict.fromkeys(((node, other), own)):
            verdict = compare_nodes(*pair, (rule, rule), self.question())
            self.undecided += not verdict.proof
            if not verdict.same_rows or verdict.kind != "equivalent":
                return False
        return True


def _is_other_case(node: Node, parent: Call, place: int) -> bool:
    """Whether an operand says that another case does not hold, as the second test for NULL in `a IS NOT NULL
    OR (a IS NULL AND b = 1)`: it is written to be clear.
    """
    if parent.op != "and" or not isinstance(node, Call) or node.op not in LOGIC:
        return False
    if node.op == "or" and any(arg is parent for arg in node.args):
        wanted = _opposite(parent.args[place])
        return any(canonical_text(arg) == wanted for arg in node.args if arg is not parent)
    return any(_is_other_case(arg, parent, place) for arg in node.args)


def _alone(node: Node, parent: Call, operand: Node) -> Node | None:
    """A predicate with one operand of an OR in place of the OR, and nothing in place of the others of an OR
    above it; None if there is more than AND, OR and IS TRUE above it.
    """
    if node is parent:
        return operand
    for arg in node.args if isinstance(node, Call) and node.op in _POSITIVE else ():
        inner = _alone(arg, parent, operand)
        if inner is not None and isinstance(node, Call):
            return inner if node.op == "or" else replaced(node, arg, inner)
    return None


def _is_switched(node: Node) -> bool:
    """Whether a constant is an operand of a predicate, or the predicate."""
    inner = node.args if isinstance(node, Call) and node.op in LOGIC else ()
    return not fields_of(node) or any(map(_is_switched, inner))


def _opposite(node: Node) -> str:
    inner = node.args[0] if isinstance(node, Call) and node.op == "not" else Call(BOOLEAN, "not", (node,))
    return canonical_text(inner)


def _nulls(tree: t.Tree) -> Iterator[Problem]:
    """Comparisons with NULL."""
    for part in walk(tree):
        problem = null_comparison.problem_of(part)
        if problem is not None:
            yield Problem("null comparison", problem[0], part.span.text, problem[1], at=extent(part.span))


def _atoms(node: Node) -> Iterator[Call]:
    """The parts of a predicate that are TRUE or FALSE and have no such parts."""
    if isinstance(node, Call) and node.type == BOOLEAN:
        if node.op in LOGIC:
            for arg in node.args:
                yield from _atoms(arg)
        elif node.op != "cond":
            yield node


def _results(node: Node) -> Iterator[Node]:
    """The results of a CASE; of another node itself."""
    if isinstance(node, Call) and node.op == "cond":
        for result in node.args[1:]:
            yield from _results(result)
    else:
        yield node


def _has_one_result(node: Node) -> bool:
    """Whether a CASE has the same constant for every row."""
    first, *others = _results(node)
    return (
        bool(others)
        and isinstance(first, Literal)
        and all(isinstance(other, Literal) and other.value is first.value for other in others)
    )


def _has_constant_operand(tree: t.Tree | None) -> bool:
    return any(
        not any(isinstance(leaf, t.Name) for leaf in walk(arg))
        for part in (walk(tree) if tree is not None else ())
        if isinstance(part, t.OperatorCall) and part.op in JUNCTIONS
        for arg in part.args
    )


def _without_places(tree: t.Tree) -> object:
    """A tree without its places: equal for equal operands."""
    match tree:
        case t.OperatorCall(op, args):
            return op, *map(_without_places, args)
        case t.ListLiteral(items):
            return tuple(map(_without_places, items))
        case t.Name(name):
            return "name", name
        case t.Constant(value):
            return type(value), value
        case _:
            return tree


def _any_character(parent: Call, place: int) -> str:
    """A hint if a LIKE beside an operand has a wildcard that is often meant as a character."""
    beside = [_shown(arg.span) for number, arg in enumerate(parent.args) if number != place]
    return next((say.any_character(text) for text in beside if _WILDCARD.search(text)), "")


def _shown(span: Span) -> str:
    return " ".join(span.text.split())
