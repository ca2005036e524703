"""Catalog files of imported filters: new ones, and existing ones that get what they lack.

What is in a file stays, with its comments. A filter that is there with the same body is left alone; one of
the same name with
another body is accepted, unless it is to be replaced.
"""

import re
from io import StringIO
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from yaml import ScalarNode

from predicat.catalog.files import catalog_files
from predicat.catalog.keys import API_VERSION
from predicat.catalog.load import read_definitions
from predicat.catalog.model import WrittenDataset
from predicat.catalog.yaml_nodes import TEXT, SafeLoader
from predicat.diagnostics import Diagnostic, PredicatError, Reporter, Source, Span
from predicat.diagnostics.messages import files as say_files
from predicat.diagnostics.messages import importing as say
from predicat.diagnostics.reading import reading
from predicat.importing.checking import Accepted
from predicat.importing.located import plain
from predicat.importing.model import ImportedFilter, Rows
from predicat.language import LANGUAGES

_TEMPLATE = re.compile(r"\{[{%#]")
# The keys of a filter that an import replaces; its owner, tags and tests stay.
_OWN = (*LANGUAGES, "params", "on", "on_unknown", "versions", "latest")


class FileUpdate(Struct):
    """The new text of a file, and what became of each filter."""

    text: str
    added: list[str] = field(default_factory=list[str])
    same: list[str] = field(default_factory=list[str])
    replaced: list[str] = field(default_factory=list[str])
    problems: list[Diagnostic] = field(default_factory=list[Diagnostic])


def datasets(accepted: Accepted) -> dict[str, Accepted]:
    """The filters by their datasets."""
    by_dataset: dict[str, Accepted] = {}
    for entry in accepted:
        by_dataset[entry[0].rows.name] = (*by_dataset.get(entry[0].rows.name, ()), entry)
    return by_dataset


def place(to: Path, dataset: str, *, alone: bool) -> Path:
    """The file of a dataset: `to` itself, or one in its folder for each of several; in a folder, one with the
    dataset's name.
    """
    if to.is_dir() or not to.suffix:
        return to / f"{dataset}.yml"
    return to if alone else to.with_name(f"{to.stem}_{dataset}{to.suffix}")


def file_update(accepted: Accepted, path: Path | None = None, *, force: bool = False) -> FileUpdate:
    """The text of a file with filters of one dataset; `path` may have a file already. Raises PredicatError
    where it is no such file.
    """
    kinds = _united([entry.rows for entry, _ in accepted])
    before = _existing(path, kinds.name) if path is not None and path.exists() else None
    other = _elsewhere(path, kinds.name) if path is not None else WrittenDataset(kinds.name)
    data = before if before is not None else _new(kinds, other)
    result = FileUpdate("")
    _add_fields(
        data, kinds, {name for _, fields in accepted for name in fields} or {next(iter(kinds.fields))}, other
    )
    _add_filters(data, accepted, other, result, force=force, shown=str(path or ""))
    result.text = dumped(data)
    return result


def _united(kinds: list[Rows]) -> Rows:
    """The rows of all filters of a dataset, which may be of several kinds."""
    several = any(rows.description != kinds[0].description for rows in kinds)
    return Rows(
        kinds[0].name,
        "Rows of several kinds of manifests." if several else kinds[0].description,
        {name: kind for rows in kinds for name, kind in rows.fields.items()},
        {name: decoded for rows in kinds for name, decoded in rows.expressions.items()},
    )


def _existing(path: Path, dataset: str) -> Any:
    """The data of a file, with its comments."""
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415  # only where there is a file

    with reading(str(path)):
        source = Source(str(path), path.read_text(encoding="utf-8"))
    try:
        data = _yaml().load(source.text)
    except YAMLError as error:
        raise PredicatError.of(
            say.target_no_yaml(Span(source, 0, 1), " ".join(str(error).split()[:12]))
        ) from None
    if not isinstance(data, dict) or "apiVersion" not in data:
        raise PredicatError.of(say.target_no_catalog(Span(source, 0, 1)))
    if data.get("dataset") != dataset:
        raise PredicatError.of(
            say.target_of_another_dataset(Span(source, 0, 1), data.get("dataset"), dataset)
        )
    return data


def _elsewhere(path: Path, dataset: str) -> WrittenDataset:
    """What the other files of the same folder say of a dataset."""
    others = (
        [file for file in catalog_files(path.parent, Reporter()) if file.resolve() != path.resolve()]
        if path.parent.is_dir()
        else []
    )
    known = read_definitions(path.parent, files=others).datasets if others else {}
    return known.get(dataset, WrittenDataset(dataset))


