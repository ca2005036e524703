"""How Spark runs what is compared with other engines."""

import pytest


@pytest.fixture(autouse=True)
def each_on_its_own(request: pytest.FixtureRequest) -> None:
    """Spark compiles each expression on its own."""
    given = getattr(request.node, "callspec", None)
    if "spark" in request.fixturenames and (given is None or "spark" not in given.params):
        request.getfixturevalue("one_query")
