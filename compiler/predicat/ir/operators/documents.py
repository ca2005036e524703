"""Operators of JSON documents, and of Python code."""

from predicat.ir.operators.row import ANY_FUNCTION, COUNT, OF_COLLECTION, Names, Operator, Strictness

ROWS = (
    Operator(
        "parse_json",
        ("string -> json",),
        "The JSON value in a string; no value if the string is not JSON, if an object has a key twice, or "
        "for JSON null.",
        total=False,
        words="the JSON in {0}",
        names=Names(kind="JSON in a string"),
        without_formula=ANY_FUNCTION,
    ),
    Operator(
        "json_get",
        ("json, string -> json",),
        "The value of a key of a JSON object; no value for JSON null.",
        lookup=True,
        total=False,
        names=Names(label="[]", kind="a look-up", spellings=("[",)),
    ),
    Operator(
        "json_at",
        ("json, bigint -> json",),
        "The element of a JSON array at a 0-based index.",
        lookup=True,
        total=False,
        words="{0}[{1}]",
        names=Names(label="[]", kind="a look-up", spellings=("[",)),
    ),
    Operator(
        "json_is",
        ("json, =string -> boolean",),
        "Whether a JSON value is of a kind: string, number, boolean, object, array.",
        names=Names(kind="the kind of a JSON value", spellings=("==", "!=", "<>", "=", "type")),
    ),
    Operator(
        "json_null",
        ("json, string -> boolean", "json, bigint -> boolean"),
        "Whether the member or the element of a JSON value is JSON null; no value if there is none.",
        total=False,
        words="{0}[{1}] is JSON null",
        names=Names(kind="a test for JSON null"),
    ),
    Operator(
        "json_eq",
        ("json, json -> boolean",),
        (
            "Whether two JSON values are equal: numbers as doubles, arrays by position, objects by key; "
            "inside them, null equals null."
        ),
        names=Names(kind="an equality of JSON values"),
    ),
    Operator(
        "json_string",
        ("json -> string",),
        "The value of a JSON string.",
        total=False,
        words="{0}",
        names=Names(kind="a JSON value"),
    ),
    Operator(
        "json_number",
        ("json -> double",),
        "The value of a JSON number as a double; infinite if it is too large.",
        total=False,
        words="{0}",
        names=Names(kind="a JSON value"),
    ),
    Operator(
        "json_boolean",
        ("json -> boolean",),
        "The value of a JSON boolean.",
        total=False,
        words="{0}",
        names=Names(kind="a JSON value"),
    ),
    Operator(
        "json_items",
        ("json -> json",),
        "The keys of a JSON object as an array; any other value as it is.",
        words="{0}",
        names=Names(label="a macro over a list"),
        without_formula=OF_COLLECTION,
    ),
    Operator(
        "json_values",
        ("json -> json", "json, =string -> json"),
        "The values of a JSON value, or of its member with a name: the value itself or, of an array, its "
        "elements, also those of nested arrays up to three levels deep. A member that is JSON null counts as "
        "a value. Without a value the result is an empty array.",
        (),
        Strictness.NEVER,
        names=Names(label="a key with one value or several"),
        without_formula=OF_COLLECTION,
    ),
    Operator(
        "json_size",
        ("json -> bigint",),
        "Number of elements of a JSON array or of members of a JSON object.",
        total=False,
        range=COUNT,
        words="the size of {0}",
        names=Names(label="size"),
        without_formula=OF_COLLECTION,
    ),
    Operator(
        "entry_filter",
        ("=string -> boolean",),
        "What a Python class decides about the row. UNKNOWN if the class is not run.",
        total=False,
        names=Names(label="Python code"),
        without_formula="nothing is known of Python code without running it",
        words="the Python class {constant}",
    ),
)
