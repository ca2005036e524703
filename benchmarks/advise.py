"""Whether the planner uses what `predicat advise` proposes: `python benchmarks/advise.py [dsn ...]`.

The views of 58 conditions of `indexes.yml` on an analysed table without indexes. Each proposal is then made,
the views get the form that `apply` gives them, and the plan of each query for which it was proposed either
has the index or not. Without a DSN it starts the embedded server.
"""

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import psycopg
from indexes import GROUPS, TABLE, body, catalog, database, text

from predicat.deploy import functions
from predicat.deploy.advice.advisor import Advice, Rules
from predicat.deploy.advice.run import advise
from predicat.deploy.relations import check_relations
from predicat.deploy.server import embedded
from predicat.deploy.views import views_of
from predicat.diagnostics import PredicatError

CONDITIONS = 58


def conditions() -> list[dict[str, Any]]:
    """Distinct conditions, those of all groups in turn."""
    found: dict[str, dict[str, Any]] = {}
    for number in range(max(len(group["conditions"]) for group in GROUPS)):
        for group in GROUPS:
            for condition in group["conditions"][number : number + 1]:
                found.setdefault(text(condition), body(condition))
    return list(found.values())[:CONDITIONS]


def makes(connection: psycopg.Connection, advice: Advice) -> list[set[str]]:
    """Make what is proposed. Returns the names of the new indexes of each proposal."""
    names, result = indexes(connection), []
    for proposal in advice.proposals:
        for statement in proposal.sql:
            connection.execute(statement.encode())
        result.append(indexes(connection) - names)
        names = indexes(connection)
    return result


def indexes(connection: psycopg.Connection) -> set[str]:
    query = b"SELECT indexname FROM pg_indexes WHERE schemaname = 'public'"
    return {str(name) for (name,) in connection.execute(query).fetchall()}


def measure(connection: psycopg.Connection, rows: int, *, shown: bool) -> None:
    connection.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    connection.execute(TABLE.format(rows=rows).encode())
    connection.execute("VACUUM ANALYZE public.records")
    asked = catalog(conditions())
    started = time.monotonic()
    advice = advise(asked, connection, "advice", rules=Rules(most=2**63))
    seconds = time.monotonic() - started
    new = makes(connection, advice)
    for _, statement in functions.install(connection):
        connection.execute(statement.encode())
    runtime = functions.choose(functions.read(connection)).runtime
    views = views_of(asked, "advice", check_relations(asked, connection), runtime=runtime)
    queries = {f"{view.mark.dataset}.{view.mark.filter}": view.query for view in views}
    used = helped = 0
    for proposal, names in zip(advice.proposals, new, strict=True):
        if proposal.kind != "index":
            continue
        plans = [
            str(connection.execute(f"EXPLAIN {queries[use.name]}".encode()).fetchall())
            for use in proposal.uses
        ]
        served = sum(any(name in plan for name in names) for plan in plans)
        used += served == len(plans)
        helped += served
        if shown or served < len(plans):
            print(f"{served} of {len(plans)} queries: {'; '.join(proposal.sql)}")
    if shown:
        print("\n".join(warning.render() for warning in advice.warnings))
    made = sum(one.kind == "index" for one in advice.proposals)
    uses = [use for one in advice.proposals for use in one.uses]
    falls = [max(use.before.buffers or 0, 1) / max(use.after.buffers or 0, 1) for use in uses]
    print(
        f"PostgreSQL {connection.info.server_version // 10000}, {rows:,} rows, {advice.queries} conditions: "
        f"{advice.tried} ways tried in {seconds:.0f} s; {used} of {made} proposed indexes are used, by "
        f"{helped} queries; buffers fall {median(falls or [1]):.0f} times in the median; "
        f"{len(advice.proposals) - made} proposals of statistics, {len(advice.warnings)} warnings"
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    arguments.add_argument("dsn", nargs="*", help="Servers. Default: the embedded one.")
    arguments.add_argument("--rows", type=int, default=300_000, help="Rows of the table.")
    arguments.add_argument("--order", default="C.UTF-8", help="Order of texts of the database.")
    arguments.add_argument("--shown", action="store_true", help="Print the proposals and warnings.")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="predicat-advise-") as name:
        Path(name).chmod(0o755)  # under root the embedded server runs as another user
        for dsn in given.dsn or [embedded(Path(name) / "data")]:
            with database(dsn, given.order) as connection:
                if connection is None:
                    raise SystemExit(f"this server has no order of texts {given.order}")
                measure(connection, given.rows, shown=given.shown)


if __name__ == "__main__":
    try:
        main()
    except PredicatError as error:
        raise SystemExit(str(error)) from None
