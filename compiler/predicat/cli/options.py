"""Options that several commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

import click
from msgspec import Struct
from msgspec.structs import fields

from predicat.cli.colour import tell
from predicat.cli.project import FromProject, with_variables
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import commands as say

if TYPE_CHECKING:
    from datetime import datetime

    from predicat.catalog import Catalog
    from predicat.deploy.sessions import Limits
    from predicat.ir.nodes import ParamDecl
    from predicat.review.touched import Scope

FILE, FOLDER = click.Path(path_type=Path), click.Path(path_type=Path)
SECONDS = click.FloatRange(min=0, min_open=True)
EFFORT = click.FloatRange(min=0, min_open=True)
# Types of options. Help shows their names.
FILE.name, FOLDER.name, SECONDS.name = "file", "folder", "seconds"


def option(names: str, text: str = "", **more: Any) -> Any:
    """An option as the default of the parameter that gets its value, which gives it its name and its type: a
    boolean is a flag, a tuple an option that is given several times, a path that of a file.

    Args:
        names: The names of the option, and behind them that of its value, such as `--var NAME=VALUE`.
        text: Its help.
        more: What else click.option takes, and FromProject.
    """
    words = names.split()
    flags = [word.rstrip(",") for word in words if word.startswith("-")]
    value = None if words[-1].startswith("-") else words[-1]

    def declare(command: Any, name: str, kind: Any) -> Any:
        kinds = get_args(kind) if isinstance(kind, UnionType) else (kind,)
        settings = {
            "cls": FromProject if more.keys() & {"below", "setting"} else click.Option,
            "type": FILE if Path in kinds else None,
            "is_flag": bool in kinds,
            "multiple": get_origin(kind) is tuple,
            "show_default": more.get("default", more.get("below", "")) != "",
            "metavar": value,
            "help": text,
        }
        return click.option(*flags, name, **{**settings, **more})(command)

    return declare


def argument(metavar: str | None = None, **more: Any) -> Any:
    """An argument as the default of the parameter that gets its value."""
    return lambda command, name, _kind: click.argument(name, metavar=metavar, **more)(command)


def options(function: Callable[..., None]) -> Callable[..., None]:
    """A command with the options that are the defaults of its parameters. A parameter without a default is a
    Struct of options.
    """
    kinds = get_type_hints(function)
    groups: dict[str, type[Struct]] = {}
    declared: list[tuple[Any, str, Any]] = []
    for name, parameter in signature(function).parameters.items():
        if parameter.default is parameter.empty:
            groups[name] = kinds[name]
            declared += [(one.default, one.name, one.type) for one in fields(kinds[name])]
        else:
            declared.append((parameter.default, name, kinds[name]))

    @wraps(function)
    def command(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field: given.pop(field) for field in group.__struct_fields__})
        function(**given)

    for declare, name, kind in reversed(declared):
        command = declare(command, name, kind)
    return command


def _variables(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    return pairs("--var", with_variables(context, parameter, texts))


CATALOG = option("--catalog", "The catalog folder.", setting="catalog", default="catalog", type=FOLDER)
VARIABLES = option(
    "--var NAME=VALUE", "Set a Jinja variable of the catalog.", multiple=True, callback=_variables
)
PARAMS = option("--param NAME=VALUE", "Set a parameter of the filter.")
BASE = option(
    "--base REVISION",
    "Compare released versions with the merge base of this git revision. Default: the main branch.",
)
CHANGED = option(
    "--changed [REVISION]",
    "Check only what is staged for the next commit. With REVISION: only what differs from that git revision.",
    is_flag=False,
    flag_value="",
)
BASELINE = option(
    "--baseline FILE",
    "A file of known findings, which are ignored.",
    type=click.Path(path_type=Path, dir_okay=False),
)


def form_option(*formats: str, what: str = "output") -> Any:
    """The option `--format` with the given formats, of which the first one is the default."""
    return option("--format", f"The format of the {what}.", default=formats[0], type=click.Choice(formats))


def dsn_option(what: str = "") -> Any:
    """The option `--dsn`; `what` says what the server is for."""
    text = (
        f"The PostgreSQL server{what}, postgresql://... Default: that of the profile, then the PG* "
        "variables, then an embedded server."
    )
    return option("--dsn DSN", text, setting="dsn")


class Timeouts(Struct, frozen=True, kw_only=True):
    """How long the statements of a command may take."""

    lock_timeout: float = option(
        "--lock-timeout", "Time in seconds to wait for locks.", default=5.0, type=SECONDS
    )
    statement_timeout: float = option(
        "--statement-timeout",
        "Time in seconds after which a statement is cancelled.",
        default=300.0,
        type=SECONDS,
    )

    def limits(self) -> Limits:
        """The timeouts of a session."""
        from predicat.deploy.sessions import Limits  # noqa: PLC0415  # needs the driver, which connect asks for

        return Limits(self.lock_timeout, self.statement_timeout)


def now_option(default: str, what: str = "The") -> Any:
    """The option `--now`; `default` says which time is the default."""
    return option("--now TIME", f"{what} current time in UTC, for filters that read it. Default: {default}.")


def master_option(what: str = "") -> Any:
    """The option `--master`; `what` is behind its help."""
    return option("--master URL", f"The Spark master{what}.", setting="master", default="local[*]")


def pairs(option: str, texts: tuple[str, ...], shape: str = "NAME=VALUE") -> dict[str, str]:
    """The values of an option that is given once for each name."""
    result: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise click.UsageError(say.option_takes(option, shape, text))
        result[name] = value
    return result


def values_of(texts: tuple[str, ...], params: Mapping[str, ParamDecl]) -> dict[str, Any]:
    """The values of `--param`: a text for texts and times, otherwise a number, a truth value or a list as in
    YAML.
    """
    import yaml  # noqa: PLC0415  # not for --help

    from predicat.ir.types import DATE, STRING, TIMESTAMP  # noqa: PLC0415  # as above

    result: dict[str, Any] = {}
    for name, text in pairs("--param", texts).items():
        decl = params.get(name)
        try:
            read = text if decl is None or decl.type in (STRING, DATE, TIMESTAMP) else yaml.safe_load(text)
        except yaml.YAMLError:
            read = text
        result[name] = read
    return result


def check_dataset_name(name: str) -> None:
    """Raise UsageError for a text that is not a valid name of a dataset."""
    from predicat.catalog.keys import NAME  # noqa: PLC0415  # not for --help

    if not NAME.match(name):
        raise click.UsageError(say.bad_dataset(name))


def load(folder: Path, variables: Mapping[str, str]) -> Catalog:
    """The catalog. Its warnings are printed."""
    from predicat.catalog import load_catalog  # noqa: PLC0415  # loaded when a command runs, not for --help

    result = load_catalog(folder, variables=variables)
    for warning in result.warnings:
        tell(warning.render() + "\n")
    return result


def load_quietly(
    folder: Path, variables: Mapping[str, str], files: Collection[Path] | None = None
) -> Catalog:
    """The catalog, or some files of it, without its warnings and with its inline tests left alone."""
    from predicat.catalog import load_catalog  # noqa: PLC0415  # loaded when a command runs, not for --help

    return load_catalog(folder, variables=variables, files=files, tests=False)


def removed_before(context: click.Context, _parameter: click.Parameter, path: Path | None) -> Path | None:
    """An output file, removed before the work begins: after a failure an older one, or one of a stranger,
    must not be taken for the result.
    """
    if path is not None and not context.resilient_parsing:
        path.unlink(missing_ok=True)
    return path


def needs_review() -> None:
    """Raise PredicatError unless the solver is installed."""
    from predicat.diagnostics import extras  # noqa: PLC0415  # not for --help

    extras.require("z3")


@contextmanager
def failure_as_review(form: str, out: Path | None, folder: Path, command: str) -> Iterator[None]:
    """Work of a command whose Markdown output says why there is no review if it fails, so that an old comment
    does not stay.
    """
    try:
        yield
    except PredicatError as error:
        if form == "markdown":
            from predicat.diagnostics.writing import write_text  # noqa: PLC0415  # only for a failure
            from predicat.forge.git import head_of  # noqa: PLC0415  # as above
            from predicat.review.comments import failed  # noqa: PLC0415  # as above

            shown = failed(error.diagnostics, head_of(folder), command)
            click.echo(shown, nl=False) if out is None else write_text(out, shown)
        raise


@contextmanager
def judged(
    folder: Path, changed: str, extra_files: Sequence[Path] = (), *, lock: bool = False
) -> Iterator[Scope]:
    """What `--changed` asks to judge; what is staged is the current folder meanwhile.

    `pre-commit run --from-ref` names the revision in the environment. Raises PredicatError.
    """
    from predicat.review import touched  # noqa: PLC0415  # not for --help

    revision = changed or os.environ.get("PRE_COMMIT_FROM_REF") or None
    with touched.scope(folder, revision, extra_files, lock=lock) as scope:
        if revision is None and scope.whole and not scope.touched:
            click.echo("nothing is staged: the whole catalog is checked", err=True)
        if scope.empty and not any(scope.owners.values()):
            _needs_datasets(scope.folder)
        yield scope


def _needs_datasets(folder: Path) -> None:
    """Raise PredicatError if a catalog defines no dataset: a job on a wrong folder would always pass."""
    from predicat.catalog.load import read_definitions  # noqa: PLC0415  # only where no file names a dataset

    definitions = read_definitions(folder)
    if not definitions.datasets:
        raise PredicatError(definitions.problems)


def with_classes_here() -> None:
    """Find modules of entry filters in the current folder too, as `python -m` does. Workers of a local Spark
    do so by themselves.
    """
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)


def reading(text: str | None) -> datetime | None:
    """The current time that --now gives; None without it. Raises PredicatError."""
    from predicat.ir.nodes import NOW  # noqa: PLC0415  # not for --help
    from predicat.semantics import clock  # noqa: PLC0415  # as above

    return None if text is None else clock.reading(text)[NOW.name]
