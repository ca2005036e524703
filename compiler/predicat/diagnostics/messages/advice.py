"""Messages of advice on indexes and statistics. Each row is one: see the package."""

from __future__ import annotations

from predicat.diagnostics.message import Failure, Problem

NO_QUERIES = "nothing was judged: no filter has a view in PostgreSQL, and no workload is given"

scan = Problem[str, str, float, str]("""(name, table, read, found) warning[sequential-scan]: {name} reads all
    {read:,.0f} rows of {table} and finds {found}; no index that was tried helps""")
estimate = Problem[str, float, float, float]("""(name, off, expected, rows) warning[estimate]: the planner
    estimates {expected:,.0f} rows for {name}, and there are {rows:,.0f}: off by a factor of {off:,.0f}""")
redundant = Failure[str, str, int]("""(index, wider, size) warning[redundant-index]: the index {index}
    ({size:,} bytes) is redundant: its key columns are the leading ones of {wider}
    hint: DROP INDEX CONCURRENTLY {index}""")
unused = Failure[str, str, int]("""(index, counted, size) warning[unused-index]: no query has used the index
    {index} ({size:,} bytes) since {counted:if {counted}|the statistics began}
    hint: look at the counts of replicas, too; then DROP INDEX CONCURRENTLY {index}""")
too_large = Failure[str, int, int]("""(table, size, most) warning[not-tried]: no index was tried on {table},
    which has {size:,} bytes, as writers wait while an index is made: at most {most:,} bytes without --create
    hint: run it on a copy, or with --create at a quiet time""")
no_index_possible = Failure[str]("""warning[not-tried]: no index was tried on {table}, which is no table""")
not_explained = Problem[str, str]("""(name, reason) warning[not-judged]: {name} has no plan: {reason}""")
cancelled = Failure[str, str]("warning[not-tried]: the index {text} was not tried: {reason}")
no_statements = Failure[str]("""usage: {file} has no SQL statement
    hint: write one statement after another, each with a semicolon""")
unreadable_workload = Failure[str, str]("""usage: {file} is not SQL of PostgreSQL: {reason}""")

# What lint says, without numbers, which change with the rows.
FOUND = {
    "index": "the planner would use an index that is not there",
    "statistics": "the planner's row estimate is wrong without these statistics",
    "sequential-scan": "it reads a large table to find few rows",
    "estimate": "the planner's row estimate is wrong",
    "redundant-index": "the key columns of the index are the leading ones of another index",
    "unused-index": "no query has used the index",
}