def _new(rows: Rows, other: WrittenDataset) -> dict[str, Any]:
    result: dict[str, Any] = {"apiVersion": API_VERSION, "dataset": rows.name}
    if not other.description:
        result["description"] = rows.description
    if not other.relation:
        result["relation"] = rows.name
    return result


def _add_fields(data: Any, rows: Rows, used: set[str], other: WrittenDataset) -> None:
    wanted = {name: kind for name, kind in rows.fields.items() if name in used and name not in other.fields}
    known = data.setdefault("fields", {}) if wanted else {}
    for name, kind in wanted.items():
        decoded = rows.expressions.get(name)
        known.setdefault(name, {"type": kind, "expression": dict(decoded)} if decoded else kind)


def _add_filters(
    data: Any, rows: Accepted, other: WrittenDataset, result: FileUpdate, *, force: bool, shown: str
) -> None:
    filters = data.setdefault("filters", {})
    for entry_, _ in rows:
        entry = _entry(entry_)
        known = filters.get(entry_.name)
        if entry_.name in other.filters:
            place = other.filters[entry_.name].span.outermost()
            result.problems.append(
                say_files.import_conflict(entry_.span, entry_.name, place.source.name, None)
            )
        elif known is None:
            filters[entry_.name] = entry
            result.added.append(entry_.name)
        elif _meaning(known) == _meaning(entry):
            result.same.append(entry_.name)
        elif not force:
            result.problems.append(
                say_files.import_conflict(entry_.span, entry_.name, shown, say.FORCE_REPLACES)
            )
        else:
            for key in _OWN:
                known.pop(key, None)
            known.update(entry)
            result.replaced.append(entry_.name)


def _meaning(entry: Any) -> dict[str, Any]:
    """The keys of a filter that matter for its meaning, without descriptions."""
    meaning = {key: plain(entry[key]) for key in _OWN if key in entry}
    for parameter in meaning.get("params", {}).values():
        if isinstance(parameter, dict):
            parameter.pop("description", None)
    return meaning


def _entry(imported: ImportedFilter) -> dict[str, Any]:
    """A filter as a catalog has it."""
    entry: dict[str, Any] = {"description": _description(imported), imported.language: _body(imported)}
    if imported.on is not None and imported.on != LANGUAGES[imported.language].on:
        entry["on"] = imported.on
    if imported.params:
        entry["params"] = {
            name: {
                "type": "string",
                **({} if parameter.default is None else {"default": parameter.default}),
                "description": f"{parameter.stands_for} in the manifest.",
            }
            for name, parameter in imported.params.items()
        }
    if imported.on_unknown != "reject":
        entry["on_unknown"] = imported.on_unknown
    return entry


def _description(imported: ImportedFilter) -> str:
    """What the manifest says of a filter, and where it is from."""
    place = imported.span.outermost()
    line, _ = place.source.line_column(place.start)
    says = " ".join(imported.says.split())
    says = f"{says}{'' if says[-1] in '.!?' else '.'} " if says else ""
    return f"{says}Imported from {place.source.name}:{line}, {imported.title}, {imported.path}."


def _body(imported: ImportedFilter) -> Any:
    text = plain(imported.body)
    if not isinstance(text, str):
        return text
    if LANGUAGES[imported.language].shape == "text" and _TEMPLATE.search(text):
        text = f"{{% raw %}}{text}{{% endraw %}}"
    from ruamel.yaml.scalarstring import LiteralScalarString  # noqa: PLC0415  # only to write

    return LiteralScalarString(text) if "\n" in text else text


def _yaml() -> Any:
    from ruamel.yaml import YAML  # noqa: PLC0415  # only to write
    from ruamel.yaml.representer import RoundTripRepresenter  # noqa: PLC0415  # as above

    class Representer(RoundTripRepresenter):
        """Quotes texts that catalogs would read as something else: YAML 1.1 has yes, no, on and off."""

        def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  # catalogs have none: what is shared is repeated
            return True

        def represent_key(self, data: Any) -> Any:
            return super().represent_str(data) if type(data) is str else super().represent_key(data)

        def represent_text(self, text: str) -> Any:
            style = None if _is_text(text) else "'"
            return self.represent_scalar(TEXT, text, style=style)

    Representer.add_representer(str, Representer.represent_text)
    yaml = YAML(typ="rt")
    yaml.Representer = Representer
    yaml.preserve_quotes = True
    yaml.width = 1_000_000
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def _is_text(text: str) -> bool:
    """Whether a text without quotes is a text."""
    return SafeLoader.resolve(ScalarNode, text, (True, False)) == TEXT


def dumped(data: Any) -> str:
    """The text of a catalog file, with the comments that its data has."""
    out = StringIO()
    _yaml().dump(data, out)
    return out.getvalue()
