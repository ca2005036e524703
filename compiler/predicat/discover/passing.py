"""The net below a proposal: a catalog is compiled in memory, with its tests, before it is written."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from predicat.catalog import load_catalog
from predicat.catalog.files import catalog_files
from predicat.diagnostics import PredicatError, Reporter, Source
from predicat.diagnostics.messages import discover as say
from predicat.editor.layout import layout
from predicat.importing.writing import dumped


def passing(
    dataset: str, names: Sequence[str], data_of: Callable[[Collection[str]], Any], left: Counter[str]
) -> tuple[str, list[str]]:
    """The text of a dataset whose filters pass `check`, `test` and `fmt --check`, and their names.

    Args:
        dataset: Its name.
        names: The names of its filters.
        data_of: The dataset with some of the filters.
        left: Gets the reasons why filters do not pass.
    """
    text, problem = _checked(dataset, data_of(names))
    kept = list(names)
    if problem:
        problems = {name: _checked(dataset, data_of([name]))[1] for name in names}
        left.update(say.does_not_pass(reason) for reason in problems.values() if reason)
        kept = [name for name in names if not problems[name]]
        text, problem = _checked(dataset, data_of(kept)) if kept else ("", "")
    if problem:
        left[say.does_not_pass(problem)] += len(kept)
        return "", []
    return text, kept


def _checked(dataset: str, data: Any) -> tuple[str, str]:
    """The text of a file, and what is wrong with it; "" if nothing is."""
    try:
        text = layout(Source(dataset, dumped(data)))  # one that would not stay is refused
    except PredicatError as error:
        return "", _first(error)
    return text, problem_in(dataset, text)


def problem_in(dataset: str, text: str) -> str:
    """What is wrong with the file of a dataset, in one sentence; "" if nothing is."""
    return problem_of({Path(f"{dataset}.yml"): text})


def problem_of(files: Mapping[Path, str | None]) -> str:
    """What is wrong with the catalog of some files, in one sentence; "" if nothing is. A file without a text
    is read.
    """
    texts = {file.resolve(): text for file, text in files.items() if text is not None}
    try:
        load_catalog(next(iter(files)).parent, files=list(files), texts=texts)
    except PredicatError as error:
        return _first(error)
    return ""


def fitting(files: Mapping[Path, str], folder: Path, left: Counter[str]) -> dict[Path, str]:
    """The new files that pass together with those that a folder has. If these have problems of their own, all
    do.
    """
    there: dict[Path, str | None] = dict.fromkeys(
        catalog_files(folder, Reporter()) if folder.is_dir() else (), None
    )
    if not problem_of({**there, **files} or {folder: ""}) or (there and problem_of(there)):
        return dict(files)
    result: dict[Path, str] = {}
    for file, text in files.items():
        problem = problem_of({**there, **result, file: text})
        if problem:
            left[say.file_does_not_pass(file.name, problem)] += 1
        else:
            result[file] = text
    return result


def _first(error: PredicatError) -> str:
    return error.diagnostics[0].message if error.diagnostics else say.NO_REASON
