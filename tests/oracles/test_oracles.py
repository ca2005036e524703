"""The test suites of others, where their checkouts are there: each difference has its reason, and no
answer is wrong.
"""

import subprocess

import pytest

from tests.oracles import (
    VARIABLE,
    checkout,
    event_ruler,
    json_rules,
    kubernetes_cel,
    labels,
    localstack,
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
def test_rules_have_the_results_of_their_own_library() -> None:
    try:
        json_rules.npm.package(*json_rules.LIBRARY)
    except (OSError, subprocess.SubprocessError) as error:
        not_run("Generated rules", f"npm or node: {error}")
    assert json_rules.main(1000) == 0
