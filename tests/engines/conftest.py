"""How Spark runs what is compared with other engines."""

import pytest


@pytest.fixture(autouse=True)
def each_on_its_own(request: pytest.FixtureRequest) -> None:
    """Spark compiles each expression on its own."""
    if "spark" in request.fixturenames:
        request.getfixturevalue("one_query")
