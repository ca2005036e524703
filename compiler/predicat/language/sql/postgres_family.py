"""The common rules of PostgreSQL and DuckDB that differ from the shared rules of all SQL languages."""

from __future__ import annotations

from sqlglot import exp

from predicat.language.sql import documents, ends, functions, joined, json_functions, operators
from predicat.language.sql.node_reader import Key, Rule
from predicat.language.sql.shapes import BINARY, PATH, THIS

RULES: dict[Key, Rule | None] = {
    # CONCAT skips NULL; || does not.
    exp.Concat: (frozenset({"expressions", "safe", "coalesce"}), joined.concat_present),
    exp.DPipe: (BINARY | {"safe"}, joined.concat),
    exp.Left: (BINARY, ends.left),
    exp.Right: (BINARY, ends.right),
    exp.Trim: (frozenset({"this", "position", "expression"}), functions.trim_characters),
    exp.ByteString: (THIS, operators.text),
    exp.RawString: (THIS, operators.text),
    exp.BitwiseXor: (BINARY, operators.binary("bit_xor")),
    exp.JSONExtract: (PATH, documents.arrow(text=False)),
    exp.JSONExtractScalar: (PATH, documents.arrow(text=True)),
    exp.Lambda: (None, json_functions.arrow_as_lambda),
    exp.ArrayOverlaps: (BINARY, documents.overlaps),
    "sign": (None, functions.function("postgres.sign", 1)),
}
