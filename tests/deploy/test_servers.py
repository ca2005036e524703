"""PostgreSQL of each version, with each order of strings, that this machine can start: the tests of
deployments, of jsonb and of indexes hold on all of them.
"""

import os
import subprocess
import sys

import psycopg
import pytest

from tests.conftest import ROOT
from tests.deploy import servers

pytestmark = pytest.mark.slow
# What depends on the version or on the order: views and their text, locks, functions, plans, jsonb, indexes.
TESTS = (
    *(f"tests/deploy/test_{name}.py" for name in ("views", "functions", "filter_functions", "suspend")),
    *(f"tests/deploy/test_{name}.py" for name in ("headers", "column_types", "policies")),
    "tests/policies/test_server.py",
    "tests/deploy/test_versions.py",
    "tests/deploy/test_advice.py::test_each_proposal_is_used_once_it_is_made",
    "tests/engines/test_jsonb.py::test_the_rows_of_the_evaluator[True]",
    "tests/engines/test_jsonb.py::test_an_index_on_the_value_or_its_text",
    "tests/engines/test_jsonb.py::test_an_index_that_was_dropped",
    "tests/engines/test_indexes.py::test_the_same_rows[]",
)
PROGRAMS = {"embedded": servers.PROGRAMS} | {place.parent.name: place for place in servers.OTHERS}
RAN: set[str] = set()


@pytest.mark.parametrize("order", ["C", "en_US", "ICU"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_server(name: str, order: str) -> None:
    try:
        with servers.server(PROGRAMS[name], order) as dsn:
            RAN.add(name)
            _run(dsn, order)
    except (OSError, subprocess.CalledProcessError) as error:
        said = str(getattr(error, "stderr", None) or error).strip().splitlines()
        pytest.skip(f"PostgreSQL {name} has no database with {order}: {said[-1]}")


def _run(dsn: str, order: str) -> None:
    with psycopg.connect(dsn) as connection:
        (after,) = connection.execute("SELECT 'a' > 'B'").fetchall()[0]
    assert after == (order == "C"), "the order of strings is another one"
    environment = {**os.environ, "PREDICAT_TEST_DSN": dsn}
    environment.pop("PYTEST_XDIST_WORKER", None)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *TESTS]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-20_000:]


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_version_has_run(name: str) -> None:
    assert name in RAN, "no order of strings could be had"
