"""What is above the paths that are searched: the repository, and the dbt project with its macros."""

import os
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from predicat.diagnostics.reading import repository_of
from predicat.discover.read.files import Unusable, files

# The file of a dbt project.
PROJECT = "dbt_project.yml"
_MAX_SIZE = 1_000_000
# The keys of folders with templates, with dbt's own folders, and the former names of keys.
_RENDERED = {
    "model-paths": ["models"],
    "macro-paths": ["macros"],
    "test-paths": ["tests"],
    "snapshot-paths": ["snapshots"],
    "analysis-paths": ["analyses"],
}
_FORMER = {"model-paths": "source-paths"}


def top_of(root: Path) -> Path:
    """The last folder above a searched one whose configuration counts: the root of the repository; without a
    repository, the searched folder.
    """
    start = root.absolute()
    return repository_of(start) or start


def in_repository(path: Path) -> str:
    """The name of a file from the root of its repository, or else from the current folder."""
    file = path.absolute()
    return Path(os.path.relpath(file, repository_of(file.parent) or Path.cwd())).as_posix()


def macros_beside(project: Path) -> dict[str, str]:
    """The texts of a dbt project's files of macros, by path, as its configuration names their folders."""
    named = [project / name for name in _folders(_settings(project), "macro-paths")]
    home = project.resolve()
    folders = [folder for folder in named if folder.is_dir() and home in folder.resolve().parents]
    result = {}
    for file in files(folders, Counter()):
        if file.kind == "sql":
            with suppress(Unusable):
                result[str(file.path)] = file.text()
    return result


def is_template_of_dbt(file: Path) -> bool:
    """Whether dbt renders a file: it is in a folder that its project names for that."""
    home = next((folder for folder in file.parents if (folder / PROJECT).is_file()), None)
    if home is None:
        return False
    inside, settings = file.relative_to(home), _settings(home)
    return any(inside.is_relative_to(name) for key in _RENDERED for name in _folders(settings, key))


def _settings(project: Path) -> Any:
    """What a project file has; None if it cannot be read."""
    file = project / PROJECT
    try:
        return yaml.safe_load(file.read_bytes()) if file.stat().st_size <= _MAX_SIZE else None
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        return None


def _folders(settings: Any, key: str) -> list[str]:
    """The folders that a project names for something, or else dbt's."""
    former = _FORMER.get(key, key)
    paths = (settings.get(key) or settings.get(former)) if isinstance(settings, dict) else None
    return [name for name in paths if isinstance(name, str)] if isinstance(paths, list) else _RENDERED[key]
