"""PostgreSQL: functions of the runtime that read a JSON value, or a member of a JSON object, as a type.

jsonb writes numbers without exponents. So a short one without a point is a whole number that neither a double
nor an integer rounds; it needs no other function.
"""

from __future__ import annotations

from collections.abc import Iterator

from predicat.backends.sql.functions import OF_JSON, OF_MEMBER
from predicat.backends.sql.postgres import POSTGRES
from predicat.backends.sql.postgres.definition import Definition
from predicat.backends.sql.postgres.installed_conversions import SINCE

# The arguments of a function, as they are declared and as they are passed on, the value, and its text.
_FORMS = (("j jsonb", "j", "j", "(j #>> '{}')"), ("j jsonb, k text", "j, k", "j -> k", "j ->> k"))
_NUMBER = "JSONB_TYPEOF({value}) = 'number'"
# A body of which the parts are those of a form, and `exact` a call of the function for any value.
_WHOLE = "OCTET_LENGTH({text}) <= 15 AND STRPOS({text}, '.') = 0"


def _by_kind(**results: str) -> str:
    whens = " ".join(f"WHEN '{kind}' THEN {result}" for kind, result in results.items())
    return f"CASE JSONB_TYPEOF({{value}}) {whens} END"


def _number(kind: str, usual: str, **others: str) -> str:
    """A cast of the text of a usual number. The cast is around the CASE, as in other conversions."""
    cast = f"CAST(CASE WHEN {_NUMBER} AND {usual} THEN {{text}} END AS {kind})"
    return f"COALESCE({cast}, {_by_kind(**others, number='{exact}')})"


_TEXT = _by_kind(
    string="{text}", boolean="{text}", number=f"CASE WHEN {_WHOLE} THEN {{text}} ELSE {{exact}} END"
)
# Servers that cannot test a string, before 16, leave strings to the function for any value.
_NARROW = {
    True: "pg_input_is_valid({text}, 'int4')",
    False: "OCTET_LENGTH({text}) <= 9 AND STRPOS({text}, '.') = 0",
}


def _bodies(*, tests_strings: bool) -> dict[str, tuple[str, str]]:
    """The types that the functions return, and their bodies."""

    def string(sql: str) -> str:
        return sql if tests_strings else "{exact}"

    narrow, bigint = _NARROW[tests_strings], "predicat.to_bigint({text})"
    int_ = f"CASE WHEN {bigint} BETWEEN -2147483648 AND 2147483647 THEN {bigint} END"
    double, boolean = string("predicat.to_double({text})"), string("predicat.to_boolean({text})")
    return {
        "text": ("text", _TEXT),
        "text_to_bigint": ("bigint", _number("bigint", _WHOLE, string=string(bigint))),
        "text_to_int": ("bigint", _number("bigint", narrow, string=string(int_))),
        "text_to_double": ("float8", _number("float8", "OCTET_LENGTH({text}) < 300", string=double)),
        "text_to_boolean": (
            "boolean",
            _by_kind(boolean="{text} = 'true'", string=boolean, number="{exact}"),
        ),
        "text_to_date": ("date", _by_kind(string=string("predicat.to_date({text})"))),
        "text_to_timestamp": ("timestamptz", _by_kind(string=string("predicat.to_timestamp({text})"))),
        "round_to_bigint": ("bigint", _number("bigint", _WHOLE)),
        "round_to_int": ("bigint", _number("bigint", narrow)),
    }


def definitions(server: int) -> Iterator[Definition]:
    """The functions of a version of the server, each after those that it calls."""
    for name, (returns, body) in _bodies(tests_strings=server >= SINCE).items():
        kind = name.rpartition("_")[2]
        read = "the text of j ->> k" if kind == name else f"CAST(j ->> k AS {kind})"
        note = f"{read.replace('->>', '->') if name.startswith('round') else read}, NULL if there is none"
        for arguments, given, value, text in _FORMS:
            meaning = (OF_MEMBER if "k" in arguments else OF_JSON)[name]
            exact = POSTGRES.text(POSTGRES.tree(meaning))
            call = f"predicat.exact_{name}({given})"
            usual = body.format(value=value, text=text, exact=call)
            # Cheaper than the author's cast, so that the planner evaluates it first: see `index_numbers`.
            yield Definition(f"exact_{name}", arguments, returns, exact, note, stable=True, cost=1)
            yield Definition(name, arguments, returns, usual, note, stable=True)
