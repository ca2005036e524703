"""Messages of `predicat export`. Each row is one: see the package."""

from __future__ import annotations

from predicat.diagnostics.message import Failure, Problem, Text

python_code = Problem[str, str]("""unsupported: {filter_name} runs the Python class {name}, and no other tool
    can
    hint: export the native filter of its `after:`, or leave it out: --exclude {filter_name}""")
no_value = Problem[str, str]("""missing-parameter: {filter_name} needs a value for its parameter {name!r}
    hint: give it: --param {name}=VALUE, or give the parameter a default""")
not_overwritten = Failure[str, str]("""export: {path} {state}
    hint: put the change into the catalog; --force overwrites the file""")
told = Failure[str]("note[export]: {text}")
no_params = Text[str]("{target} gives parameters their values itself; leave --param out")
