"""Which engine a command uses, and where the files of a dataset are."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Iterable
from pathlib import Path

import click

from predicat.cli.project import preferred

# The end of the help of options that name an engine.
FOLLOWS = "Default: the project's engine, otherwise that of the dataset's relation."


def engine_for(
    relations: Iterable[str], offered: Collection[str], given: str | None = None, *, fallback: str = "spark"
) -> str:
    """The engine: the given one; else the first of the project that has a relation; else that of the first
    relation; else the project's first. Only engines that are `offered` count.
    """
    if given is not None:
        return given
    wanted = [name for name in preferred(click.get_current_context()) if name in offered]
    known = [name for name in relations if name in offered]
    served = [name for name in wanted if name in known]
    return next(iter([*served, *known, *wanted]), fallback)


def is_given(option: str) -> bool:
    """Whether an option stands on the command line, and does not come from the project or a default."""
    source = click.get_current_context().get_parameter_source(option)
    return source is click.core.ParameterSource.COMMANDLINE


def options_given(*names: str) -> str:
    """Some options as they stand on the command line, each with a space before it, for hints that name
    another command.
    """
    context, words = click.get_current_context(), []
    for option in context.command.params:
        if option.name in names and is_given(option.name):
            value = context.params[option.name]
            given = [f"{name}={text}" for name, text in value.items()] if isinstance(value, dict) else value
            values = given if isinstance(given, tuple | list) else (given,)
            words += [word for one in values for word in (option.opts[0], str(one))]
    return "".join(f" {shlex.quote(word)}" for word in words)


def located(folder: Path, path: str) -> str:
    """The path of data files, seen from the current folder. In the catalog it is written as seen from the
    folder of the project file, or from the current folder where there is no such file.
    """
    from predicat.catalog.project import find  # noqa: PLC0415  # not for --help

    file = find(folder)
    return path if file is None or _is_fixed(path, file.parent) else os.path.relpath(file.parent / path)


def to_write(root: Path, path: str) -> str:
    """A path of data files as a catalog has it, whose project file is in `root`: `located` reversed."""
    return path if _is_fixed(path, root) else os.path.relpath(path, root)


def _is_fixed(path: str, root: Path) -> bool:
    """Whether a path is the same in the current folder as in another one."""
    return _SCHEME.match(path) is not None or Path(path).is_absolute() or root.resolve() == Path.cwd()


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
