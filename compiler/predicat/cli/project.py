"""Options whose defaults the project file `predicat.yml` sets. A flag has priority."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from predicat.diagnostics import PredicatError
from predicat.diagnostics.reading import text_of

if TYPE_CHECKING:
    import psycopg

    from predicat.catalog.project import Profile, Project

_PROJECT, _PROFILE, _READABLE = "predicat.project", "predicat.profile", "predicat.readable"
# The data folder of the embedded server, below the project's folder.
EMBEDDED = "target/postgres"


def project(context: click.Context) -> Project | None:
    """The project that the current folder is in; None if there is none. Raises PredicatError."""
    from predicat.catalog.paths import project_file  # noqa: PLC0415  # not for --help without a project

    here = Path.cwd()
    projects = context.find_root().meta.setdefault(_PROJECT, {})
    if here not in projects:
        projects[here] = None
        if project_file(here) is not None:
            from predicat.catalog.project import project_around  # noqa: PLC0415  # only for a project

            projects[here] = project_around(here)
    known: Project | None = projects[here]
    return known


def profile(context: click.Context) -> Profile | None:
    """The profile in use. Raises PredicatError for one that the project does not have."""
    owner, name = project(context), context.meta.get(_PROFILE)
    if owner is not None:
        return owner.chosen(name)
    if name is None:
        return None
    from predicat.catalog.project import Project as Nothing  # noqa: PLC0415  # only for a mistake

    return Nothing("").chosen(name)


def preferred(context: click.Context) -> list[str]:
    """The engines of the project, the most important one first. Raises PredicatError."""
    owner, chosen = project(context), profile(context)
    stated = chosen.settings.get("engine") if chosen is not None else None
    named = [] if stated is None else [stated.value()]
    return [*named, *(owner.engines if owner is not None else ())]


def from_here(path: Path) -> Path:
    """A path as it is written in the current folder."""
    return Path(os.path.relpath(path))


class FromProject(click.Option):
    """An option whose default is a `setting` of the project, or a path `below` its folder."""

    def __init__(self, *args: Any, setting: str = "", below: str = "", **more: Any) -> None:
        if below:
            more["default"] = below
        super().__init__(*args, **more)
        self.setting, self.below = setting, below

    def get_default(self, ctx: click.Context, call: bool = True) -> Any:  # as in click
        """The setting; the option's own default where the project does not have it."""
        try:
            value = self.found(ctx)
        except PredicatError:
            if call and not ctx.resilient_parsing:
                raise
            value = None  # for --help and for shells
        return super().get_default(ctx, call) if value is None else value

    def found(self, context: click.Context) -> str | None:
        """What the project has for this option. Raises PredicatError."""
        owner = project(context)
        if self.below:
            return (
                str(from_here(owner.file.parent / self.below)) if owner is not None and owner.file else None
            )
        if self.setting == "catalog":
            result = owner.checked_folder() if owner is not None else None
            return str(from_here(result)) if result is not None else None
        chosen = profile(context)
        stated = chosen.settings.get(self.setting) if chosen is not None else None
        # A server may not be needed, so that its address is completed when it is.
        return None if stated is None else stated.text if self.setting == "dsn" else stated.value()


def connect(dsn: str | None, data: Path | None = None) -> AbstractContextManager[psycopg.Connection]:
    """A connection to a DSN, in which `${NAME}` is a variable of the environment; without one to the embedded
    server. Raises PredicatError.
    """
    from predicat.catalog.project import Setting  # noqa: PLC0415  # only with a server
    from predicat.deploy import server  # noqa: PLC0415  # as above

    place = data if data is not None else below(EMBEDDED)
    return server.connect(Setting(dsn).value() if dsn is not None else None, place)


def below(path: str) -> Path:
    """A path below the folder of the project, or of the current folder where there is no project."""
    owner = project(click.get_current_context())
    root = owner.file.parent if owner is not None and owner.file is not None else Path()
    return from_here(root / path)


def with_variables(
    context: click.Context, _parameter: click.Parameter, variables: tuple[str, ...]
) -> tuple[str, ...]:
    """The variables of the profile, and behind them those that are given, which have priority."""
    try:
        chosen = profile(context)
        stated = chosen.variables if chosen is not None else {}
        return (*(f"{name}={setting.value()}" for name, setting in stated.items()), *variables)
    except PredicatError:
        if context.resilient_parsing:
            return variables
        raise


def _choose(context: click.Context, _parameter: click.Parameter, name: str | None) -> None:
    if name is not None:
        context.meta[_PROFILE] = name


def with_profile(command: click.Command) -> click.Command:
    """The command with the option `--profile`, if the project can set one of its options."""
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            with_profile(inner)
    elif not any(isinstance(one, _Profile) for one in command.params) and any(
        isinstance(one, FromProject) for one in command.params
    ):
        command.params += [_Profile(), *_environment_options()]
    return command


def _environment_options() -> list[click.Option]:
    """The options that say which variables of the environment a project file can read."""
    return [
        click.Option(
            ["--env"],
            multiple=True,
            is_eager=True,
            expose_value=False,
            callback=_restricting("env"),
            metavar="NAME",
            help="A variable of the environment that predicat.yml may read although nobody has reviewed it.",
        ),
        click.Option(
            ["--untrusted"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_restricting("untrusted"),
            help="The project is that of a stranger: read only the variables of the environment in --env.",
        ),
    ]


def _restricting(key: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def callback(context: click.Context, _parameter: click.Parameter, value: Any) -> None:
        if value:
            _restrict(context, key, value)

    return callback


def _restrict(context: click.Context, key: str, value: Any) -> None:
    """Restrict the variables of the environment that the project file can read."""
    from predicat.catalog.project import READABLE  # noqa: PLC0415  # only if something is restricted

    known = context.meta.setdefault(_READABLE, {})
    if not known:
        context.call_on_close(lambda: READABLE.set(None))
    known[key] = value
    reviewed = () if "untrusted" in known else known.get("reviewed")
    READABLE.set(None if reviewed is None else {*reviewed, *known.get("env", ())})


def as_reviewed(context: click.Context, _parameter: click.Parameter, base: str | None) -> str | None:
    """The base of a review. The project file can read only the variables that the one of the base names,
    since a pull request may bring another one.
    """
    from predicat.catalog.paths import project_file  # noqa: PLC0415  # not for --help

    file = None if context.resilient_parsing else project_file(Path.cwd())
    if file is not None and "${" in text_of(file):
        from predicat.forge.git import names_read  # noqa: PLC0415  # only for a file with variables

        _restrict(context, "reviewed", names_read(file, base))
    return base


class _Profile(click.Option):
    def __init__(self) -> None:
        super().__init__(
            ["--profile"],
            envvar="PREDICAT_PROFILE",
            is_eager=True,
            expose_value=False,
            callback=_choose,
            metavar="NAME",
            help=(
                "The profile of predicat.yml. Default: the variable PREDICAT_PROFILE, "
                "otherwise the one that the file names."
            ),
        )
