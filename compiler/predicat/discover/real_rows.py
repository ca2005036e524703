"""Rows of the data for the tests of proposed filters, without what may tell who a person is."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from predicat.api import Predicate, parse
from predicat.catalog import Catalog
from predicat.catalog.manifest import plain
from predicat.deploy.describe import Column
from predicat.diagnostics import PredicatError
from predicat.discover.catalogs import dataset_of
from predicat.discover.counts import Engine, Missing, Name, fields_in, relation_named
from predicat.discover.examples import Constants, Row, outcome_of
from predicat.discover.one_off import KEY, is_made_up

# Relations that are read, at most, and filters of each.
_MAX_RELATIONS = 50
_MAX_FILTERS = 60
# Words in the names of columns that are about a person, or secret, or free text.
_PERSONAL = re.compile(
    r"mail|name|phone|address|birth|passw|passport|iban|secret|token|salary|diagnos|useragent|(?:^|_)(?:mobile|fax|"
    r"street|city|zip|postal|postcode|dob|age|gender|sex|ssn|tax|card|account|ip|agent|lat|lon|lng|geo|comment|note|"
    r"message|text|body|title|subject|description|url|user|customer|patient|person|member|author|owner)s?(?:$|_)",
    re.IGNORECASE,
)
_LONGEST_TEXT = 40


class RealRows:
    """Finds rows of an engine: one that a filter accepts, one that it rejects.

    A value is copied only from columns of which the code itself has values, and whose names and declarations
    do not say that they are keys, about persons or sensitive.
    """

    def __init__(self, engine: Engine, catalog: Catalog | None) -> None:
        self.engine = engine
        self.catalog = catalog
        self.known = engine.relations()
        self.columns: dict[Name, Sequence[Column]] = {}
        self.asked: dict[str, int] = {}

    def of(self, relation: str, sql: str, predicate: Predicate, constants: Constants) -> dict[bool, Row]:
        """The rows of a filter by what it is for them; those that there are."""
        if not all(self._is_harmless(relation, name, constants) for name in predicate.fields):
            return {}
        if relation not in self.asked and len(self.asked) >= _MAX_RELATIONS:
            return {}
        self.asked[relation] = self.asked.get(relation, 0) + 1
        name = relation_named(relation, self.known)
        if isinstance(name, str) or self.asked[relation] > _MAX_FILTERS:
            return {}
        try:
            return self._rows(name, sql, predicate)
        except (PredicatError, SqlglotError, Missing, RecursionError, ArithmeticError):
            return {}

    def _rows(self, relation: Name, sql: str, predicate: Predicate) -> dict[bool, Row]:
        if relation not in self.columns:
            self.columns[relation] = self.engine.columns(relation)
        fields = fields_in(sql, self.columns[relation])
        condition = parse(sql, "sql", fields).sql(self.engine.dialect)
        names = [
            exp.column(field["column"], quoted=True).sql(self.engine.dialect) for field in fields.values()
        ]
        result: dict[bool, Row] = {}
        for wanted, where in ((True, condition), (False, f"NOT ({condition})")):
            values = self.engine.row(relation, names, where)
            row = {key: plain(value) for key, value in zip(fields, values, strict=False) if value is not None}
            if values and not _tells(row.values()) and outcome_of(predicate, row) is wanted:
                result[wanted] = row
        return result

    def _is_harmless(self, relation: str, name: str, constants: Constants) -> bool:
        dataset = dataset_of(relation, self.catalog) if self.catalog is not None else None
        fields: Mapping[str, Any] = dataset.fields if dataset is not None else {}
        if (name in fields and fields[name].sensitive) or _PERSONAL.search(name) or KEY.search(name):
            return False
        return bool(constants.get(name))


def _tells(values: Collection[Any]) -> bool:
    """Whether a value is of those that identify something, or a text that somebody wrote."""
    texts = [value for value in values if isinstance(value, str)]
    return any(is_made_up(text) or len(text) > _LONGEST_TEXT for text in texts)
