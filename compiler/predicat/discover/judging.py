"""Judges conditions and compares them: each distinct one once, in several processes, with a cache."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from predicat.diagnostics.messages import verdicts as say
from predicat.discover.answer_cache import AnswerCache, Progress
from predicat.discover.candidates import Candidate, Rule, near
from predicat.discover.classes import Classes
from predicat.discover.comparing import ComparedPair, RulePair, compare_pair
from predicat.discover.conditions import Condition, relation_of
from predicat.discover.examine import Examined, Problem, examine, profiled
from predicat.discover.one_off import names_rows, runs_once
from predicat.discover.processes import mapped
from predicat.discover.same import Alike, Group, alike
from predicat.discover.typed import Subject, is_whole_text, subject_of
from predicat.discover.verdicts import Judged, Judgement, Pair, Part

# Is told a condition and the first thing that is wrong with it.
Tell = Callable[[Condition, Problem], None]
Q = TypeVar("Q")
A = TypeVar("A")


def judge(
    conditions: Sequence[Condition],
    *,
    jobs: int = 1,
    cache: Path | None = None,
    progress: Progress | None = None,
    tell: Tell | None = None,
    stopped: bool = False,
    filters: Sequence[int] = (),
) -> Judged:
    """Judge conditions. Needs the extra `review` (the solver Z3).

    A claim is made only where it is proved for every type that the fields may have, as far as these are not
    known. A condition is silently left alone where there is no proof within the time limit.

    Args:
        conditions: The conditions.
        jobs: How many processes.
        cache: The folder that keeps what was found, such as `answer_cache.folder()`; None keeps nothing.
        progress: Is called with the number of answered questions, and of all.
        tell: Is called with a condition and what is wrong with it, when that is found and was not kept.
        stopped: Whether Ctrl-C was pressed before, so that only what is kept is told.
        filters: The numbers of conditions that are looked for as parts of others.

    Returns:
        What is found. Its numbers are those of the conditions. After Ctrl-C it is what was found until then,
        and `unanswered` is not 0.
    """
    kept = AnswerCache(cache)
    kept.interrupted = stopped
    run = _Run(conditions, kept, jobs, progress, filters, tell)
    same, pairs = run.compared()
    judgements = [*run.judgements(), *run.null_traps()]
    judgements.sort(key=lambda item: item.condition)
    return Judged(
        tuple(judgements),
        same,
        pairs,
        run.unjudged(),
        run.undecided,
        run.kept.unanswered,
        tuple(run.parts()),
    )


class _Run:
    """One run over all conditions. Items are conditions without their places: each is examined once."""

    def __init__(
        self,
        conditions: Sequence[Condition],
        cache_: AnswerCache,
        jobs: int,
        progress: Progress | None,
        filters: Sequence[int],
        tell: Tell | None = None,
    ) -> None:
        self.conditions = conditions
        self.filters = frozenset(filters)
        self.kept = cache_
        self.ask = partial(_run, jobs=jobs, progress=progress)
        self.before = list(earlier(conditions))
        texts = ([one.text for one in before] for before in self.before)
        self.items = list(map(subject_of, conditions, texts))
        self.distinct = list(dict.fromkeys(self.items))
        judged = dict.fromkeys(item for number, item in enumerate(self.items) if number not in self.filters)
        others = [item for item in self.distinct if item not in judged]
        self.examined = {
            **cache_.answers("conditions", list(judged), Examined, self.told(self.ask(examine), tell)),
            **cache_.answers("filters", others, Examined, self.ask(profiled)),
        }
        self.undecided = sum(outcome.undecided for outcome in self.examined.values())

    def told(
        self, ask: Callable[[Sequence[Subject]], Iterator[Examined]], tell: Tell | None
    ) -> Callable[[Sequence[Subject]], Iterator[Examined]]:
        """Asks, and tells of each answer that has problems."""
        first = dict(zip(reversed(self.items), reversed(self.conditions), strict=True))

        def answers(questions: Sequence[Subject]) -> Iterator[Examined]:
            for question, answer in zip(questions, ask(questions), strict=True):
                if tell is not None and answer.problems and is_whole_text(first[question]):
                    tell(first[question], answer.problems[0])
                yield answer

        return answers

    def unjudged(self) -> dict[int, str]:
        """Why conditions are not judged."""
        reasons = {number: self.examined[item].reason for number, item in enumerate(self.items)}
        return {number: reason for number, reason in reasons.items() if reason}

    def judgements(self) -> Iterator[Judgement]:
        """What is found in conditions by themselves. One whose text says something else was made by the
        parser out of a function, as `DIV0(a, b)` has a test of `b`: nobody wrote it.
        """
        for number, item in enumerate(self.items):
            outcome = self.examined[item]
            if not outcome.problems or not is_whole_text(self.conditions[number]):
                continue
            for problem in outcome.problems:
                yield Judgement(
                    number,
                    problem.kind,
                    problem.message,
                    problem.part,
                    problem.hint,
                    problem.row,
                    problem.outcome,
                    outcome.inferred,
                    problem.at,
                    problem.meant or self.has_the_result(number, problem.branch),
                    problem.causes,
                )

    def has_the_result(self, number: int, branch: int | None) -> bool:
        """Whether an earlier branch of a CASE has the result of a condition's own."""
        result = self.conditions[number].result
        return branch is not None and result != "" and self.before[number][branch].result == result

    def null_traps(self) -> Iterator[Judgement]:
        """Negations that lose rows without a value, where another condition on the relation asks for such
        rows: each negation once.
        """
        counts: dict[tuple[str, str], int] = {}
        handled: set[tuple[object, ...]] = set()
        for number, item in enumerate(self.items):
            relation, profile = relation_of(self.conditions[number]), self.examined[item].profile
            for name in profile.asked if relation is not None and profile is not None else ():
                counts.setdefault((str(relation), name), number)
                handled.add((*self.case_of(number), name))
        reported: set[tuple[str, str, str]] = set()
        for number, item in enumerate(self.items):
            relation = relation_of(self.conditions[number])
            for lost in self.examined[item].lost:
                shown = counts.get((str(relation), lost.field))
                key = str(relation), lost.field, lost.part
                if key in reported:
                    continue
                if shown is not None and (*self.case_of(number), lost.field) not in handled:
                    reported.add(key)
                    place = self.conditions[shown].place
                    message = say.loses_nulls(lost.field, f"{place.path}:{place.line}")
                    hint, inferred = say.or_is_null(lost.field), self.examined[item].inferred
                    yield Judgement(
                        number, "null trap", message, lost.part, hint, lost.row, None, inferred, lost.at
                    )

    def case_of(self, number: int) -> tuple[str, int]:
        """The CASE that a condition is a branch of; a place of its own where it is none."""
        condition = self.conditions[number]
        start = -1 - number if condition.branches is None else condition.branches[0]
        return condition.place.path, start

    # --- parts

    def parts(self) -> Iterator[Part]:
        """The filters that are whole tests of a condition on their relation, which has more: of several only
        those that are no part of another one.
        """
        wanted: dict[str | None, list[tuple[int, frozenset[str]]]] = {}
        for number in sorted(self.filters):
            texts = frozenset(self.tests(number))
            if texts and not self.is_constant(self.items[number]):
                wanted.setdefault(relation_of(self.conditions[number]), []).append((number, texts))
        for number, condition in enumerate(self.conditions):
            relation, item = relation_of(condition), self.items[number]
            if relation not in wanted or item.accepts or item.writes or self.is_constant(item):
                continue
            tests = self.tests(number)
            found = [row for row in wanted[relation] if row[1] < tests.keys()]
            for filter_, texts in found:
                if not any(texts < other for _, other in found):
                    shown = " AND ".join(shown for text, shown in tests.items() if text in texts)
                    yield Part(number, filter_, shown)

    def tests(self, number: int) -> dict[str, str]:
        """The tests that a condition is, by what they say, as they are written."""
        profile = self.examined[self.items[number]].profile
        return {} if profile is None else {atom.text: atom.shown for atom in profile.atoms}

    # --- pairs

    def compared(self) -> tuple[tuple[tuple[int, ...], ...], tuple[Pair, ...]]:
        """Classes of conditions with one rule, and pairs of rules that are nearly the same. A rule that is
        written in several ways is compared once, but with filters in each way: all its places have drifted.
        """
        rules, members = self.rules()
        items = {rule.number: self.items[rule.number] for rule in rules}
        sames = self.in_other_words(rules)
        wanted = {(one.left, one.right): one for one in (*sames, *near(rules))}
        # What filters are to each other is for `predicat lint`.
        wanted = {key: one for key, one in wanted.items() if not self.filters.issuperset(key)}
        questions = {key: RulePair(items[key[0]], items[key[1]]) for key in wanted}
        answers = self.kept.answers(
            "pairs", list(dict.fromkeys(questions.values())), ComparedPair, self.ask(compare_pair)
        )
        self.undecided += sum(answer.undecided for answer in answers.values())
        classes = Classes(members)
        pairs: list[Pair] = []
        for key, candidate in wanted.items():
            answer = answers[questions[key]]
            if answer.kind == "same":
                classes.join(*key)
            elif answer.kind is not None and candidate.difference != say.IN_OTHER_WORDS:
                pairs.append(
                    Pair(
                        *key,
                        answer.kind,
                        candidate.difference,
                        candidate.message,
                        answer.lost,
                        answer.gained,
                        answer.inferred,
                        candidate.meant,
                    )
                )
        told = [self.told_of(pair, classes) for pair in _once(pairs, classes, self.filters)]
        return tuple(self.worth_telling(classes)), tuple(told)

    def told_of(self, pair: Pair, classes: Classes) -> Pair:
        """A pair with its rules, at places on a relation that both have, if there is one: only there one of
        them may be a mistake.
        """
        both = [classes.members[classes.find(one)] for one in (pair.left, pair.right)]
        rules = tuple(min(self.conditions[number].judged for number in numbers) for numbers in both)
        pair = replace(pair, rules=rules)
        if not self.filters.isdisjoint((pair.left, pair.right)):
            return pair
        left, right = map(self.places_of, both)
        shared = next((relation for relation in left if relation in right), None)
        return pair if shared is None else replace(pair, left=left[shared], right=right[shared])

    def places_of(self, numbers: Sequence[int]) -> dict[str, int]:
        """The first of some conditions on each relation."""
        result: dict[str, int] = {}
        for number in sorted(numbers):
            relation = relation_of(self.conditions[number])
            if relation is not None:
                result.setdefault(relation, number)
        return result

    def rules(self) -> tuple[list[Rule], dict[int, list[int]]]:
        """The distinct rules, each named by the first condition that has it, and all their conditions."""
        first: dict[tuple[str, ...], int] = {}
        members: dict[int, list[int]] = {}
        for number, item in enumerate(self.items):
            profile = self.examined[item].profile
            if profile is None or self.is_constant(item):
                continue
            own = (self.conditions[number].place.path,) if profile.queries else ()
            key = (item.language, item.collation, str(item.accepts), str(item.writes), profile.text, *own)
            members.setdefault(first.setdefault(key, number), []).append(number)
        rules = []
        for number, all_of_them in members.items():
            profile = self.examined[self.items[number]].profile
            places = [self.conditions[other] for other in all_of_them]
            relations = {relation_of(place) for place in places} - {None}
            files = frozenset(place.place.path for place in places)
            branch = all(place.clause in ("case", "filter") for place in places)
            if profile is not None:
                rules.append(
                    Rule(
                        number,
                        profile,
                        frozenset(map(str, relations)),
                        files,
                        branch,
                        writes=self.items[number].writes,
                        part=not any(place.whole for place in places),
                        one_off=all(map(runs_once, places))
                        and names_rows(places[0].sql or places[0].text, numbers=True),
                    )
                )
        return rules, members

    def is_constant(self, item: Subject) -> bool:
        """Whether a condition accepts no row, or rejects none: it is no rule."""
        return any(problem.kind in ("never", "always") for problem in self.examined[item].problems)

    def in_other_words(self, rules: Sequence[Rule]) -> list[Candidate]:
        """Pairs of rules over the same fields that no row told apart: of one dialect, or one of standard
        SQL, as filters of a catalog are.
        """
        groups: dict[tuple[object, ...], dict[str, list[Rule]]] = {}
        for rule in rules:
            item = self.items[rule.number]
            if not rule.profile.queries:
                key = item.language, item.accepts, item.writes, rule.profile.fields
                groups.setdefault(key, {}).setdefault(item.collation, []).append(rule)
        several = [
            members
            for by_dialect in groups.values()
            for dialect, own in by_dialect.items()
            if len(members := [*own, *(by_dialect.get("", ()) if dialect else ())]) > 1
        ]
        groups_ = [Group(tuple(self.items[rule.number] for rule in members)) for members in several]
        answers = self.kept.answers("alike", groups_, Alike, self.ask(alike))
        return [
            Candidate(members[one].number, members[other].number, say.IN_OTHER_WORDS, say.SAME_RULE)
            for members, group in zip(several, groups_, strict=True)
            for one, other in answers[group].pairs
        ]

    def worth_telling(self, classes: Classes) -> Iterator[tuple[int, ...]]:
        """The classes of two or more conditions. A single test is a rule only within a relation, unless it
        has a constant that nobody writes by chance.
        """
        for members in classes.members.values():
            profile = self.examined[self.items[members[0]]].profile
            if profile is not None and (
                len(profile.atoms) > 1 or any(atom.distinctive for atom in profile.atoms)
            ):
                parts: Iterable[Sequence[int]] = [members]
            else:
                by_relation: dict[str | None, list[int]] = {}
                for number in members:
                    by_relation.setdefault(relation_of(self.conditions[number]), []).append(number)
                parts = [part for relation, part in by_relation.items() if relation is not None]
            yield from (tuple(sorted(part)) for part in parts if len(part) > 1)


