"""Messages about functions of SQL. Each function is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.source import Span


def length_not_constant(span: Span, name: str, most: int) -> Diagnostic:
    return msg.unsupported_syntax(
        span, f"{name} with this length", f"the length is a whole number from 0 to {most} that is written out"
    )


def text_not_constant(span: Span, name: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span, f"{name} with a text that is not a constant", "write the text in single quotes"
    )


def number_not_constant(span: Span, name: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span, f"{name} with a number that is not a constant", "write the whole number out"
    )


def separator_is_pattern(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "split by a regular expression",
        "split takes a pattern in Spark: escape its signs ('[.]'), or write split_part(s, '.', 1)",
    )


def position_of_none(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "array_position",
        "of what is not found it gives 0 in Spark and NULL in PostgreSQL: write array_contains(xs, x), or a "
        "spark: or postgres: filter",
    )


def one_separator(span: Span, most: int) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "this place of SUBSTRING_INDEX",
        f"a place is -{most} to {most}, of several characters 1: substring_index(s, '.', -1)",
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
        "Spark replaces all matches, PostgreSQL one: write regexp_replace(s, pattern, new, 'g') for all",
    )


def lambda_form(span: Span, name: str, example: str) -> Diagnostic:
    return msg.unsupported_syntax(span, f"this form of {name}", f"write {example}")


def zip_form(span: Span) -> Diagnostic:
    return lambda_form(span, "zip_with", "zip_with(xs, ys, (x, y) -> x + y)")


def translate_in_circle(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "translate of characters that become each other",
        "each character may become one that is not replaced as well",
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
        "engines round other powers than 0.5, 1 and 2 differently: write x * x * x",
    )


def log_of_base(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "a logarithm to this base",
        "log(x) is to the base e in Spark and 10 in PostgreSQL: write ln(x) or log10(x)",
    )


def logarithm_of_zero(span: Span, name: str) -> Diagnostic:
    return msg.unsupported_syntax(
        span, name, "of 0 it is infinite on DuckDB alone: compare the number itself, as in x > 2.718"
    )


def whole_quotient(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "DIV of numbers with decimals",
        "divide whole numbers, or write floor(x / y) of doubles",
    )


def boundaries(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "DATE_DIFF of other units than days",
        "it counts the boundaries between: compare date_trunc('month', d), or count days",
    )


def circumflex(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "the operator ^",
        "it is the exclusive or in Spark and the power in PostgreSQL: write pow(a, 2), or (a | b) - (a & b)",
    )


def sha_of_bits(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "sha2 of this length", "write sha2(s, 256)")


def rounds_differently(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "round of a double to a whole number",
        "a half goes away from zero in Spark and to the even neighbour in PostgreSQL: write round(x, 0), or "
        "bround(x, 0)",
    )


def digits(span: Span, name: str, most: int) -> Diagnostic:
    return msg.unsupported_syntax(
        span, f"{name} to so many digits", f"the digits are a number from 0 to {most} that is written out"
    )


def decimal_too_wide(span: Span, name: str, most: int) -> Diagnostic:
    return msg.unsupported_syntax(
        span, f"{name} of a decimal of more than {most} digits", "compare it with bounds"
    )


def too_many_digits_of_result(span: Span, digits: int, scale: int) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        f"a result of decimals with up to {digits} digits, {scale} behind the point,",
        "Spark rounds it to fit into 38 digits, PostgreSQL does not: give an operand fewer digits, as in "
        "CAST(x AS DECIMAL(12, 2)), or calculate with CAST(x AS DOUBLE)",
    )


def type_of_variant(span: Span, word: str, known: Iterable[str]) -> Diagnostic:
    return msg.bad_value(span, word, "it is no type of variant_get here", f"write one of: {', '.join(known)}")


def json_path(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(span, "this path in JSON", "write keys and places: '$.a.b[0]'")


def no_json(span: Span, kind: str, name: str) -> Diagnostic:
    return msg.type_mismatch(span, name, [kind], "a json value or a text", "declare the field as json")


def text_as_json(span: Span, written: str) -> Diagnostic:
    hint = f"write {written}::jsonb, which is UNKNOWN where the text is no JSON"
    return msg.type_mismatch(span, "an operator of JSON", ["string"], "a json value", hint)


def decimal_digits(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "a cast to DECIMAL without digits",
        "Spark makes whole numbers, PostgreSQL keeps all digits: write DECIMAL(20, 2)",
    )


def bad_decimal(span: Span, most: int) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "a cast to this DECIMAL", f"it has 1 to {most} digits, and at most as many behind the point"
    )


def rounds_decimal(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span, "a cast to a decimal with fewer digits behind the point", "write round(p, 1)"
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
        "PostgreSQL takes 15 digits of a double, Spark all: write round(x, 2), or compare the number itself",
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
        f"a sequence that is not of 1 to {most} numbers",
        "write x BETWEEN 1 AND 5000 for a number between two others",
    )


def buckets(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "width_bucket with these bounds",
        "the first bound is below the second, and there is at least one bucket: width_bucket(x, 0, 10, 5)",
    )


def type_of(span: Span) -> Diagnostic:
    return msg.unsupported_syntax(
        span,
        "the type of something else than a field with a plain type",
        "the catalog declares the types of fields; CAST converts",
    )
