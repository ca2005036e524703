"""What the tools for agents say. Each row is one message: see the package."""

from __future__ import annotations

from collections.abc import Iterable

from predicat.diagnostics.message import Failure, Problem, Text

# --- a WHERE

two_tables = Problem[str, str]("""two-tables: the columns are of two tables, {one} and {other}
    hint: give the conditions on one table, without those of the join""")
unknown_table = Failure[str, Iterable[str]]("""unknown-dataset: no dataset or relation is named {name!r}
    hint: {known:near name}
    hint: the datasets: {known:listed}""")
no_table_has = Failure[Iterable[str]]("""unknown-dataset: no dataset has all columns of this WHERE
    hint: name its dataset; the datasets: {known:listed}""")
unknown_dialect = Failure[str, Iterable[str]]("""unknown-dialect: no dialect is named {name!r}
    hint: the dialects: {known:list}""")

read_from = Text[str, str, str]("on {engine} the field {name} is read from {column}")

# The first line of an answer is one of these words, a colon, and what it is about.
first_line = Text[str, str]("{kind}: {names}")
also = Text[str, str]("also {kind}: {names}")
SAME = "The WHERE accepts the same rows: proved for every row. Write the filter by its name instead."
with_values = Text[str]("Its parameters are {values}; call filter_sql with these params.")
BOTH = "The WHERE accepts the same rows as these filters joined like this: proved for every row."
NEGATED = "NOT accepts each row that the filter does not accept, those of missing values too: proved."
below_not = Text[str]("Below NOT they differ: for {row} one is FALSE and the other UNKNOWN.")
narrower = Text[str, str]("Each row of the WHERE is one of {name}, but not the reverse ({proof}).")
wider = Text[str, str]("Each row of {name} is one of the WHERE, but not the reverse ({proof}).")
differs = Text[str]("The WHERE and {name} have other rows each.")
only_filter = Text[str, str]("Only {name} accepts {row}")
only_where = Text[str]("Only the WHERE accepts {row}")
NOTHING_KNOWN = "a row whose values are all missing"
shown_by = Text[str, str, str, str]("{what}: {row} is {before} in the first and {after} in the second")
AND_REST = "If you want fewer rows, write the filter by its name AND the rest of your condition."
ASK = "Do not rewrite the filter: use it, or ask its owner which of the two is meant."
new = Text[str]("no filter of {dataset} has these rows or nearly these")
beside = Text[Iterable[str]]("Filters that read some of the same fields: {names:some 8}.")
PROPOSE = "If the condition will be used again, propose it as a filter with a name, an owner and tests."
NO_ROW = "no row"
NEVER = "The WHERE accepts no row, whatever the values. In SQL a comparison with NULL is never TRUE."
EVERY_ROW = "every row"
ALWAYS = "The WHERE accepts every row, whatever the values."
undecided = Text[str]("{names} may have the same rows or not: there is no proof within the limit of work.")
left_out = Text[int]("{count:count filter} were not compared: the limit of work is reached.")

# --- the other tools

found = Text[int, int]("{count:count filter} of {of}")
NOTHING_FOUND = "No filter has these words. Search with fewer words, or with none for all filters."
no_counts = Text[str]("{name} has not been measured: `predicat quality run` counts rows.")
counted = Text[str, str, int, int, int, str](
    "{name}{partition}: {accepted:,} of {rows:,} rows accepted, {unknown:,} UNKNOWN, measured {at}"
)
problems = Text[int]("The catalog has {count:count problem}; filters with problems are left out.")
page = Text[int, int, int]("(page {number} of {of}: call this tool again with page={following} for more)")
no_page = Failure[int, int]("no-page: there is no page {number}; the answer has {of:count page}")

surplus = Text[str, str]("note: {message}: {hint}")

# --- calls

unknown_tool = Failure[str, Iterable[str]]("""unknown-tool: no tool is named {name!r}
    hint: {known:near name}
    hint: the tools: {known:listed}""")
bad_arguments = Failure[str, str]("bad-arguments: {tool}: {reason}")
too_much = Failure[int]("too-large: the arguments have more than {most:,} bytes, or are nested too deeply")
internal = Failure[str]("internal: an error of predicat itself ({kind}); it says nothing about the filter")
not_loopback = Failure[str]("""usage: {host!r} is not an address of this machine alone
    hint: the server has no passwords: it listens on 127.0.0.1, ::1 or localhost only""")
port_taken = Failure[str, str]("usage: cannot listen on {address}: {reason}")
