"""Messages about functions of SQL. Each function is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.source import Span


def length_not_constant(span: Span, name: str, most: int) -> Diagnostic:
    return msg.unsupported_syntax(
        span, f"{name} with this length", f"the length must be a constant integer from 0 to {most}"
    )


def text_not_constant(span: Span, name: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span, f"{name} with a string that is not a constant", "write a string in single quotes"
    )


def number_not_constant(span: Span, name: str) -> Diagnostic:
    return msg.unsupported_syntax(span, f"{name} with a number that is not a constant", "write an integer")


def separator_is_pattern(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "split by a regular expression",
        "split takes a pattern in Spark: escape special characters ('[.]'), or write split_part(s, '.', 1)",
    )


def position_of_none(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "array_position",
        "for a missing element it is 0 in Spark and NULL in PostgreSQL: write array_contains(xs, x), or a "
        "spark: or postgres: filter",
    )


def one_separator(span: Span, most: int) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "this count of SUBSTRING_INDEX",
        f"the count must be -{most} to {most}, or 1 for a separator of several characters: "
        "substring_index(s, '.', -1)",
    )


def flag(span: Span, flags: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span, f"the flag {flags!r} of a pattern", "write 'g' for all matches and 'i' to ignore case"
    )


def replacement(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "a group in a replacement",
        "a group is $1 in Spark and \\1 in PostgreSQL: write a spark: or a postgres: filter",
    )


def replace_all_or_first(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "regexp_replace without flags",
        "Spark replaces all matches, PostgreSQL the first one: write regexp_replace(s, pattern, new, "
        "'g') for all",
    )


def lambda_form(span: Span, name: str, example: str) -> Diagnostic:
    return msg.unsupported_syntax(span, f"this form of {name}", f"write {example}")


def zip_form(span: Span) -> Diagnostic:
    return lambda_form(span, "zip_with", "zip_with(xs, ys, (x, y) -> x + y)")


def translate_in_circle(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "translate with characters that replace each other",
        "replace each character only by one that is not replaced itself",
    )


def transform_here(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "transform here",
        "write exists(xs, x -> condition of x), or transform inside of exists or forall",
    )


def exponent(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "a power with this exponent",
        "engines round powers differently, except 0.5, 1 and 2: write x * x * x",
    )


def log_of_base(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "a logarithm to this base",
        "log(x) is to the base e in Spark and 10 in PostgreSQL: write ln(x) or log10(x)",
    )


def logarithm_of_zero(span: Span, name: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        name,
        "the logarithm of 0 is infinite on DuckDB only: compare the number itself, as in x > 2.718",
    )


def whole_quotient(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "DIV of numbers with decimals",
        "divide integers, or write floor(x / y) for doubles",
    )


def boundaries(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "DATE_DIFF of other units than days",
        "it counts the boundaries between two dates: compare date_trunc('month', d), or count days",
    )


def circumflex(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "the operator ^",
        "it is bitwise exclusive OR in Spark and power in PostgreSQL: write pow(a, 2), or (a | b) - (a & b)",
    )


def sha_of_bits(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "sha2 of this length", "write sha2(s, 256)")


def rounds_differently(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "round of a double to an integer",
        "Spark rounds a half away from zero, PostgreSQL to the even neighbour: write round(x, 0), or "
        "bround(x, 0)",
    )


def digits(span: Span, name: str, most: int) -> Diagnostic:
    return msg.unsupported_syntax(
        span, f"{name} to this number of digits", f"the number of digits must be a constant from 0 to {most}"
    )


def decimal_too_wide(span: Span, name: str, most: int) -> Diagnostic:
    return msg.unsupported_syntax(
        span, f"{name} of a decimal with more than {most} digits", "compare it with two bounds"
    )


def too_many_digits_of_result(span: Span, digits: int, scale: int) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"a decimal result with up to {digits} digits, {scale} after the point,",
        "Spark rounds it to fit into 38 digits, PostgreSQL does not: give an operand fewer digits, as in "
        "CAST(x AS DECIMAL(12, 2)), or calculate with CAST(x AS DOUBLE)",
    )


def type_of_variant(span: Span, word: str, known: Iterable[str]) -> Diagnostic:
    return msg.bad_value(span, word, "it is not a type of variant_get", f"write one of: {', '.join(known)}")


def json_path(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "this path into JSON", "write keys and indexes: '$.a.b[0]'")


def no_json(span: Span, kind: str, name: str) -> Diagnostic:
    return msg.type_mismatch(span, name, [kind], "a json value or a string", "declare the field as json")


def text_as_json(span: Span, written: str) -> Diagnostic:
    hint = f"write {written}::jsonb, which is UNKNOWN where the string is not valid JSON"
    return msg.type_mismatch(span, "an operator of JSON", ["string"], "a json value", hint)


def decimal_digits(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "a cast to DECIMAL without digits",
        "Spark rounds to integers, PostgreSQL keeps all digits: write DECIMAL(20, 2)",
    )


def bad_decimal(span: Span, most: int) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "a cast to this DECIMAL", f"it has 1 to {most} digits, and at most as many after the point"
    )


def rounds_decimal(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "a cast to a decimal with fewer digits after the point", "write round(p, 1)"
    )


def sized_decimal_of_document(span: Span, kind: object) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"a cast of a JSON value to {kind}, which rounds,",
        "write (j ->> 'k')::numeric, and round what is compared",
    )


def decimal_of(span: Span, kind: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"a cast of a {kind} to DECIMAL",
        "PostgreSQL keeps 15 digits of a double, Spark all: write round(x, 2), or compare the double itself",
    )


def set_of_constants(span: Span, name: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"{name} with an array that is not constant",
        "write the values out: array('a', 'b'), without NULL and without doubles",
    )


def long_sequence(span: Span, most: int) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"a sequence that does not have 1 to {most} numbers",
        "write x BETWEEN 1 AND 5000 for a number between two others",
    )


def buckets(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "width_bucket with these bounds",
        "the first bound must be below the second, with at least one bucket: width_bucket(x, 0, 10, 5)",
    )


def type_of(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "the type of anything but a field with a scalar type",
        "the catalog declares the types of fields; CAST converts",
    )
