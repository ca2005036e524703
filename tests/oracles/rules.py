"""Rules that are data, by a library in node: generated ones and those of the corpus, over undeclared and
declared fields.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

import predicat
from tests.fuzzing import REPEATABLE
from tests.oracles import Difference, report
from tests.texts import entries

Row = dict[str, Any]
# A rule, its rows, and the declared fields: None to run it over undeclared ones only.
Case = tuple[Any, list[Row], Mapping[str, str] | None]


class Oracle(Struct):
    """A language with its oracle.

    Attributes:
        language: The language of the rules.
        title: What a report calls them.
        present: A row as the library gets it.
        answers: The library's outcomes of rules, each for its rows.
        reason: Why an outcome of a rule and a row may differ; None if it may not.
    """

    language: str
    title: str
    present: Callable[[Mapping[str, Any]], Row]
    answers: Callable[[list[Any]], list[list[Any]]]
    reason: Callable[[Any, Mapping[str, Any]], str | None]

    def compare(self, cases: Sequence[Case]) -> int:
        """The number of differences that are wrong or unexplained."""
        given_rows = [[self.present(row) for row in rows] for _, rows, _ in cases]
        theirs = self.answers([[rule, rows] for (rule, _, _), rows in zip(cases, given_rows, strict=True)])
        differences: list[Difference] = []
        refused: dict[str, int] = {}
        compared = 0
        for (rule, rows, fields), here, wanted in zip(cases, given_rows, theirs, strict=True):
            declared = {"undeclared": (here, None)} | ({} if fields is None else {"declared": (rows, fields)})
            for name, (own, kinds) in declared.items():
                got = self.outcomes(rule, own, kinds)
                if isinstance(got, str):
                    refused[got] = refused.get(got, 0) + 1
                    continue
                compared += len(rows)
                for row, one, other in zip(here, wanted, got, strict=True):
                    if one != other:
                        why = self.reason(rule, row)
                        case = f"{json.dumps(rule)} of {row}"
                        differences.append(Difference(name, case, str(one), str(other), why is None, why))
        for message, times in sorted(refused.items(), key=lambda pair: -pair[1]):
            print(f"  refused {times} times: {message}")
        return report(f"{self.title}: {len(cases)} in all", compared, differences)

    def outcomes(self, rule: Any, rows: Sequence[Row], fields: Mapping[str, str] | None) -> list[Any] | str:
        """What the rule is of each row here; the message of a refusal."""
        try:
            predicate = predicat.parse(rule, self.language, fields)
        except predicat.PredicatError as error:
            return error.diagnostics[0].message
        return [predicate.evaluate(row) for row in rows]


def generated(rules: st.SearchStrategy[Any], count: int) -> list[Any]:
    """So many rules, without those that are equal."""
    found: dict[str, Any] = {}

    @settings(REPEATABLE, max_examples=count)
    @given(rule=rules)
    def collect(rule: Any) -> None:
        found.setdefault(json.dumps(rule), rule)

    collect()
    return list(found.values())


def written(language: str, takes: Callable[[str], bool]) -> Iterator[Case]:
    """The rules of the corpus with their rows: those whose text the library takes."""
    for entry in entries():
        for case in entry["cases"]:
            if language in case and takes(json.dumps(case[language])):
                rule = case[language]
                yield json.loads(rule) if isinstance(rule, str) else rule, entry["rows"], entry["fields"]
