"""Rows of any values: an answer, or an error that names the field."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import predicat
from predicat.ir.python_values import RowError
from predicat.ir.types import parse_type
from predicat.ir.values import to_value

_KINDS = [
    "bigint",
    "double",
    "string",
    "boolean",
    "timestamp",
    "date",
    "decimal(10,2)",
    "json",
    "array<bigint>",
    "map<string, double>",
    "struct<k: date>",
]
_scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.decimals()
    | st.text(max_size=5)
    | st.binary(max_size=3)
    | st.dates()
    | st.timedeltas()
    | st.datetimes(
        timezones=st.none() | st.integers(-14, 14).map(lambda hours: timezone(timedelta(hours=hours)))
    )
    | st.sampled_from([10**400, "1e400", "2020-02-30", "sNaN"])
)
_values = st.recursive(
    _scalars,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["k", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@pytest.mark.long
@settings(deadline=None)
@given(value=_values, kind=st.sampled_from(_KINDS).map(parse_type))
def test_only_row_errors(value: Any, kind: Any) -> None:
    with suppress(RowError):
        to_value(value, kind)


@pytest.mark.parametrize("value", ["abc", float("nan"), float("inf"), "sNaN"])
def test_no_decimal(value: Any) -> None:
    with pytest.raises(predicat.PredicatError, match=r"the field 'p' has type decimal\(10,2\)"):
        predicat.parse("p > 3.5", "sql", {"p": "decimal(10,2)"}).evaluate({"p": value})


_FIELDS = dict(zip("abcdefghijk", _KINDS, strict=True))
_BODIES = [
    ("sql", "a + 1 > b AND c LIKE 'x%' OR d"),
    ("sql", "e > '2020-01-01' OR f = '2020-01-01' OR g * 2 > 3.5 OR g > 1"),
    ("sql", "CAST(c AS double) > b OR element_at(i, 1) = 1"),
    ("cel", 'h.k == 1 || h.k == "x" || h > 2.0'),
    ("cel", "h.k.x == true || size(h) > 1 || h.exists(x, x > 1.0)"),
    ("cel", "int(h) > 1 || double(h) > 1.0 || timestamp(h) > e"),
    ("cel", 'h == {"k": 1} || h == [1, "x"] || string(h) == "x" || "k" in h'),
    ("cel", 'i.all(x, x > 1) || j.k > 1.0 || "x" in j'),
    ("cel", "k.k == f"),
]


@pytest.mark.long
@settings(deadline=None)
@given(body=st.sampled_from(_BODIES), row=st.fixed_dictionaries(dict.fromkeys(_FIELDS, _values)))
def test_an_answer_or_an_error(body: tuple[str, str], row: dict[str, Any]) -> None:
    language, text = body
    try:
        assert predicat.parse(text, language, _FIELDS).evaluate(row) in (True, False, None)
    except predicat.PredicatError as error:
        assert "the row has" in str(error)
