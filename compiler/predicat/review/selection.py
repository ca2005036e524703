"""Which files of a catalog a change can affect, so that others need not be read, and the number of filters in
those.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from predicat.catalog.files import catalog_files
from predicat.catalog.templates import is_template
from predicat.catalog.yaml_nodes import compose
from predicat.diagnostics import PredicatError, Reporter, Source
from predicat.diagnostics.reading import text_of

_DATASET = re.compile(r"^dataset:[ \t]*['\"]?([a-z][a-z0-9_]*)['\"]?[ \t]*(?:#.*)?$", re.MULTILINE)
_VARIABLES = re.compile(r"^['\"]?(?:vars|attributes)['\"]?[ \t]*:", re.MULTILINE)
_FILTERS = re.compile(r"^filters:[ \t]*(?:#.*)?\n((?:[ \t]*(?:#.*)?\n)*)( +)(?=[a-z])", re.MULTILINE)


class Files(Struct, frozen=True):
    """The files of a catalog folder with their texts (empty if unreadable), and the dataset of each."""

    texts: Mapping[Path, str]
    owners: Mapping[Path, str | None]

    def dataset(self, file: Path) -> str | None:
        """The dataset that a file names; None if that cannot be read from its text."""
        return self.owners.get(file)

    def datasets(self, touched: Iterable[Path], *, templates: bool) -> set[str] | None:
        """The datasets that a change of some files can affect; None for all. `templates` tells whether macros
        changed, too.
        """
        wanted: set[str] = set()
        for file in touched:
            if file.suffix == ".csv" and file not in self.texts:
                return None  # the values of a list, which any dataset may name
            if file in self.texts:
                name = self.dataset(file)
                if name is None:
                    return None
                wanted.add(name)
                templates = templates or _has_variables(self.texts[file])
        for file, text in self.texts.items():
            if _has_variables(text) or (templates and (is_template(text) or "policies" in text)):
                name = self.dataset(file)
                if name is None:
                    return None
                wanted.add(name)
        return self._with_users(wanted)

    def _with_users(self, names: set[str]) -> set[str] | None:
        """Some datasets and those whose files name them, as for a filter or a list of another dataset."""
        wanted, front = set(names), set(names)
        while front:
            named = [f"{name}." for name in front]
            users = {
                self.dataset(file) for file, text in self.texts.items() if any(part in text for part in named)
            }
            if None in users:
                return None
            front = {name for name in users if name is not None} - wanted
            wanted |= front
        return wanted

    def of(self, datasets: set[str] | None) -> list[Path]:
        """The files of some datasets, and files whose dataset is unknown."""
        return [
            file
            for file in self.texts
            if datasets is None or (name := self.dataset(file)) is None or name in datasets
        ]

    def count(self, files: Iterable[Path]) -> int:
        """How many filters some files define."""
        return sum(_count(self.texts[file]) for file in files)


def files_of(folder: Path) -> Files:
    """The files of a folder; none if it does not exist."""
    texts: dict[Path, str] = {}
    for file in catalog_files(folder, Reporter()) if folder.exists() else []:
        try:
            texts[file] = text_of(file)
        except PredicatError:
            texts[file] = ""
    return Files(texts, {file: _owner(text) for file, text in texts.items()})


def _owner(text: str) -> str | None:
    result = _DATASET.findall(text) if text.count("\ndataset:") + text.startswith("dataset:") == 1 else []
    return result[0] if len(result) == 1 else None


def _has_variables(text: str) -> bool:
    """Whether a file has variables or attributes, which are those of the whole catalog."""
    return ("vars" in text or "attributes" in text) and _VARIABLES.search(text) is not None


def _count(text: str) -> int:
    """The filters of a file: the keys below `filters:`, counted by their indentation where that is
    possible.
    """
    start = _FILTERS.search(text)
    if start is None or "\t" in start[2]:
        root = compose(Source("", text), Reporter()) if "filters" in text else None
        result = root.known("a file", ("filters",))[0] if root is not None else {}
        return sum(1 for _ in result["filters"].entries("filters")) if "filters" in result else 0
    end = re.compile(r"^[^\s#]", re.MULTILINE).search(text, start.end())
    return len(
        re.findall(rf"^{start[2]}[^\s#]", text[start.end(1) : end.start() if end else None], re.MULTILINE)
    )


def dataset_of(text: str) -> str | None:
    """The dataset that the text of a catalog file names."""
    match = _DATASET.search(text)
    return match[1] if match else None


def relevant_files(folder: Path, changed: Iterable[Path]) -> list[Path]:
    """The files of a catalog that a change of some of them can affect: of the same datasets, of datasets that
    refer to these, and of datasets that these refer to; and files with what belongs to the whole catalog. A
    file that cannot be read is included, so that its problem is reported.
    """
    texts: dict[Path, str] = {}
    for file in catalog_files(folder, Reporter()) if folder.exists() else []:
        try:
            texts[file] = text_of(file)
        except PredicatError:
            texts[file] = ""
    owners = {file: dataset_of(text) for file, text in texts.items()}
    touched = {owners.get(file) for file in changed}
    known = {name for name in owners.values() if name}
    wanted = {name for name in touched if name}
    for file, text in texts.items():  # files that use a changed dataset
        owner = owners[file]
        if owner and any(f"{name}." in text for name in wanted):
            touched.add(owner)
    pending = [name for name in touched if name]
    needed = set(pending)
    while pending:  # and what those need in turn
        name = pending.pop()
        for file, text in texts.items():
            if owners[file] == name:
                more = {other for other in known - needed if f"{other}." in text}
                needed |= more
                pending += more
    return [
        file
        for file, owner in owners.items()
        if owner is None or owner in needed or _has_variables(texts[file])
    ]
