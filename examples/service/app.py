"""A service that names the filters which accept an event of Amazon SNS or Knative, and that admits objects of
Kubernetes.

Run it with `uvicorn examples.service.app:app`, after `pip install predicat fastapi uvicorn`. Each filter of
the catalog reads the field of its language (`attributes`, `ce`, `labels`), so none needs `on:`. A matcher is
immutable and takes microseconds: coroutines and threads share it, and none waits for another.

A service on the Internet also verifies the signature of a notification, which is left out here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field, Json, ValidationError

import predicat

_CATALOG = predicat.load_catalog(Path(__file__).parent / "catalog")
NOTIFICATIONS, EVENTS, OBJECTS = (
    predicat.Matcher(_CATALOG, dataset) for dataset in ("notifications", "events", "objects")
)

_Body = TypeVar("_Body", bound=BaseModel)

app = FastAPI(title="Filters of a catalog")


class Accepted(BaseModel):
    """The filters that accept an event."""

    filters: list[str]


async def _body(request: Request, kind: type[_Body]) -> _Body:
    """The JSON of a request whatever its content type, such as the `text/plain` of SNS."""
    try:
        return kind.model_validate_json(await request.body())
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_context=False)) from error


# --- Amazon SNS


class Attribute(BaseModel):
    """An attribute of a message as SNS sends it: the value is a text whatever its type."""

    type: Literal["String", "Number", "Binary"] = Field(alias="Type")
    text: str = Field(alias="Value")


class ArrayAttribute(BaseModel):
    """An attribute whose text is a JSON array."""

    type: Literal["String.Array"] = Field(alias="Type")
    elements: Json[list[str | float | bool | None]] = Field(alias="Value")


class Notification(BaseModel):
    """A message of SNS over HTTP."""

    attributes: dict[str, ArrayAttribute | Attribute] = Field(alias="MessageAttributes", default_factory=dict)


@app.post("/sns")
async def notified(request: Request) -> Accepted:
    """The filters of a notification."""
    note = await _body(request, Notification)
    values = {
        name: one.elements if isinstance(one, ArrayAttribute) else one.text
        for name, one in note.attributes.items()
    }
    return Accepted(filters=NOTIFICATIONS.match({"attributes": values}))


# --- Knative


class Event(BaseModel, extra="allow"):
    """The required attributes of a CloudEvent. The others are kept, too."""

    id: str
    source: str
    type: str
    specversion: str


@app.post("/events")
async def received(request: Request) -> Accepted:
    """The filters of a CloudEvent, whose attributes are headers (`ce-type`) or members of a JSON object."""
    if request.headers.get("content-type", "").startswith("application/cloudevents+json"):
        event = await _body(request, Event)
        attributes = {name: _text(value) for name, value in event if not name.startswith("data")}
    else:
        headers = request.headers.items()
        attributes = {name.removeprefix("ce-"): value for name, value in headers if name.startswith("ce-")}
    return Accepted(filters=EVENTS.match({"ce": attributes}))


def _text(value: object) -> str:
    """An attribute as its header has it: `true` and `1` where JSON has a boolean and a number."""
    return value if isinstance(value, str) else json.dumps(value)


# --- Kubernetes


class Metadata(BaseModel, extra="allow"):
    """What the labels of an object are in."""

    labels: dict[str, str] = Field(default_factory=dict[str, str])


class Manifest(BaseModel, extra="allow"):
    """An object of Kubernetes."""

    kind: str
    metadata: Metadata
    spec: dict[str, Any] = Field(default_factory=dict[str, Any])


class AdmissionRequest(BaseModel):
    """What somebody wants to create or change."""

    uid: str
    object: Manifest


class Review(BaseModel):
    """An AdmissionReview with a request."""

    request: AdmissionRequest


class Status(BaseModel):
    """Why an object is refused."""

    message: str


class Answer(BaseModel):
    """Whether an object is admitted."""

    uid: str
    allowed: bool
    status: Status


class Reviewed(BaseModel):
    """An AdmissionReview with a response."""

    api_version: Annotated[Literal["admission.k8s.io/v1"], Field(serialization_alias="apiVersion")] = (
        "admission.k8s.io/v1"
    )
    kind: Literal["AdmissionReview"] = "AdmissionReview"
    response: Answer


@app.post("/admission")
async def admitted(review: Review) -> Reviewed:
    """An object is refused if a filter accepts it; the answer names the filters."""
    manifest = review.request.object
    row = {"labels": manifest.metadata.labels, "kind": manifest.kind, "spec": manifest.spec}
    found = OBJECTS.match(row)
    return Reviewed(
        response=Answer(
            uid=review.request.uid,
            allowed=not found,
            status=Status(message=f"refused by {', '.join(found)}" if found else ""),
        )
    )
