"""The targets of `predicat export`: the one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from predicat.exporting.asked import Asked, Text


class Setting(Struct, frozen=True):
    """An option that only one target has. With `many` it can be repeated; `value` is its value in help."""

    name: str
    text: str
    value: str = ""
    default: str | None = None
    choices: tuple[str, ...] = ()
    many: bool = False


class Target(Struct, frozen=True):
    """What filters can be exported to.

    Attributes:
        what: What is written, for the help of the command.
        tested: How what is written was tested: what was run, and what was only parsed.
        module: The module and the function that writes the texts. "": the command has arguments of its own.
        settings: The target's own options.
        out: The folder that is written without `--out`; "": standard output.
        params: Whether parameters get their values when it is written.
        next: What to do with the folder `{out}`, told when it is written.
    """

    what: str
    tested: str
    module: str = ""
    settings: tuple[Setting, ...] = ()
    out: str = ""
    params: bool = True
    next: str = ""

    def texts(self, asked: Asked) -> Iterator[Text]:
        """The files of an export. What cannot be said exactly is left out, with a refusal in the reporter."""
        module, _, name = self.module.partition(":")
        function: Callable[[Asked], Iterator[Text]] = getattr(import_module(f"{__package__}.{module}"), name)
        return function(asked)


DIALECT = Setting(
    "dialect", "The engine of the conditions.", default="postgres", choices=("postgres", "spark", "duckdb")
)
# Those of `dbt_targets`, which takes long to import.
DBT_ADAPTERS = ("postgres", "spark", "duckdb", "databricks", "snowflake", "bigquery", "redshift", "trino")
_TRANSLATED = "not run; the condition has the evaluator's rows on DuckDB, as sqlglot translates it"
_TABLE = Setting("table", "The table of a filter; {dataset} stands for its dataset.", "NAME", "{dataset}")
TARGETS: Mapping[str, Target] = {
    "dbt": Target(
        "Write a dbt package. It has the macro {{ predicat_filters.matches_filter('name') }}, and generic "
        "tests of coverage.",
        "dbt runs the package on PostgreSQL and DuckDB; other adapters: read by sqlglot",
        "dbt:texts",
        (
            Setting(
                "target",
                "An adapter to write SQL for; can be repeated.  [default: postgres, spark, duckdb, which "
                "are run]",
                "ADAPTER",
                choices=DBT_ADAPTERS,
                many=True,
            ),
        ),
        "target/dbt",
        params=False,
        next="add it to packages.yml as - local: {out}",
    ),
    "pipeline": Target(
        "Write a project of Spark Declarative Pipelines. Each filter of a job or dataset is a view, a table "
        "or a sink.",
        "spark-pipelines runs the project",
        out="target/pipeline",
    ),
    "databricks": Target(
        "Write a SQL function of each filter for Unity Catalog of Databricks, which row filters and policies "
        "call.",
        "the function is run as a SQL function of Spark 4; the other statements are not run",
        "databricks:texts",
        (
            Setting(
                "as",
                "What is written beside the function: nothing, ALTER TABLE ... SET ROW FILTER, CREATE "
                "POLICY, or row_filter of dbt-databricks.",
                default="function",
                choices=("function", "row-filter", "policy", "dbt"),
            ),
            Setting(
                "of",
                "What the functions are of: each filter, or the row policies of each dataset together.",
                default="filters",
                choices=("filters", "policies"),
            ),
            Setting(
                "attribute",
                "What an attribute of policies is: current_user(), is_account_group_member('...').",
                "NAME=FUNCTION",
                many=True,
            ),
            Setting("schema", "The schema of the functions.", "CATALOG.SCHEMA"),
            Setting(
                "to",
                "Whom the policy is for; can be repeated. Default: account users.",
                "PRINCIPAL",
                many=True,
            ),
            Setting("except", "Whom the policy is not for; can be repeated.", "PRINCIPAL", many=True),
            Setting(
                "tag",
                "The governed tag by which the policy finds columns: its values are their names.",
                "KEY",
                "predicat_column",
            ),
        ),
    ),
    "iceberg": Target(
        "Write the expressions of Apache Iceberg, for filters of scans and read restrictions.",
        "pyiceberg's evaluator and its scans accept the same rows",
        "conditions:iceberg",
    ),
    "gx": Target(
        "Write row conditions of Great Expectations.",
        "Great Expectations selects the same rows on PostgreSQL, Spark and pandas",
        "row_conditions:texts",
        (DIALECT,),
    ),
    "soda": Target(
        "Write filters of SodaCL: filter TABLE [NAME].",
        "soda scan counts the same rows on DuckDB",
        "conditions:soda",
        (DIALECT,),
    ),
    "dbt_where": Target(
        "Write the conditions as variables of a dbt project, for where: of its tests.",
        "dbt test counts the same rows on DuckDB",
        "conditions:dbt_where",
        (DIALECT,),
    ),
    "metricflow": Target(
        "Write the conditions as filter: of MetricFlow's metrics.",
        "read by dbt-semantic-interfaces, and its SQL is run on DuckDB; MetricFlow is not run",
        "conditions:metricflow",
        (DIALECT, Setting("entity", "The entity whose dimensions the columns are.", "ENTITY", "row")),
    ),
    "cube": Target(
        "Write segments of Cube, in a cube that others extend.",
        "the SQL of Cube's compiler 0.33 counts the same rows on DuckDB",
        "conditions:cube",
        (DIALECT,),
    ),
    "odcs": Target(
        "Write data contracts (ODCS) whose rules count the accepted rows.",
        "datacontract test counts the same rows on DuckDB",
        "conditions:odcs",
        (DIALECT,),
    ),
    "bigquery": Target(
        "Write a row access policy of BigQuery for each filter.",
        _TRANSLATED,
        "row_access:bigquery",
        (
            Setting("to", "Who sees the rows; can be repeated.", "GRANTEE", many=True),
            _TABLE,
        ),
    ),
    "snowflake": Target(
        "Write a row access policy of Snowflake for each filter, or named filters of a semantic model.",
        _TRANSLATED,
        "row_access:snowflake",
        (
            Setting(
                "as",
                "What is written: policies, policies that are attached to their tables, or named filters.",
                default="policy",
                choices=("policy", "attached", "filters"),
            ),
            Setting("schema", "The schema of the policies.", "DATABASE.SCHEMA"),
            _TABLE,
        ),
    ),
}
