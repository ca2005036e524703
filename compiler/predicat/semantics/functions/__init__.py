"""The functions of operators, by topic as in `predicat.ir.operators`.

A new operator has a row there, and here an entry in one table of its topic: in `FUNCTIONS` if it is strict,
in `CHOSEN` if its function also depends on the types or constants of the call, and in `NOT_STRICT` if it may
have a value though an argument is UNKNOWN.
"""

from __future__ import annotations

from predicat.semantics.closures import Choose, Function, NotStrict
from predicat.semantics.functions import collections, conversions, documents, logic, numbers, texts, times

_TOPICS = (logic, numbers, texts, conversions, times, collections, documents)

FUNCTIONS: dict[str, Function] = {op: row for topic in _TOPICS for op, row in topic.FUNCTIONS.items()}
CHOSEN: dict[str, Choose] = {op: row for topic in _TOPICS for op, row in topic.CHOSEN.items()}
NOT_STRICT: dict[str, NotStrict] = {**logic.NOT_STRICT, **documents.NOT_STRICT}
