"""A condition as typed predicates: one over the widest types that its fields may have, one over the
narrowest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct

from predicat.api import parse
from predicat.check.resolve import check
from predicat.check.scope import SQL_RULES, Scope
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import verdicts as say
from predicat.discover.abstraction import Abstract, read_sql
from predicat.discover.conditions import Condition
from predicat.discover.infer import Unclear, infer
from predicat.discover.layout import as_laid_out
from predicat.ir import syntax as t
from predicat.ir.nodes import Node
from predicat.language import LANGUAGES
from predicat.lower import core


class Subject(Struct, frozen=True):
    """What the meaning of a condition depends on: two conditions with one item are judged once.

    `accepts` says whether a row for which it is UNKNOWN is accepted, as a CHECK constraint does, `writes`
    whether it is about rows that are written (see `Condition`). `before` are
    the conditions of the branches of a CASE that come first. `laid_out` is the text in its dialect with
    parentheses as its lines group it, if that is another grouping. If it has either, `written` is the text in
    its dialect. `bare` says that a table in front of all names is left out.
    """

    text: str
    language: str
    dialect: str
    types: tuple[tuple[str, str], ...] = ()
    on: str | None = None
    collation: str = ""
    accepts: bool = False
    writes: bool = False
    before: tuple[str, ...] = ()
    laid_out: str = ""
    written: str = ""
    bare: bool = False

    @property
    def key(self) -> str:
        """The item as a text."""
        return json.dumps(
            [
                self.text,
                self.language,
                self.dialect,
                self.types,
                self.on,
                self.collation,
                self.accepts,
                self.writes,
                self.before,
                self.laid_out,
                self.written,
                self.bare,
            ]
        )

    def as_written(self, text: str) -> Subject:
        """A text of the same dialect, over the same fields."""
        return Subject(text, "sql", self.collation, self.types, self.on, self.collation)


def subject_of(condition: Condition, before: Sequence[str] = ()) -> Subject:
    """The item of a condition, with the conditions of earlier branches."""
    params = {f":{name}": kind for name, kind in condition.params.items() if kind}
    laid_out = as_laid_out(condition.text, condition.dialect) if condition.language == "sql" else None
    if laid_out and not is_whole_text(condition):
        laid_out = None
    types = {**condition.fields, **params}
    return Subject(
        condition.sql or condition.text,
        condition.language,
        "" if condition.sql else condition.dialect,
        tuple(sorted(types.items())),
        condition.on,
        condition.dialect,
        condition.accepts,
        condition.writes,
        tuple(before),
        laid_out or "",
        condition.text if laid_out or before else "",
        bare=not condition.sql,
    )


def is_whole_text(condition: Condition) -> bool:
    """Whether the text of a condition of SQL says what its `sql` says: a text that was cut out of a file may
    lack a part.
    """
    if not condition.sql:
        return True
    try:
        read = [
            read_sql(text, dialect, bare=True)
            for text, dialect in ((condition.text, condition.dialect), (condition.sql, ""))
        ]
    except (PredicatError, RecursionError):
        return False
    forms = [_normal_text(one.tree, one.parts) for one in read]
    return forms[0] == forms[1]


def _normal_text(tree: t.Tree, parts: AbstractSet[str]) -> str:
    """A tree without its places and the spelling of its names: equal for equal conditions."""
    match tree:
        case t.OperatorCall(op, args):
            return f"({op} {' '.join(_normal_text(arg, parts) for arg in args)})"
        case t.ListLiteral(items):
            return f"[{' '.join(_normal_text(item, parts) for item in items)}]"
        case t.Name(name):
            return "?" if name in parts else name.rpartition(".")[2].casefold()
        case t.Constant(value):
            return repr(value)
        case _:
            return repr(tree)


class Typed(Struct, frozen=True):
    """A condition with types.

    Attributes:
        tree: What was read; None for languages that have types of their own.
        wide: Over the widest types that its fields may have: what holds for every row of them holds for the
            real ones.
        narrow: Over the narrowest.
        inferred: The fields whose types were inferred.
        queries: Whether a part is a subquery, so that its text does not tell what it is elsewhere.
    """

    tree: t.Tree | None
    wide: Node
    narrow: Node
    inferred: Mapping[str, str]
    queries: bool = False


def typed(item: Subject) -> Typed:
    """A condition with types. Raises Unclear with the reason where it is not judged."""
    return together([item])[0]


def together(items: Sequence[Subject]) -> list[Typed]:
    """Conditions with types, each field with one type in all of them. Raises Unclear with the reason."""
    try:
        if items[0].language != "sql":
            return [_of_language(item) for item in items]
        return _of_sql(items, list(map(_read, items)))
    except PredicatError as error:
        raise Unclear(error.diagnostics[0].message if error.diagnostics else say.NO_REASON) from None
    except (RecursionError, ArithmeticError):
        raise Unclear(say.NO_REASON) from None


def _of_language(item: Subject) -> Typed:
    is_data = LANGUAGES[item.language].shape != "text" and item.text.lstrip()[:1] in ("{", "[")
    value = json.loads(item.text) if is_data else item.text
    predicate = parse(value, item.language, dict(item.types) or None, on=item.on)
    return Typed(None, predicate.node, predicate.node, {})


def _read(item: Subject) -> Abstract:
    return read_sql(item.text, item.dialect, bare=item.bare, fields=[name for name, _ in item.types])


def _of_sql(items: Sequence[Subject], read: Sequence[Abstract]) -> list[Typed]:
    collation = next((item.collation for item in items if item.collation), "")
    span = read[0].tree.span
    whole = t.OperatorCall("and", tuple(one.tree for one in read), span) if len(read) > 1 else read[0].tree
    known = {name: kind for item in items for name, kind in item.types}
    kinds = {name: kind for one in read for name, kind in one.kinds.items()}
    types = infer(whole, collation, known, kinds)
    trees = types.tree.args if len(read) > 1 and isinstance(types.tree, t.OperatorCall) else (types.tree,)
    wide, narrow = Scope(types.wide), Scope(types.narrow)
    return [
        Typed(
            tree,
            core(check(tree, wide, SQL_RULES)),
            core(check(tree, narrow, SQL_RULES)),
            types.inferred,
            one.queries,
        )
        for tree, one in zip(trees, read, strict=True)
    ]
