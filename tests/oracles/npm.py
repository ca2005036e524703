"""Packages of npm as oracles, run in node. npm fetches them into `target`; nothing of them is in this
repository.
"""

import hashlib
import json
import subprocess
import tarfile
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent.parent / "target"


def package(name: str, version: str, sha256: str) -> Path:
    """The folder of a package. Raises OSError or SubprocessError if it cannot be had."""
    folder = TARGET / f"{name}-{version}"
    if not (folder / "package").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        run("npm", "pack", "--silent", f"{name}@{version}", cwd=folder)
        archive = folder / f"{name}-{version}.tgz"
        if hashlib.sha256(archive.read_bytes()).hexdigest() != sha256:
            raise OSError(f"{archive.name} is another than the pinned one")
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
    return folder / "package"


def answers(folder: Path, program: str, data: Any) -> Any:
    """What a program in node makes of data: it reads JSON and writes JSON."""
    return json.loads(run("node", "-e", program, cwd=folder, text=json.dumps(data)))


def run(*command: str, cwd: Path, text: str | None = None) -> str:
    return subprocess.run(
        command, cwd=cwd, input=text, capture_output=True, text=True, check=True, timeout=300
    ).stdout
