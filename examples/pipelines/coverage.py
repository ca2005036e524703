"""Runs `predicat quality run` and gives its results as data: what the examples of orchestrators share."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any


def measured(dataset: str, *options: str) -> dict[str, Any]:
    """The results of a dataset, as `--format json` has them. `options` are those of `predicat quality run`.

    Raises RuntimeError if it was called in a wrong way; a broken bound and an engine that failed are results.
    """
    command = [sys.executable, "-m", "predicat", "quality", "run", dataset, "--format", "json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # no shell
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(done.stderr)
    (result,) = json.loads(done.stdout)
    return dict(result)


def broken(result: dict[str, Any]) -> list[str]:
    """What fails: a sentence for each bound, with the owner of the filter."""
    failed = [check for check in result["checks"] if check["status"] in ("fail", "error")]
    owned = [
        f"{check['message']} ({check['owner']})" if check["owner"] else check["message"] for check in failed
    ]
    return [*result["errors"], *owned]
