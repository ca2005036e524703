"""The example of a web service, with requests as the three systems send them."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import predicat

testclient = pytest.importorskip("fastapi.testclient", reason="fastapi is not installed")
service = pytest.importorskip("examples.service.app")
CLIENT = testclient.TestClient(service.app)
ORDER = {
    "Type": "Notification",
    "MessageId": "1",
    "Message": "{}",
    "MessageAttributes": {
        "event": {"Type": "String", "Value": "order_placed"},
        "amount": {"Type": "Number", "Value": "1200.50"},
        "region": {"Type": "String", "Value": "eu-west-1"},
        "ranks": {"Type": "String.Array", "Value": '["silver", "gold"]'},
    },
}
PULL = {
    "specversion": "1.0",
    "id": "1",
    "source": "/repo",
    "type": "com.github.pull.create",
    "subject": "123",
}


def notified(note: Any) -> Any:
    body = note if isinstance(note, str) else json.dumps(note)
    return CLIENT.post("/sns", content=body, headers={"content-type": "text/plain; charset=UTF-8"})


def admitted(manifest: dict[str, Any]) -> Any:
    review = {"kind": "AdmissionReview", "request": {"uid": "u1", "object": manifest}}
    return CLIENT.post("/admission", json=review).json()


def test_sns() -> None:
    assert notified(ORDER).json() == {"filters": ["large_order", "vip"]}
    assert notified({"Type": "Notification"}).json() == {"filters": []}


def test_knative() -> None:
    headers = {f"ce-{name}": value for name, value in PULL.items()}
    assert CLIENT.post("/events", content=b"\xff", headers=headers).json() == {"filters": ["pull_requests"]}
    structured = {"content-type": "application/cloudevents+json"}
    body = json.dumps({**PULL, "attempt": 2, "data": {"number": 7}})
    assert CLIENT.post("/events", content=body, headers=structured).json() == {"filters": ["pull_requests"]}
    assert CLIENT.post("/events").json() == {"filters": []}


def test_kubernetes() -> None:
    pod = {
        "kind": "Pod",
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "a", "securityContext": {"privileged": True}}]},
    }
    answer = admitted(pod)
    assert answer["apiVersion"] == "admission.k8s.io/v1"
    assert answer["response"] == {
        "uid": "u1",
        "allowed": False,
        "status": {"message": "refused by no_team, privileged"},
    }
    pod["metadata"] = {"name": "web", "labels": {"team": "payments"}}
    pod["spec"] = {"containers": [{"name": "a"}]}
    assert admitted(pod)["response"]["allowed"] is True


@pytest.mark.parametrize(
    "note", ["", "{", '{"MessageAttributes": {"ranks": {"Type": "String.Array", "Value": "["}}}', "[]"]
)
def test_a_body_that_is_none_is_the_fault_of_the_client(note: str) -> None:
    assert notified(note).status_code == 422
    structured = {"content-type": "application/cloudevents+json"}
    assert CLIENT.post("/events", content=note, headers=structured).status_code == 422


def test_threads_share_the_matchers() -> None:
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: notified(ORDER).json()["filters"], range(40)))
    assert answers == [["large_order", "vip"]] * 40


def test_no_filter_names_a_field() -> None:
    folder = Path(service.__file__).parent / "catalog"
    assert not re.search(r"^ *on:", "".join(file.read_text() for file in folder.iterdir()), re.MULTILINE)
    assert len(predicat.load_catalog(folder)) == 6
