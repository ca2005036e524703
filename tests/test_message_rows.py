"""Every row of `predicat.diagnostics.messages` is rendered with arguments of its types."""

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest

from predicat.diagnostics import NOWHERE, Diagnostic, Severity, Source, Span, messages
from predicat.diagnostics.message import Failure, Problem, Reason, Row, Text
from tests.rounds import rounds

MODULES = [
    messages,
    *(
        importlib.import_module(f"{messages.__name__}.{part.name}")
        for part in pkgutil.iter_modules(messages.__path__)
    ),
]
# Module and name of each row.
ROWS = {
    f"{module.__name__.removeprefix(messages.__name__)}.{name}".lstrip("."): value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, Row)
}
PARTS = sorted({name.rpartition(".")[0] for name in ROWS})
# Arguments of each type.
VALUES: dict[Any, list[Any]] = {
    str: ["delay", "a|b {c} 'd'", "x"],
    int: [1, 2, 1_234_567],
    bool: [True, False, True],
    tuple[str, str] | None: [("=", "=="), None, ("&", "AND")],
    tuple[str, str, str]: [("a", "b", "c"), ("a", "b", "d"), ("", "b", "c")],
    float: [1.5, -2.0, 1e9],
    object: ["value", None, 7],
    BaseException: [ValueError("bad"), OSError("gone"), TypeError("odd")],
    Reason: [Reason("it is odd", "write another"), Reason("it is odd"), Reason("no")],
    str | None: ["write it", None, "leave it out"],
    Iterable[str]: [["delay", "late"], ["one"], [f"name{number}" for number in range(40)]],
    Sequence[str]: [["delay", "late"], ["one"], [f"name{number}" for number in range(40)]],
    list[str]: [["delay", "late"], ["one"], [f"name{number}" for number in range(40)]],
    Sequence[object]: [["delay", 2], [None], [1.5]],
    Iterable[int]: [[1, 2], [3], [4]],
}
PLACE = Span(Source("f.yml", "delay > 1"), 0, 5)
LEAST_ROWS = 700


def types(row: Row) -> tuple[Any, ...]:
    """The types in the brackets of a row."""
    return row.types


def values(row: Row) -> list[list[Any]]:
    """For each argument of a row some values, with those that the row compares it with."""
    written = " ".join((row.parts.sentence, *row.parts.hints))
    return [
        VALUES[kind] + (re.findall(rf"{name}:is (\S+) ", written) if kind is str else [])
        for name, kind in zip(row.parts.names, types(row), strict=True)
    ]


def calls(row: Row) -> Iterator[tuple[list[Any], Any]]:
    """Lists of arguments, and what the row makes of them."""
    some = values(row)
    for turn in range(max(map(len, some), default=1)):
        given = [of_one[turn % len(of_one)] for of_one in some]
        yield given, made(row, given)


def texts(result: Diagnostic | Reason | str) -> list[str]:
    if isinstance(result, str):
        return [result]
    sentence = result.message if isinstance(result, Diagnostic) else result.text
    return [sentence, *filter(None, [result.hint])]


def rows_of(part: str) -> dict[str, Row]:
    return {name: row for name, row in ROWS.items() if name.rpartition(".")[0] == part}


def test_there_are_rows() -> None:
    assert len(ROWS) >= LEAST_ROWS


@pytest.mark.parametrize("module", PARTS)
def test_every_row_is_rendered(module: str) -> None:
    for name, row in rounds(rows_of(module).items(), 2):
        assert len(row.parts.names) == len(types(row)), f"{name}: {row.parts.names} are {types(row)}"
        for _, result in rounds(calls(row), 1):
            for text in rounds(texts(result), 1):
                assert text == text.strip() or isinstance(row, Text), name
                assert not re.search(r"\n|  |[^.]\.$", text) or isinstance(row, Text), f"{name}: {text}"
            if isinstance(row, Problem | Failure):
                assert re.fullmatch(r"[a-z]+(-[a-z]+)*", result.code), f"{name}: {result.code}"
                assert result.span == (PLACE if isinstance(row, Problem) else NOWHERE), name


def made(row: Row, arguments: Sequence[Any]) -> Any:
    return row(PLACE, *arguments) if isinstance(row, Problem) else row(*arguments)


@pytest.mark.parametrize("module", PARTS)
def test_every_argument_is_told(module: str) -> None:
    arguments = ((name, row, *one) for name, row in rows_of(module).items() for one in enumerate(values(row)))
    for name, row, place, of_one in rounds(arguments, 1):
        assert any(
            made(row, [*given[:place], value, *given[place + 1 :]]) != result
            for given, result in calls(row)
            for value in of_one
        ), f"{name}: {row.parts.names[place]} is not told"


@pytest.mark.parametrize(
    ("row", "arguments"),
    [
        (Text[str, str]("{one}"), ["a", "b"]),
        (Text[str]("{one} and {two}"), ["a"]),
        (Text[str]("{one:unknown format}"), ["a"]),
        (Problem[str]("a sentence without a code of {one}"), ["a"]),
    ],
    ids=["an argument too many", "one too few", "no format", "no code"],
)
def test_a_wrong_row_is_found(row: Row, arguments: list[str]) -> None:
    with pytest.raises(ValueError, match=r"."):
        made(row, arguments)


def test_formats() -> None:
    row = Problem[str, Iterable[str], int, str | None]("""(name, known, count, hint)
        warning[odd]: {name!r} is {name:a}, {count:is 1 one|{count:count thing}} of {known:listed 2},
        {{not a placeholder}}
        hint: {known:near name}
        hint: {hint:optional}
        hint: write {known:list}""")
    assert row.parts.names == ["name", "known", "count", "hint"]
    made = row(PLACE, "ear|{x}", iter(["b", "a", "c"]), 1200, None)
    assert made == Diagnostic(
        "odd",
        "'ear|{x}' is an ear|{x}, 1,200 things of a, b, ... (3 in all), {not a placeholder}",
        PLACE,
        "write b, a, c",
        Severity.WARNING,
    )
    assert row(PLACE, "late", ["latex"], 1, None).hint == "did you mean 'latex'?"
    assert row(PLACE, "late", [], 1, "give one").hint == "give one"
