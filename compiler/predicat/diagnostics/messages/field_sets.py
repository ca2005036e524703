"""Messages about sets of fields that datasets share. Each row is one: see the package."""

from __future__ import annotations

from predicat.diagnostics.message import Problem

SET_OF_FIELDS = "a set of fields"

another_type = Problem[str, str, str, str]("""bad-value: field {name}: it is {own} here, but {other} in {file}
    hint: give it one type, or rename it""")
file_elsewhere = Problem[str]("""bad-value: include: {name!r} is not in the folder of the catalog
    hint: move it there; the path is relative to this file""")
no_file = Problem[str]("""bad-value: include: there is no file {name}
    hint: the path is relative to this file""")
has_definitions = Problem[()]("""bad-value: include: the file has definitions of a dataset
    hint: write the fields that datasets share into a file of their own, as under fields:""")
no_yaml = Problem[str]("""bad-value: include: {name} is not a .yml file
    hint: write the fields into a .yml file""")
no_fields = Problem[()]("""bad-value: include: the file has no fields
    hint: write fields into it, as name: type""")
fields_below_a_key = Problem[str]("""bad-value: include: the fields are below the key {key!r}
    hint: remove {key}: the file has only fields""")
nested = Problem[()]("""bad-value: include: a set of fields cannot include another one
    hint: include both: [common.yml, more.yml]""")
