"""The project file `predicat.yml`: the settings of a whole catalog.

It is in the catalog folder, next to it, or in a folder above, up to the root of the repository. Commands also
find it from a folder below it, and use its settings as the defaults of their options.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextvars import ContextVar
from datetime import date
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from predicat.backends import DIALECTS
from predicat.catalog.paths import PROJECT_FILE, file_in, project_file
from predicat.catalog.review_rules import ANY, WHEN, Approval, Waiver
from predicat.catalog.yaml_nodes import YamlNode, compose
from predicat.diagnostics import NOWHERE, PredicatError, Reporter, Source, Span
from predicat.diagnostics.messages import catalog as say
from predicat.diagnostics.reading import repository_of, text_of, up_to_repository
from predicat.diagnostics.wording import either

# The keys of the file, with what they are.
KEYS = {
    "catalog": "the name of the catalog, by which it finds its own views in a database; or its name and path",
    "discover": "how `predicat discover` reads the code: `dialect`, a dialect of SQL",
    "engines": "the engines that the project runs on, the most important one first",
    "profile": "the profile that is used if none is named",
    "profiles": "settings by the name of a profile, such as dev and prod",
    "review": "who must approve which changes: `{when: rows gained, tag: pii, approve: [security]}`",
    "waivers": "changes accepted until a day: `{entry: orders.large, reason: why, until: 2026-12-31}`",
}
APPROVAL_KEYS = {
    "when": "what happens: rows gained, rows lost, a severity, or a rule of reviews",
    "tag": "only filters with this tag",
    "dataset": "only this dataset",
    "approve": "who must approve it",
}
WAIVER_KEYS = {
    "entry": "what changes: `orders.large`, or the name of a dataset, macro or variable",
    "when": "as in `review`. Default: any change",
    "reason": "why it is accepted",
    "until": "the last day on which it is",
}
_CATALOG_KEYS = ("name", "path")
# The keys of a profile, with what they are.
SETTINGS = {
    "engine": f"the engine: {either(DIALECTS)}",
    "dsn": "the PostgreSQL server",
    "schema": "the schema of the views",
    "master": "the Spark master",
    "vars": "values for Jinja variables",
}
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_.-]+)*\Z")
LONGEST = 200
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
# A variable as shells, Jinja and others write it.
_OTHER_VARIABLE = re.compile(
    r"\$\{(?![A-Za-z_][A-Za-z0-9_]*\})\W*(?:env\W+)?(\w*)[^}]*\}?"
    r"|\$\((\w+)\)|\A\$([A-Za-z_]\w*)\Z|%(\w+)%\Z|\{\{\s*env_var\W*(\w*).*?\}\}"
)
# The usual name of a catalog folder, which says nothing about the catalog.
_USUAL = "catalog"


# The variables of the environment that settings may read; None for all. The project file of a pull request
# is a text of a stranger, and a value can be seen in messages and in the rows of reviews.
READABLE: ContextVar[Collection[str] | None] = ContextVar("READABLE", default=None)


def variables_in(text: str) -> frozenset[str]:
    """The variables of the environment that a project file names."""
    return frozenset(_VARIABLE.findall(text))


class Setting(Struct, frozen=True):
    """A string of the project file. `${NAME}` is an environment variable."""

    text: str
    span: Span = NOWHERE

    def value(self) -> str:
        """The string with its variables replaced. Raises PredicatError if one is not set or empty: with an
        empty address commands would use the default server of the environment.
        """
        readable = READABLE.get()
        for name in _VARIABLE.findall(self.text):
            if readable is not None and name not in readable:
                raise PredicatError.of(say.variable_not_read(self.span, name))
            if not os.environ.get(name):
                raise PredicatError.of(say.variable_not_set(self.span, name, is_empty=name in os.environ))
        return _VARIABLE.sub(lambda result: os.environ[result[1]], self.text)


class Profile(Struct, frozen=True):
    """A profile. `settings` has its settings by the keys of `SETTINGS`, `variables` its Jinja variables."""

    settings: Mapping[str, Setting] = {}
    variables: Mapping[str, Setting] = {}


class Project(Struct, frozen=True):
    """The contents of a project file.

    Attributes:
        catalog: The catalog's name.
        file: The file; None if there is none.
        path: The folder of the catalog, relative to the file, if the file sets it.
        engines: The engines that the project runs on.
        profile: The default profile.
        profiles: The profiles by name.
        approvals: Who must approve which changes.
        waivers: Changes that are accepted for some time.
    """

    catalog: str
    file: Path | None = None
    path: Setting | None = None
    engines: tuple[str, ...] = ()
    profile: str | None = None
    profiles: Mapping[str, Profile] = {}
    approvals: tuple[Approval, ...] = ()
    waivers: tuple[Waiver, ...] = ()

    @property
    def folder(self) -> Path | None:
        """The folder of the catalog: as set in the file, or `catalog` next to the file, or the
        file's folder.
        """
        if self.file is None:
            return None
        root = self.file.parent
        if self.path is not None:
            return root / self.path.text
        return root if root.name == _USUAL and not (root / _USUAL).is_dir() else root / _USUAL

    def checked_folder(self) -> Path | None:
        """The folder of the catalog. Raises PredicatError if the file sets one that does not exist."""
        folder = self.folder
        if folder is None or self.path is None or folder.exists():
            return folder
        known = _folders(folder.parent) if folder.parent.is_dir() else []
        raise PredicatError.of(say.no_catalog_folder(self.path.span, self.path.text, known))

    def chosen(self, name: str | None) -> Profile:
        """The profile of a name, or the default one. Raises PredicatError if there is no such profile."""
        wanted = name or self.profile
        if wanted is None:
            return Profile()
        if wanted not in self.profiles:
            raise PredicatError.of(say.no_profile(wanted, self.profiles, PROJECT_FILE))
        return self.profiles[wanted]


def load_project(folder: Path) -> Project:
    """The project of a catalog folder. Raises PredicatError with all the problems of the file, or if the
    catalog has no usable name.

    Without a project file the name is the name of the repository's folder, followed by the path of the
    catalog unless that is the folder `catalog` at the root.
    """
    root, file = _root(folder), find(folder)
    project = _read_project(file) if file is not None else Project("")
    return project if project.catalog else replace(project, catalog=_usable(_default(folder, root)))


def project_around(place: Path) -> Project | None:
    """The project of a folder: the nearest project file in it or above, up to the root of the
    repository. None if there is none. Raises PredicatError with the problems of the file.
    """
    file = project_file(place)
    return _read_project(file) if file is not None else None


def _read_project(file: Path) -> Project:
    """Read a project file. The name is empty if it sets none. Raises PredicatError."""
    reporter = Reporter()
    shown = _shown(file)
    source = Source(shown, text_of(file, shown))
    item = compose(source, reporter)
    result = _ProjectFileReader(reporter).project(item, file) if item is not None else Project("", file)
    reporter.raise_errors()
    return result


def find(folder: Path) -> Path | None:
    """The project file of a catalog folder, if there is one."""
    return next((file for place in _upwards(folder) if (file := file_in(place)) is not None), None)


def _shown(file: Path) -> str:
    here = Path.cwd()
    return str(file.relative_to(here)) if file.is_relative_to(here) else str(file)


def _upwards(folder: Path) -> Iterator[Path]:
    """The folder and its parents up to the root of the repository; without a repository only the folder and
    its parent.
    """
    start = _start(folder)
    yield from up_to_repository(start) if repository_of(start) else (start, *start.parents[:1])


def _start(folder: Path) -> Path:
    folder_ = folder.resolve()
    return folder_.parent if folder_.is_file() else folder_


def _root(folder: Path) -> Path:
    return list(_upwards(folder))[-1]


def _default(folder: Path, root: Path) -> str:
    inner = _start(folder).relative_to(root).parts
    return "/".join((root.name, *(inner[:-1] if inner[-1:] == (_USUAL,) else inner)))


def _usable(name: str) -> str:
    if not _is_name(name):
        raise PredicatError.of(say.folder_as_name(name, PROJECT_FILE))
    return name


def usable_name(folder: Path) -> str:
    """A name for a catalog without a project file: its default name, where needed with other characters."""
    name = _default(folder, _root(folder))
    return name if _is_name(name) else re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:LONGEST] or _USUAL


def _is_name(name: str) -> bool:
    return NAME.match(name) is not None and len(name) <= LONGEST


def _folders(place: Path) -> list[str]:
    """The folders inside a folder that may be catalogs."""
    return [one.name for one in sorted(place.iterdir()) if one.is_dir() and not one.name.startswith(".")]


class _ProjectFileReader(Struct):
    """Reads the keys of the file; problems are reported."""

    reporter: Reporter

    def project(self, item: YamlNode, file: Path) -> Project:
        keys = item.keys(say.PROJECT_FILE, KEYS)
        name, path = self.catalog(keys["catalog"]) if "catalog" in keys else ("", None)
        profiles = {
            key: self.profile(key, value)
            for key, value, _ in (keys["profiles"].entries("profiles") if "profiles" in keys else ())
        }
        profile = (keys["profile"].text("profile") or None) if "profile" in keys else None
        listed = "profiles" not in keys or keys["profiles"].is_mapping
        if profile is not None and profile not in profiles and listed:
            self.reporter.add(say.no_profile(profile, profiles, PROJECT_FILE, keys["profile"].span))
        engines = [self.engine(one) for one in keys["engines"].items("engines")] if "engines" in keys else []
        approvals = [self.approval(one) for one in keys["review"].items("review")] if "review" in keys else []
        waivers = [self.waiver(one) for one in keys["waivers"].items("waivers")] if "waivers" in keys else []
        return Project(
            name,
            file,
            path,
            tuple(engines),
            profile,
            profiles,
            tuple(filter(None, approvals)),
            tuple(filter(None, waivers)),
        )

    def approval(self, item: YamlNode) -> Approval | None:
        """A rule of `review`."""
        what = say.RULE_OF_REVIEW
        keys = item.keys(what, APPROVAL_KEYS)
        if item.lacks(keys, "when", what) or item.lacks(keys, "approve", what):
            return None
        tag, dataset = (keys[key].text(key) if key in keys else None for key in ("tag", "dataset"))
        return Approval(self.when(keys["when"]), keys["approve"].texts("approve"), tag, dataset)

    def waiver(self, item: YamlNode) -> Waiver | None:
        """A waiver."""
        keys = item.keys(say.WAIVER, WAIVER_KEYS)
        if any([item.lacks(keys, key, say.WAIVER) for key in ("entry", "reason", "until")]):  # noqa: C419  # reports all
            return None
        until = keys["until"].value
        if not isinstance(until, date):
            self.reporter.add(say.bad_until(keys["until"].span, keys["until"].kind))
            return None
        when = self.when(keys["when"]) if "when" in keys else ANY
        return Waiver(keys["entry"].text("entry"), keys["reason"].text("reason"), until, when, item.span)

    def when(self, item: YamlNode) -> str:
        """What happens to what changes."""
        text = item.text("when")
        if text and text not in WHEN:
            self.reporter.add(say.bad_when(item.span, text, WHEN))
        return text

    def catalog(self, item: YamlNode) -> tuple[str, Setting | None]:
        """The name of the catalog and its folder: `shop`, or `{name: shop, path: filters}`."""
        keys = {"name": item}
        if item.is_mapping:
            keys = item.keys("catalog", _CATALOG_KEYS)
        name = keys["name"].text("catalog") if "name" in keys else ""
        if name and not _is_name(name):
            self.reporter.add(say.bad_catalog_name(keys["name"].span, name, LONGEST))
        path = keys.get("path")
        return name, Setting(path.text("path"), path.span) if path is not None else None

    def engine(self, item: YamlNode) -> str:
        name = item.text("engine")
        if name and name not in DIALECTS:
            self.reporter.add(say.no_engine(item.span, name, DIALECTS))
        return name

    def setting(self, key: str, value: YamlNode) -> Setting:
        text = value.text(key)
        if other := _OTHER_VARIABLE.search(text):
            name = next(filter(None, other.groups()), "NAME")
            self.reporter.add(say.other_variable(value.span, key, other[0], name))
        return Setting(text, value.span)

    def profile(self, name: str, item: YamlNode) -> Profile:
        if item.is_null:
            return Profile()
        keys = item.keys(say.profile(name), SETTINGS)
        if "engine" in keys:
            self.engine(keys["engine"])
        variables = keys.pop("vars").entries("vars") if "vars" in keys else ()
        return Profile(
            {key: self.setting(key, value) for key, value in keys.items()},
            {key: Setting(str(value.plain()), value.span) for key, value, _ in variables},
        )
