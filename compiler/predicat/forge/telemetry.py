"""What other systems read of a run: events of OpenLineage, and a text file of Prometheus."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen
from uuid import uuid4

PRODUCER = "https://github.com/predicat/predicat"
SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/definitions/RunEvent"
_FACET = "https://openlineage.io/spec/facets"
_SECONDS = 10
# The values of a metric, with their labels.
Values = Sequence[tuple[Mapping[str, str], float]]


class Lineage:
    """The OpenLineage events of one run. `target` is a file, to which lines are added, or a URL; without one
    nothing is sent.

    Args:
        target: The file or URL.
        job: The name of the job.
        inputs: What the run reads.
    """

    def __init__(self, target: str | None, job: str, inputs: Sequence[Mapping[str, Any]]) -> None:
        self.target, self.job, self.inputs, self.run = target, job, inputs, str(uuid4())

    def send(
        self,
        kind: str,
        facets: Mapping[str, Any],
        outputs: Sequence[Mapping[str, Any]] = (),
        inputs: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """Send an event: START, COMPLETE or FAIL. `inputs` are those of the run with what is known by now.

        One that cannot be posted is a warning: the run is done in any case.
        """
        if self.target is None:
            return
        event = {
            "eventType": kind,
            "eventTime": datetime.now(tz=UTC).isoformat(),
            "producer": PRODUCER,
            "schemaURL": SCHEMA,
            "run": {"runId": self.run, "facets": facets},
            "job": {"namespace": "predicat", "name": self.job, "facets": {}},
            "inputs": list(self.inputs if inputs is None else inputs),
            "outputs": list(outputs),
        }
        if self.target.startswith(("http://", "https://")):
            self._post(json.dumps(event).encode())
        else:
            path = Path(self.target)
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(event) + "\n")

    def failed(self, reason: str) -> None:
        """Send that the run failed, and why."""
        error = facet(
            "1-0-0/ErrorMessageRunFacet", message=reason or "interrupted", programmingLanguage="PYTHON"
        )
        self.send("FAIL", {"errorMessage": error})

    def _post(self, body: bytes) -> None:
        try:
            request = Request(str(self.target), body, {"Content-Type": "application/json"})  # noqa: S310  # http or https, as the user says
            with urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310  # as above
                answer.read()
        except OSError as error:
            sys.stderr.write(f"warning: the event could not be sent to {self.target}: {error}\n")


def dataset(kind: str, place: str) -> dict[str, Any]:
    """A dataset as OpenLineage names it. `kind` is `path`, `jdbc` or `table`."""
    scheme, sign, rest = place.partition(":")
    if kind == "path" and sign and rest.startswith("/"):
        return {
            "namespace": scheme if scheme == "file" else f"{scheme}://{rest.lstrip('/').partition('/')[0]}",
            "name": rest,
        }
    return {
        "namespace": "file" if kind == "path" else "postgres" if kind == "jdbc" else "spark",
        "name": place,
    }


def facet(schema: str, **more: Any) -> dict[str, Any]:
    """A facet of OpenLineage's own."""
    return {"_producer": PRODUCER, "_schemaURL": f"{_FACET}/{schema}.json", **more}


def custom(**more: Any) -> dict[str, Any]:
    """A facet of predicat's own."""
    return {"_producer": PRODUCER, "_schemaURL": SCHEMA, **more}


def metric(name: str, text: str, values: Values, kind: str = "gauge") -> list[str]:
    """The lines of a metric in Prometheus' text format."""
    return [
        f"# HELP {name} {text}",
        f"# TYPE {name} {kind}",
        *(f"{name}{{{_labels(labels)}}} {value}" for labels, value in values),
    ]


def _labels(labels: Mapping[str, str]) -> str:
    escaped = (
        (key, value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n"))
        for key, value in labels.items()
    )
    return ",".join(f'{key}="{value}"' for key, value in escaped)
