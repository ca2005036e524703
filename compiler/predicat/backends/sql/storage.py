"""How the rows of a relation are stored: its indexes, and how it orders texts.

A dialect chooses among forms of a condition by it. The meaning never depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from msgspec import Struct


class TextOrder(Struct, frozen=True):
    """How a collation orders and folds texts. All FALSE: nothing is known of it.

    Attributes:
        by_code_point: It orders by code point.
        serves_prefixes: A plain index in this order serves LIKE 'abc%'.
        ascii_case: LOWER and UPPER change ASCII letters only.
        usual_case: LOWER and UPPER map ASCII letters to each other. Turkish, Azeri and Lithuanian do not.
    """

    by_code_point: bool = False
    serves_prefixes: bool = False
    ascii_case: bool = False
    usual_case: bool = False


UNKNOWN_ORDER = TextOrder()


class IndexKey(Struct, frozen=True):
    """One key of an index: an expression in the spelling that the dialect compares, its operator class and
    its collation, each empty for the default; and whether it is just a column.
    """

    expression: str
    operators: str = ""
    collation: str = ""
    is_column: bool = False


class Index(Struct, frozen=True):
    """An index.

    Attributes:
        name: Its name in messages.
        method: `btree`, `hash`, `gin`, `gist`, ...
        keys: Its keys in order.
        columns: The columns that its keys read.
        partial: Whether it has the rows of a condition only.
    """

    name: str
    method: str
    keys: tuple[IndexKey, ...]
    columns: frozenset[str] = frozenset()
    partial: bool = False


class Storage(Struct, frozen=True):
    """What is known of how a relation is stored.

    Attributes:
        indexes: Its indexes. None: they are not known.
        order: The default order of texts of the database.
        orders: The orders of columns that have their own.
        types: The types of columns, as the engine names them.
        checks: The least and the greatest value that constraints leave to columns of numbers. None: no end.
    """

    indexes: tuple[Index, ...] | None = None
    order: TextOrder = UNKNOWN_ORDER
    orders: Mapping[str, TextOrder] = {}
    types: Mapping[str, str] = {}
    checks: Mapping[str, tuple[Decimal | None, Decimal | None]] = {}

    def order_of(self, column: str) -> TextOrder:
        """How a column orders texts."""
        return self.orders.get(column, self.order)

    def index_on(
        self,
        expression: str,
        methods: tuple[str, ...],
        operators: tuple[str, ...] = (),
        collation: str | None = None,
    ) -> Index | None:
        """An index whose first key is an expression, or any key of a GIN or GiST index. With `operators`,
        one with such an operator class; with `collation`, one with this collation.
        """
        for index in self.indexes or ():
            if index.method not in methods:
                continue
            keys = index.keys if index.method in ("gin", "gist") else index.keys[:1]
            for key in keys:
                if (
                    key.expression == expression
                    and (not operators or key.operators in operators)
                    and collation in (None, key.collation)
                ):
                    return index
        return None


NOTHING_KNOWN = Storage()
