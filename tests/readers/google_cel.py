"""CEL by Google's implementation in C++. A message is the row itself; a missing field is null."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from cel_expr_python import cel
from cel_expr_python.ext.ext_math import ExtMath
from cel_expr_python.ext.ext_strings import ExtStrings

FIELDS = ("m", "event_time", "publish_time", "n", "d", "s", "b")
_ENV = cel.NewEnv(variables=dict.fromkeys(FIELDS, cel.Type.DYN), extensions=[ExtStrings(), ExtMath()])


def accepts(text: str, message: Mapping[str, Any]) -> bool:
    try:
        value = _compiled(text).eval(data={**dict.fromkeys(FIELDS), **message}).plain_value()
    except RuntimeError:  # an error of evaluation
        return False
    return value is True


@cache
def _compiled(text: str) -> Any:
    return _ENV.compile(text, disable_check=True)
