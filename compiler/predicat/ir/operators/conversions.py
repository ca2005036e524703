"""Operators of conversions between types."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from predicat.ir.operators.row import ANY_FUNCTION, DAY, MOMENT, Names, Operator, Order

ROWS = (
    Operator(
        "to_int",
        ("string -> bigint", "double -> bigint", "boolean -> bigint", "timestamp -> bigint"),
        "A whole number: a double is truncated towards zero, a string has digits after an optional minus, a "
        "timestamp gives seconds since 1970.",
        (((3.5,), 3), ((-2.5,), -2), (("12",), 12), (("2.5",), None), ((" 1",), None), ((1e300,), None)),
        total=False,
        words="the whole number of {0}",
        names=Names(label="a conversion to a whole number", spellings=("int", "CAST")),
        of_texts=True,
        monotone=(Order.RISES,),
    ),
    Operator(
        "to_whole",
        ("double -> bigint",),
        "A double as a whole number; UNKNOWN if it has decimals.",
        (
            ((3.0,), 3),
            ((-0.0,), 0),
            ((3.5,), None),
            ((-(2.0**63),), -(2**63)),
            ((2.0**63,), None),
            ((float("nan"),), None),
            ((float("inf"),), None),
        ),
        total=False,
        words="the whole number of {0}",
        names=Names(label="a conversion to a whole number"),
        monotone=(Order.RISES,),
    ),
    Operator(
        "to_double",
        ("string -> double", "bigint -> double", "decimal -> double"),
        "A double, from a number or a string.",
        ((("2.5",), 2.5), (("1e3",), 1000.0), (("x",), None), ((3,), 3.0)),
        total=False,
        words="the number of {0}",
        names=Names(label="a conversion to a double", spellings=("double", "CAST")),
        monotone=(Order.RISES,),
    ),
    Operator(
        "to_decimal",
        ("string -> decimal", "decimal -> decimal", "bigint -> decimal", "double -> decimal"),
        "A decimal from a string or a number (a double by its shortest decimal), rounded to its digits, a "
        "half away from zero; UNKNOWN if it is too large.",
        (
            (("12.5",), Decimal(13)),
            (("-0.5",), Decimal(-1)),
            (("+1.5e2",), Decimal(150)),
            ((".4",), Decimal(0)),
            (("9999999999.4",), Decimal(9999999999)),
            (("9999999999.5",), None),
            (("1e99",), None),
            (("1,5",), None),
            ((" 1",), None),
            ((Decimal("2.5"),), Decimal(3)),
            ((Decimal("-2.5"),), Decimal(-3)),
            ((Decimal("9999999999.49"),), Decimal(9999999999)),
            ((Decimal("9999999999.5"),), None),
            ((9999999999,), Decimal(9999999999)),
            ((-10000000000,), None),
            ((2.5,), Decimal(3)),
            ((-0.49999999999999994,), Decimal(0)),
            ((9999999999.5,), None),
            ((1e300,), None),
            ((5e-324,), Decimal(0)),
            ((float("nan"),), None),
            ((float("-inf"),), None),
        ),
        total=False,
        words="the decimal of {0}",
        names=Names(label="a conversion to a decimal"),
        monotone=(Order.RISES,),
    ),
    Operator(
        "to_string",
        (
            "bigint -> string",
            "boolean -> string",
            "date -> string",
            "decimal -> string",
            "double -> string",
            "duration -> string",
            "timestamp -> string",
        ),
        "The value as a string.",
        (
            ((12,), "12"),
            ((True,), "true"),
            ((DAY,), "2013-07-04"),
            ((MOMENT,), "2013-07-04T10:30:15.250Z"),
            ((timedelta(seconds=-90),), "-90s"),
            ((timedelta(microseconds=1),), "0.000001s"),
        ),
        words="the text of {0}",
        names=Names(label="a conversion to a text", spellings=("string", "CAST")),
        of_texts=True,
    ),
    Operator(
        "to_boolean",
        ("string -> boolean",),
        "TRUE or FALSE from the strings that CEL accepts: true, t, 1, false, f, 0.",
        ((("true",), True), (("0",), False), (("yes",), None)),
        total=False,
        words="the truth of {0}",
        names=Names(label="a conversion to a truth value"),
        of_texts=True,
    ),
    Operator(
        "to_timestamp",
        ("string -> timestamp", "date -> timestamp", "bigint -> timestamp"),
        (
            "A timestamp from a string as in RFC 3339 (nanoseconds are truncated to microseconds), a date "
            "(midnight UTC) or seconds."
        ),
        (
            (("2013-07-04T10:30:15.25Z",), MOMENT),
            (("tomorrow",), None),
            (("2013-07-04",), None),
            (("2013-02-29T00:00:00Z",), None),
            ((1372933815,), datetime(2013, 7, 4, 10, 30, 15, tzinfo=UTC)),
        ),
        total=False,
        words="the timestamp of {0}",
        names=Names(label="a conversion to a timestamp"),
        monotone=(Order.RISES,),
    ),
    Operator(
        "to_duration",
        ("string -> duration",),
        (
            "A duration from a string in Go's syntax (nanoseconds are truncated): at most nine numbers with "
            "units, each with at most 15 digits and 9 decimal places."
        ),
        (
            (("1h30m",), timedelta(minutes=90)),
            (("-1.5s",), timedelta(seconds=-1.5)),
            (("0",), timedelta(0)),
            (("0.5us0.5us",), timedelta(microseconds=1)),
            (("90",), None),
            (("1d",), None),
            (("87660001h",), None),
        ),
        total=False,
        words="the duration of {0}",
        names=Names(label="a conversion to a duration"),
        without_formula=ANY_FUNCTION,
    ),
    Operator(
        "to_quantity",
        ("string -> double",),
        (
            "The double nearest to a Kubernetes quantity: a number of up to 60 digits on each side of "
            "the decimal point, with a unit (`100Mi`, `500m`) or an exponent."
        ),
        (
            (("1.5Gi",), 1610612736.0),
            (("500m",), 0.5),
            (("1.1G",), 1.1e9),
            (("2E",), 2e18),
            (("2E2",), 200.0),
            (("-.5k",), -500.0),
            (("+1.",), 1.0),
            (("0.1",), 0.1),
            (("3n",), 3e-9),
            (("1Ei",), 2.0**60),
            (("1K",), None),
            (("",), None),
            (("1e100",), None),
            (("1 k",), None),
        ),
        total=False,
        words="the quantity of {0}",
        names=Names(label="quantity"),
        without_formula=ANY_FUNCTION,
    ),
    Operator(
        "to_date",
        ("string -> date", "timestamp -> date"),
        "A date from YYYY-MM-DD, or the UTC day of a timestamp.",
        ((("2013-07-04",), DAY), (("2013-02-30",), None), ((MOMENT,), DAY)),
        total=False,
        words="the date of {0}",
        names=Names(label="a conversion to a date"),
        monotone=(Order.RISES,),
    ),
)
