"""Messages about functions of SQL. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics.message import NotInFilter, Problem

length_not_constant = NotInFilter[str, int]("""{name} with this length
    hint: the length must be a constant integer from 0 to {most}""")
text_not_constant = NotInFilter[str]("""{name} with a string that is not a constant
    hint: write a string in single quotes""")
number_not_constant = NotInFilter[str]("""{name} with a number that is not a constant
    hint: write an integer""")
separator_is_pattern = NotInFilter[()]("""split by a regular expression
    hint: split takes a pattern in Spark: escape special characters ('[.]'), or write split_part(s, '.',
    1)""")
position_of_none = NotInFilter[()]("""array_position
    hint: for a missing element it is 0 in Spark and NULL in PostgreSQL: write array_contains(xs, x), or a
    spark: or postgres: filter""")
one_separator = NotInFilter[int]("""this count of SUBSTRING_INDEX
    hint: the count must be -{most} to {most}, or 1 for a separator of several characters:
    substring_index(s, '.', -1)""")
flag = NotInFilter[str]("""the flag {flags!r} of a pattern
    hint: write 'g' for all matches and 'i' to ignore case""")
replacement = NotInFilter[()](r"""a group in a replacement
    hint: a group is $1 in Spark and \1 in PostgreSQL: write a spark: or a postgres: filter""")
replace_all_or_first = NotInFilter[()]("""regexp_replace without flags
    hint: Spark replaces all matches, PostgreSQL the first one: write regexp_replace(s, pattern, new, 'g')
    for all""")
lambda_form = NotInFilter[str, str]("""this form of {name}
    hint: write {example}""")
zip_form = NotInFilter[()]("""this form of zip_with
    hint: write zip_with(xs, ys, (x, y) -> x + y)""")
translate_in_circle = NotInFilter[()]("""translate with characters that replace each other
    hint: replace each character only by one that is not replaced itself""")
transform_here = NotInFilter[()]("""transform here
    hint: write exists(xs, x -> condition of x), or transform inside of exists or forall""")
exponent = NotInFilter[()]("""a power with this exponent
    hint: engines round powers differently, except 0.5, 1 and 2: write x * x * x""")
log_of_base = NotInFilter[()]("""a logarithm to this base
    hint: log(x) is to the base e in Spark and 10 in PostgreSQL: write ln(x) or log10(x)""")
logarithm_of_zero = NotInFilter[str]("""{name}
    hint: the logarithm of 0 is infinite on DuckDB only: compare the number itself, as in x > 2.718""")
whole_quotient = NotInFilter[()]("""DIV of numbers with decimals
    hint: divide integers, or write floor(x / y) for doubles""")
boundaries = NotInFilter[()]("""DATE_DIFF of other units than days
    hint: it counts the boundaries between two dates: compare date_trunc('month', d), or count days""")
circumflex = NotInFilter[()]("""the operator ^
    hint: it is bitwise exclusive OR in Spark and power in PostgreSQL: write pow(a, 2), or (a | b) - (a &
    b)""")
sha_of_bits = NotInFilter[()]("""sha2 of this length
    hint: write sha2(s, 256)""")
rounds_differently = NotInFilter[()]("""round of a double to an integer
    hint: Spark rounds a half away from zero, PostgreSQL to the even neighbour: write round(x, 0), or
    bround(x, 0)""")
digits = NotInFilter[str, int]("""{name} to this number of digits
    hint: the number of digits must be a constant from 0 to {most}""")
decimal_too_wide = NotInFilter[str, int]("""{name} of a decimal with more than {most} digits
    hint: compare it with two bounds""")
too_many_digits_of_result = NotInFilter[int, int]("""a decimal result with up to {digits} digits, {scale}
    after the point,
    hint: Spark rounds it to fit into 38 digits, PostgreSQL does not: give an operand fewer digits, as in
    CAST(x AS DECIMAL(12, 2)), or calculate with CAST(x AS DOUBLE)""")
type_of_variant = Problem[str, Iterable[str]]("""bad-value: {word}: it is not a type of variant_get
    hint: write one of: {known:list}""")
json_path = NotInFilter[()]("""this path into JSON
    hint: write keys and indexes: '$.a.b[0]'""")
no_json = Problem[str, str]("""(kind, name) type-mismatch: {name} does not take ({kind}); it takes a json
    value or a string
    hint: declare the field as json""")
text_as_json = Problem[str]("""type-mismatch: an operator of JSON does not take (string); it takes a json
    value
    hint: write {written}::jsonb, which is UNKNOWN where the string is not valid JSON""")
decimal_digits = NotInFilter[()]("""a cast to DECIMAL without digits
    hint: Spark rounds to integers, PostgreSQL keeps all digits: write DECIMAL(20, 2)""")
bad_decimal = NotInFilter[int]("""a cast to this DECIMAL
    hint: it has 1 to {most} digits, and at most as many after the point""")
rounds_decimal = NotInFilter[()]("""a cast to a decimal with fewer digits after the point
    hint: write round(p, 1)""")
sized_decimal_of_document = NotInFilter[object]("""a cast of a JSON value to {kind}, which rounds,
    hint: write (j ->> 'k')::float8, and round what is compared""")
decimal_of = NotInFilter[str]("""a cast of a {kind} to DECIMAL
    hint: PostgreSQL keeps 15 digits of a double, Spark all: write round(x, 2), or compare the double
    itself""")
set_of_constants = NotInFilter[str]("""{name} with an array that is not constant
    hint: write the values out: array('a', 'b'), without NULL and without doubles""")
long_sequence = NotInFilter[int]("""a sequence that does not have 1 to {most} numbers
    hint: write x BETWEEN 1 AND 5000 for a number between two others""")
buckets = NotInFilter[()]("""width_bucket with these bounds
    hint: the first bound must be below the second, with at least one bucket: width_bucket(x, 0, 10, 5)""")
type_of = NotInFilter[()]("""the type of anything but a field with a scalar type
    hint: the catalog declares the types of fields; CAST converts""")
