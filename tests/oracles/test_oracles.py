"""The test suites of others, where their checkouts are there: each difference has its reason, and no
answer is wrong.
"""

import pytest

from tests.oracles import VARIABLE, checkout, event_ruler, kubernetes_cel, labels, localstack, selectors


@pytest.mark.parametrize(
    ("suites", "main"),
    [
        (tuple(selectors.SUITES), selectors.main),
        (("kubernetes+apimachinery",), labels.main),
        ((kubernetes_cel.REPOSITORY,), kubernetes_cel.main),
        ((event_ruler.REPOSITORY,), event_ruler.main),
        ((localstack.REPOSITORY,), localstack.main),
    ],
    ids=["selectors", "labels", "Kubernetes' CEL", "event ruler", "LocalStack"],
)
def test_differences_have_reasons(
    suites: tuple[str, ...], main: object, capsys: pytest.CaptureFixture[str]
) -> None:
    if not any(map(checkout, suites)):
        pytest.skip(f"no checkout of {' or '.join(suites)} in the folder that {VARIABLE} names")
    assert callable(main)
    assert main() == 0, capsys.readouterr().out
