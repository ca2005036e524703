"""The storage of a relation: its indexes, and how it orders strings.

A dialect uses it to choose between forms of a condition. The meaning never depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from msgspec import Struct


class TextOrder(Struct, frozen=True):
    """How a collation orders strings and changes their case. All False: nothing is known.

    Attributes:
        by_code_point: It orders by code point.
        serves_prefixes: LIKE 'abc%' can use a plain index in this order.
        ascii_case: LOWER and UPPER change ASCII letters only.
        usual_case: LOWER and UPPER map ASCII letters to each other. Turkish, Azeri and Lithuanian do not.
        digits: It orders texts of digits with one decimal point digit by digit, and letters after digits.
    """

    by_code_point: bool = False
    serves_prefixes: bool = False
    ascii_case: bool = False
    usual_case: bool = False
    digits: bool = False


UNKNOWN_ORDER = TextOrder()


class IndexKey(Struct, frozen=True):
    """One key of an index: an expression in a normalized spelling, its operator class and its collation
    (empty: the default), and whether the expression is just a column.
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
        partial: Whether it contains only the rows of a condition.
    """

    name: str
    method: str
    keys: tuple[IndexKey, ...]
    columns: frozenset[str] = frozenset()
    partial: bool = False


class Storage(Struct, frozen=True):
    """The storage of a relation, as far as it is known.

    Attributes:
        indexes: Its indexes. None: they are not known.
        order: The default order of strings in the database.
        orders: The orders of columns with an order of their own.
        types: The types of columns, as the engine names them.
        checks: The least and the greatest value that constraints allow in numeric columns. None: no bound.
    """

    indexes: tuple[Index, ...] | None = None
    order: TextOrder = UNKNOWN_ORDER
    orders: Mapping[str, TextOrder] = {}
    types: Mapping[str, str] = {}
    checks: Mapping[str, tuple[Decimal | None, Decimal | None]] = {}

    def order_of(self, column: str) -> TextOrder:
        """The order of the strings of a column."""
        return self.orders.get(column, self.order)

    def index_on(
        self,
        expression: str,
        methods: tuple[str, ...],
        operators: tuple[str, ...] = (),
        collation: str | None = None,
        *,
        whole: bool = False,
    ) -> Index | None:
        """An index whose first key is an expression, or any key of a GIN or GiST index. With `operators`,
        one with such an operator class; with `collation`, one with this collation; `whole`: one of all rows.
        """
        for index in self.indexes or ():
            if index.method not in methods or (whole and index.partial):
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
