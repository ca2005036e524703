"""A rule: the conditions of the code that say one thing about the rows of one relation."""

from collections import Counter
from collections.abc import Collection

from msgspec import Struct
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from predicat.api import Predicate
from predicat.discover.conditions import Condition
from predicat.discover.names import name_of
from predicat.discover.one_off import names_rows, runs_once


class Rule(Struct, eq=False):
    """A rule: its SQL, and the conditions that are this rule."""

    sql: str
    conditions: list[Condition]
    name: str = ""
    predicate: Predicate | None = None

    @property
    def part(self) -> bool:
        """Whether it is nowhere a whole condition."""
        return not any(condition.whole for condition in self.conditions)

    @property
    def accepts(self) -> bool:
        """Whether a row for which it is UNKNOWN is accepted."""
        return self.conditions[0].accepts

    @property
    def writes(self) -> bool:
        """Whether it is about rows that are written."""
        return self.conditions[0].writes

    @property
    def places(self) -> int:
        """In how many places it is."""
        return len({(condition.place.path, condition.place.start) for condition in self.conditions})

    @property
    def declared(self) -> bool:
        """Whether a table or a server declares it."""
        return any(condition.declared for condition in self.conditions)

    @property
    def files(self) -> int:
        """In how many files it is."""
        return len({condition.place.path for condition in self.conditions})

    @property
    def tree(self) -> exp.Expr:
        """Its SQL as a tree; a name for what cannot be read."""
        try:
            return parse_one(self.sql).unnest()
        except SqlglotError:
            return exp.var("rule")

    @property
    def is_bare(self) -> bool:
        """Whether it is a boolean column alone, which a filter would only give another name."""
        tree = self.tree
        is_true = isinstance(tree, exp.EQ | exp.Is) and tree.expression == exp.true()
        return isinstance(tree.this if is_true else tree, exp.Column)

    @property
    def is_comparison(self) -> bool:
        """Whether it is one comparison of a column with at most one constant, whose name says no more."""
        tree = self.tree
        columns, constants = (len(list(tree.find_all(kind))) for kind in (exp.Column, exp.Literal))
        return columns == 1 and constants <= 1 and tree.find(exp.Connector) is None

    def plainest(self) -> str:
        """Its SQL in the words that most places use, and of these in the shortest."""
        if self.conditions[0].params:
            return as_people_write(self.sql)
        written = Counter(condition.sql for condition in self.conditions)
        return as_people_write(min(written, key=lambda sql: (-written[sql], len(sql))))

    def first_name(self, taken: Collection[str] = ()) -> str:
        """A name made of its fields and values, which says what kind of rule it is, and not taken if others
        can be made.
        """
        return name_of(self.sql, "_on_write" * self.writes + "_part" * self.part, taken)

    @property
    def is_one_off(self) -> bool:
        """Whether it names single rows, as the deletion or the repair of some does: what is only in programs
        that run once compares a key with constants, what is in one place compares with a UUID or a hash.
        """
        only_once = all(map(runs_once, self.conditions))
        return (only_once or self.places == 1) and names_rows(self.sql, numbers=only_once)


def as_people_write(sql: str) -> str:
    """A condition with NOT where people write it: `a IS NOT NULL` for `NOT a IS NULL`."""
    try:
        tree = exp.paren(parse_one(sql))
    except SqlglotError:
        return sql
    for node in list(tree.find_all(exp.Not)):
        test = node.this
        if isinstance(test, exp.Is):
            test.set("expression", exp.Not(this=test.expression))
        elif isinstance(test, exp.In | exp.Like | exp.ILike | exp.Between):
            test.set("this", exp.Var(this=f"{test.this.sql()} NOT"))
        else:
            continue
        node.replace(test)
    inner: exp.Expr = tree.unnest()
    return inner.sql(comments=False)
