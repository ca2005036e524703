"""Functions of Spark and PostgreSQL that are not supported, and what to write instead."""

_HASHES = "engines hash differently: compare md5(s) or sha2(s, 256), which are the same everywhere"
_CHANCE = "a filter gives the same result for the same row: store a number in a column, or use md5(s)"
_PLACE = "a filter reads the values of a row, not where it is stored: store that in a column"
_AGGREGATE = "a filter tests one row: aggregate first, and filter the result"
_TYPE = "the catalog declares the types of fields; CAST converts"
_ORDER = (
    "engines keep maps in different orders: name the key (m['k']), or write exists(map_keys(m), k -> ...)"
)
_MEMBERS = "write get_json_object(s, '$.key') for a string, or j['key'] for a field that is declared as json"
_IS_JSON = "write parse_json(s) IS NOT NULL, which is FALSE for JSON null, too"
_SORTED = "strings are ordered by a collation: write exists(xs, x -> ...)"
_ROUNDED = "engines round it differently: compare bounds of the number itself"
_BYTES = "a filter has no binary values: convert the column before, or in a view"

# What to write instead of a function, by its name in lower case.
REFUSED = {
    **dict.fromkeys(("hash", "xxhash64", "crc32", "murmur_hash", "hashtext", "sha1", "sha"), _HASHES),
    **dict.fromkeys(("rand", "randn", "random", "uuid", "gen_random_uuid", "shuffle"), _CHANCE),
    **dict.fromkeys(
        ("monotonically_increasing_id", "input_file_name", "spark_partition_id", "input_file_block_start"),
        _PLACE,
    ),
    **dict.fromkeys(
        (
            "count",
            "count_if",
            "sum",
            "avg",
            "mean",
            "min",
            "max",
            "stddev",
            "median",
            "bit_and",
            "bit_or",
            "bool_and",
            "bool_or",
            "every",
            "any_value",
            "first",
            "last",
            "collect_list",
            "array_agg",
            "string_agg",
            "percentile",
        ),
        _AGGREGATE,
    ),
    **dict.fromkeys(("typeof", "pg_typeof"), _TYPE),
    "map_values": _ORDER,
    "map_entries": _ORDER,
    **dict.fromkeys(
        ("encode", "unhex", "base64", "unbase64", "to_binary", "url_decode", "url_encode"), _BYTES
    ),
    "hex": "compare the number itself, or write it in hexadecimal digits: 0x1F",
    "to_hex": "compare the number itself, or write it in hexadecimal digits: 0x1F",
    "initcap": "Spark starts a word after a space, PostgreSQL after any special character: compare lower(s)",
    "levenshtein": "PostgreSQL has it only in an extension: compare strings, or their prefixes",
    "soundex": "PostgreSQL has it only in an extension: compare strings, or their prefixes",
    "from_json": _MEMBERS,
    "schema_of_json": _MEMBERS,
    "json_tuple": _MEMBERS,
    "json_type": _MEMBERS,
    "jsonb_typeof": _MEMBERS,
    "json_typeof": _MEMBERS,
    "json_valid": _IS_JSON,
    "is_valid_json": _IS_JSON,
    "struct": "write (a, b) = (1, 2)",
    "named_struct": "write (a, b) = (1, 2)",
    "sort_array": _SORTED,
    "array_sort": _SORTED,
    "array_except": "write exists(xs, x -> NOT x IN ('a')); in spark array_except(xs, array('a'))[0]",
    "array_intersect": "write arrays_overlap(xs, ys)",
    "array_union": "write exists(xs, ...) OR exists(ys, ...)",
    "array_distinct": "write exists(xs, x -> ...), where duplicates do not matter",
    "zip_with": "compare elements by their indexes: xs[0] + ys[0]",
    "sequence": "write a BETWEEN 1 AND 3",
    "flatten": "write exists(xs, inner -> exists(inner, x -> ...))",
    "explode": "write exists(xs, x -> ...)",
    "unnest": "write exists(xs, x -> ...), or x = ANY(xs)",
    "width_bucket": "engines round differently at the bounds: write x >= 0 AND x < 2, or a spark: filter",
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "radians", "degrees"), _ROUNDED),
    "pi": "write 3.141592653589793",
    "cbrt": _ROUNDED,
    "to_number": "write CAST(s AS DECIMAL(10, 2))",
    "format_number": "compare the number itself",
    "parse_url": "write regexp_extract(s, '^https?://([^/?#]+)', 1) for the host",
    "to_json": "compare the members one by one",
    "similarity": "write s ILIKE '%word%', or compare lower(s)",
    "to_tsvector": "write s ILIKE '%word%', or a regular expression with \\b around the word",
    "to_tsquery": "write s ILIKE '%word%', or a regular expression with \\b around the word",
    "pg_sleep": "a filter only computes: leave it out",
    "list_sort": _SORTED,
    "array_size": "write size(array)",
    "bit_count": "test the bits: a & 1 = 1",
}
