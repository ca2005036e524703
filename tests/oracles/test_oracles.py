"""The test suites of others, where their checkouts are there: each difference has its reason, and no
answer is wrong.
"""

import subprocess
from typing import Any

import pytest

from tests.oracles import (
    VARIABLE,
    checkout,
    event_ruler,
    json_rules,
    kubernetes_cel,
    labels,
    localstack,
    mongo_queries,
    not_run,
    selectors,
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suites", "main", "claim"),
    [
        (tuple(selectors.SUITES), selectors.main, "929 cases of the tests of ActiveMQ"),
        (("kubernetes+apimachinery",), labels.main, "The cases of Kubernetes' own tests"),
        ((kubernetes_cel.REPOSITORY,), kubernetes_cel.main, "**Kubernetes.**"),
        ((event_ruler.REPOSITORY,), event_ruler.main, "About 1,000 assertions of the Event Ruler"),
        ((localstack.REPOSITORY,), localstack.main, "About 1,000 assertions of the Event Ruler"),
    ],
    ids=["selectors", "labels", "Kubernetes' CEL", "event ruler", "LocalStack"],
)
def test_differences_have_reasons(
    suites: tuple[str, ...], main: object, claim: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if not any(map(checkout, suites)):
        not_run(claim, f"no checkout of {' or '.join(suites)} in the folder that {VARIABLE} names")
    assert callable(main)
    assert main() == 0, capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("oracle", "claim"),
    [(json_rules, "Generated rules"), (mongo_queries, "Generated queries")],
    ids=["JsonLogic", "MongoDB"],
)
def test_results_are_those_of_a_package_of_npm(oracle: Any, claim: str) -> None:
    try:
        oracle.npm.package(*oracle.LIBRARY)
    except (OSError, subprocess.SubprocessError) as error:
        not_run(claim, f"npm or node: {error}")
    assert oracle.main(1000) == 0


@pytest.mark.slow
def test_versions_are_compared_as_by_npm() -> None:
    try:
        json_rules.npm.package(*json_rules.SEMVER)
    except (OSError, subprocess.SubprocessError) as error:
        not_run("Versions of `sem_ver`", f"npm or node: {error}")
    assert json_rules.versions() == 0
