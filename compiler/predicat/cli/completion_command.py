"""predicat completion."""

from __future__ import annotations

import click

from predicat.cli.options import argument, options
from predicat.diagnostics.messages import commands as say

_SHELLS = ("bash", "zsh", "fish")


@click.command(
    "completion",
    help=(
        "Print a script that completes commands, options and names of filters in a "
        'shell. For bash, add this line to ~/.bashrc: eval "$(predicat completion '
        'bash)"'
    ),
)
@options
def command(shell: str = argument(type=click.Choice(_SHELLS))) -> None:
    from click.shell_completion import get_completion_class  # noqa: PLC0415  # not for --help

    from predicat.cli.main import cli  # noqa: PLC0415  # it loads this module

    shell_class = get_completion_class(shell)
    if shell_class is None:
        raise click.UsageError(say.no_shell(shell))
    click.echo(shell_class(cli, {}, "predicat", "_PREDICAT_COMPLETE").source())
