"""Sets of fields that datasets share: `fields: {include: common.yml}`.

The file is a mapping of fields, as under `fields:`, in the folder of the catalog. A field that the dataset
declares itself has precedence over an included one, and both must have the same type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from predicat.catalog.model import WrittenDataset
from predicat.catalog.yaml_nodes import YamlNode, compose
from predicat.diagnostics import PredicatError, Reporter, Source, Span
from predicat.diagnostics.messages import field_sets as say
from predicat.diagnostics.reading import text_of
from predicat.ir.nodes import FieldDecl

INCLUDE = "include"
_SUFFIXES = (".yml", ".yaml")
# No type has them.
_IN_PATHS = "./"
# Reads a field; its problems are reported.
Declare = Callable[[str, YamlNode, Span], FieldDecl | None]
Fields = dict[str, tuple[FieldDecl, Span]]


def files_of(name: str, item: YamlNode) -> list[YamlNode] | None:
    """The file names of an `include` entry of `fields:`; None for a field."""
    if name != INCLUDE or item.is_mapping:
        return None
    if item.value is None:
        return list(item.items(INCLUDE))
    return [item] if any(sign in str(item.value) for sign in _IN_PATHS) else None


def is_definitions(item: YamlNode) -> bool:
    """Whether a file has definitions, rather than values or fields that definitions refer to."""
    return any(getattr(key, "value", None) in ("apiVersion", "dataset") for key, _ in item.pairs())


class FieldSets(Struct):
    """Reads sets of fields. `files` has the included files."""

    reporter: Reporter
    root: Path | None
    files: set[Path] = field(default_factory=set[Path])
    asked: list[tuple[WrittenDataset, YamlNode]] = field(
        default_factory=list[tuple[WrittenDataset, YamlNode]]
    )
    known: dict[Path, Fields] = field(default_factory=dict[Path, Fields])

    def include(self, dataset: WrittenDataset, files: Iterable[YamlNode]) -> None:
        """Note the includes of a dataset. The files may be read later."""
        self.asked += [(dataset, item) for item in files]

    def finish(self, others: Iterable[YamlNode], declare: Declare) -> None:
        """Add the included fields to the datasets. `others` are the catalog's files without definitions."""
        if not self.asked:
            return
        loaded = {Path(item.source.name).resolve(): item for item in others}
        for dataset, item in self.asked:
            try:
                self.merge(dataset, self.fields(item, loaded, declare), item)
            except PredicatError as error:
                self.reporter.extend(error.diagnostics)
                dataset.unread.add("unknown-field")

    def merge(self, dataset: WrittenDataset, fields: Fields, item: YamlNode) -> None:
        """Add the fields of a set that a dataset does not declare. A different type is reported."""
        for name, (declared, span) in fields.items():
            own = dataset.fields.get(name)
            place = dataset.places.setdefault(f"field {name}", span)
            if own is None and place is span:
                dataset.fields[name] = declared
            elif own is not None and _kind(own) != _kind(declared):
                self.reporter.add(
                    say.another_type(place, name, _kind(own), _kind(declared), item.text(INCLUDE))
                )

    def fields(self, item: YamlNode, loaded: Mapping[Path, YamlNode], declare: Declare) -> Fields:
        """The fields of a file. Raises PredicatError."""
        path = self.path(item)
        if path not in self.known:
            root = loaded.get(path) or self.read(path, item)
            if root is None or (root.is_mapping and not list(root.pairs())):
                raise PredicatError.of(say.no_fields(item.span))
            if root.is_mapping and is_definitions(root):
                raise PredicatError.of(say.has_definitions(item.span))
            self.known[path] = self.declared(root, declare)
        return self.known[path]

    def path(self, item: YamlNode) -> Path:
        """The file of an entry. Raises PredicatError."""
        text = item.text(INCLUDE)
        folder = Path(item.span.outermost().source.name).resolve().parent
        path = (folder / text).resolve()
        root = self.root.resolve() if self.root is not None else folder
        if Path(text).is_absolute() or not path.is_relative_to(root if root.is_dir() else root.parent):
            raise PredicatError.of(say.file_elsewhere(item.span, text))
        if path.suffix not in _SUFFIXES:
            raise PredicatError.of(say.no_yaml(item.span, text))
        if not path.is_file():
            raise PredicatError.of(say.no_file(item.span, text))
        self.files.add(path)
        return path

    def read(self, path: Path, item: YamlNode) -> YamlNode | None:
        """Read a file that was not loaded, because the catalog is a single file or the file is not valid
        YAML. Raises PredicatError.
        """
        name = str(Path(item.span.outermost().source.name).parent / item.text(INCLUDE))
        if any(told.span.outermost().source.name == name for told in self.reporter.errors):
            raise PredicatError([])
        source = Source(name, text_of(path, name))
        root = compose(source, problems := Reporter())
        problems.raise_errors()
        return replace(root, reporter=self.reporter) if root is not None else None

    def declared(self, root: YamlNode, declare: Declare) -> Fields:
        """The fields that a file declares. Raises PredicatError if it is not a mapping of fields."""
        fields: Fields = {}
        entries = list(root.entries(say.SET_OF_FIELDS))
        if len(entries) == 1 and _is_around_fields(entries[0][1]):
            raise PredicatError.of(say.fields_below_a_key(entries[0][2], entries[0][0]))
        for name, value, span in entries:
            if files_of(name, value) is not None:
                self.reporter.add(say.nested(span))
                continue
            declared = declare(name, value, span)
            if declared is not None:
                fields[name] = declared, span
        return fields


def _is_around_fields(item: YamlNode) -> bool:
    """Whether a mapping contains fields, instead of being the declaration of one."""
    keys = {getattr(key, "value", None) for key, _ in item.pairs()} if item.is_mapping else set()
    return bool(keys) and "type" not in keys


def _kind(declared: FieldDecl) -> str:
    """The type of a field, with its `nulls` if they are declared as values."""
    return declared.shown_type + (" with nulls: value" if declared.nulls == "value" else "")
