"""How Spark runs what is compared with other engines."""

from collections.abc import Iterator

import pytest

from predicat_spark.settings import settings

ONE_QUERY = {"spark.sql.codegen.wholeStage": "false", "spark.sql.adaptive.enabled": "false"}
"""A query here has many expressions and a few rows, and runs once. In one method for the whole stage they are
too long for Java, which Spark finds only after it has compiled them; then it compiles them once more.
"""


@pytest.fixture(autouse=True)
def one_query(request: pytest.FixtureRequest) -> Iterator[None]:
    """Expressions are compiled, each on its own."""
    if "spark" not in request.fixturenames:
        yield
        return
    with settings(request.getfixturevalue("spark"), ONE_QUERY):
        yield