def _once(pairs: Iterable[Pair], classes: Classes, filters: frozenset[int]) -> Iterator[Pair]:
    """The first pair of each two classes, and all pairs of classes with a filter."""
    told: set[frozenset[int]] = set()
    for pair in pairs:
        roots = frozenset(map(classes.find, (pair.left, pair.right)))
        has_filter = any(not filters.isdisjoint(classes.members[root]) for root in roots)
        if has_filter or (roots not in told and len(roots) > 1):
            told.add(roots)
            yield pair


def earlier(conditions: Sequence[Condition]) -> Iterator[tuple[Condition, ...]]:
    """For each condition the conditions of the branches of its CASE that come before it.

    A part of the condition of a branch says nothing of the rows that the branch takes. What comes out of a
    template may be several CASEs at one place.
    """
    cases: dict[tuple[str, int], dict[int, dict[str, Condition]]] = {}
    usable = [_is_branch(condition) for condition in conditions]
    for condition in (one for one, is_usable in zip(conditions, usable, strict=True) if is_usable):
        start, number = condition.branches or (0, 0)
        branches = cases.setdefault((condition.place.path, start), {})
        branches.setdefault(number, {}).setdefault(condition.text, condition)
    for condition, is_usable in zip(conditions, usable, strict=True):
        start, number = condition.branches or (0, 0)
        branches = cases[condition.place.path, start] if is_usable else {}
        if any(len(texts) > 1 for texts in branches.values()):
            yield ()
        else:
            yield tuple(one for at in sorted(branches) if at < number for one in branches[at].values())


def _is_branch(condition: Condition) -> bool:
    """Whether a condition is that of a branch of a CASE, all of it, at a place that is its own."""
    if condition.branches is None or not condition.whole or condition.rendered:
        return False
    return is_whole_text(condition)


def _run(
    function: Callable[[Q], A], jobs: int, progress: Progress | None
) -> Callable[[Sequence[Q]], Iterator[A]]:
    """Answers questions in their order, in several processes."""

    def answers(questions: Sequence[Q]) -> Iterator[A]:
        for done, answer in enumerate(mapped(function, questions, jobs), 1):
            if progress is not None:
                progress(done, len(questions))
            yield answer

    return answers
