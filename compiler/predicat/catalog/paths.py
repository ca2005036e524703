"""The paths of a catalog's lock file and project file. Separate from their readers, which a check of an
unchanged catalog does not import.
"""

from __future__ import annotations

from pathlib import Path

from predicat.diagnostics.reading import text_of, up_to_repository

NAME = "catalog.lock"
PROJECT_FILE = "predicat.yml"
_OTHER_ENDING = "predicat.yaml"


def project_file(place: Path) -> Path | None:
    """The nearest project file in a folder or above, up to the root of the repository, if there is one."""
    found = (file_in(folder) for folder in up_to_repository(place.resolve()))
    return next((file for file in found if file is not None), None)


def file_in(folder: Path) -> Path | None:
    """The project file of a folder. Raises PredicatError for a file with another extension, which would be
    ignored.
    """
    if (folder / PROJECT_FILE).is_file():
        return folder / PROJECT_FILE
    if (folder / _OTHER_ENDING).is_file():
        from predicat.diagnostics import PredicatError  # noqa: PLC0415  # only for a mistake
        from predicat.diagnostics.messages import files as say  # noqa: PLC0415  # as above

        raise PredicatError.of(say.other_ending(str(folder / _OTHER_ENDING), PROJECT_FILE))
    return None


def lock_path(folder: Path) -> Path:
    """The path of the lock file of a catalog."""
    return (folder if folder.is_dir() else folder.parent) / NAME


def read_text(path: Path) -> str | None:
    """The text of a lock file; None if there is none. Raises PredicatError if it cannot be read."""
    if not path.exists():
        return None
    return text_of(path)
