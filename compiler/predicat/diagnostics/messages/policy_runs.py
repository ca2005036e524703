"""Messages about tests of row policies. Each row is one: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics.message import Problem, Text

failed = Problem[str, str, str, str, Iterable[str]]("""(name, role, words, engine, decided) failed-test:
    {name}: {role} {words}{engine:if  on |}{engine}
    hint: {decided:semicolons}""")
# What a role may do with a row, and what it may not, by the command.
MAY = {
    ("select", False): ("sees this row", "does not see this row"),
    ("update", False): ("may update this row", "may not update this row"),
    ("delete", False): ("may delete this row", "may not delete this row"),
    ("insert", True): ("may insert this row", "may not insert this row"),
    ("update", True): ("may change a row to this one", "may not change a row to this one"),
}
decided = Text[str, str, str]("{kind} {name} is {outcome}")
passes_by = Text[str]("the policies do not hold for the role {name}: it is a superuser or has BYPASSRLS")
other_session = Text[str](
    "the attribute {name} has another value in the session of the role than in the test"
)
NOTHING_TO_CHANGE = "no row of the tests is one that the role may update"
NO_PERMISSIVE = "no permissive policy holds for it"
