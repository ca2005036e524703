"""`predicat`: finds the command and loads only that. `exit_codes` says what its exit codes mean."""

from __future__ import annotations

import gc
import importlib
import io
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click

from predicat.cli.exit_codes import MEANINGS, ExitCode, code_for
from predicat.diagnostics import Diagnostic

COMMANDS = {
    "init": "Write a first catalog, or the dataset of a file or table.",
    "import": "Write a catalog from the manifests of other systems.",
    "discover": "Find the conditions that a repository already has.",
    "check": "Check a catalog, its inline tests, and that released versions keep their meaning.",
    "list": "List all filters, or those that selectors choose.",
    "test": "Run the tests of filters, generate missing ones, and count the mistakes that they find.",
    "lint": "Find filters that are valid but probably wrong.",
    "fmt": "Format catalog files. Comments are kept.",
    "diff": "Show what a change does to the rows of each filter, with proofs.",
    "comment": "Post a review as a comment on a pull request.",
    "release": "Record the versions of the catalog as released.",
    "explain": "Explain what a filter means, and why it accepts a row or not.",
    "compile": "Write the manifest and the SQL of every filter.",
    "sql": "Print the SQL of a filter.",
    "translate": "Translate a predicate to another language.",
    "union": "Print one condition that accepts the rows of several filters.",
    "split": "Split a filter into the part that a source supports, and the rest.",
    "match": "Print the filters that accept each row of a file.",
    "seek": "Find the first row that a filter accepts.",
    "apply": "Create the PostgreSQL views of the filters.",
    "plan": "Print what apply would do, as a plan that can be approved.",
    "refresh": "Refresh the materialized PostgreSQL views of the filters.",
    "advise": "Propose indexes and statistics for PostgreSQL, each of them tried.",
    "suspend": "Alter a PostgreSQL table while its views are away.",
    "run": "Run filters on Spark and write the accepted rows.",
    "filters": "List the entry filters that are installed.",
    "spark": "Build the jar of the Spark extension.",
    "quality": "Measure how many rows filters accept, and check the bounds of the catalog.",
    "export": "Write the filters for other tools, such as a dbt package.",
    "docs": "Build or serve the catalog as a web site.",
    "owners": "Write CODEOWNERS from the owners of filters.",
    "lsp": "Start the language server for editors.",
    "mcp": "Start the server for agents, which only reads.",
    "schema": "Print the JSON Schema of catalog files.",
    "completion": "Print a completion script for a shell.",
}


# An option of every command, at any place.
_DEBUG = "--debug"


class Commands(click.Group):
    """Commands load on first use, so that --help answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # as the base class has it
        """The names of all commands, without importing them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # as the base class has it
        """A command out of its module, with the options of the profile; None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"predicat.cli.{cmd_name}_command")
        command: click.Command = module.command
        from predicat.cli.project import with_profile  # noqa: PLC0415  # not for --help

        return with_profile(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  # as the base class has it
        """Write the help text's lists of commands and of exit codes."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code.value), meaning) for code, meaning in MEANINGS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of the arguments. An unknown name fails with the nearest one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from predicat.diagnostics.messages import commands as say  # noqa: PLC0415  # only for a mistake

            ctx.fail(say.no_command(args[0], COMMANDS))
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="predicat")
@click.option(_DEBUG, is_flag=True, expose_value=False, help="Show where predicat itself failed.")
def cli() -> None:
    """A catalog of named row filters, with one meaning in Spark SQL, PostgreSQL, DuckDB and Python."""


def _folder_given(error: click.ClickException) -> str | None:
    """The folder that a command was given that takes no argument, but the option --catalog."""
    context = getattr(error, "ctx", None)
    found = re.search(r"unexpected extra argument \((\S+)\)", error.format_message())
    if context is None or found is None or not Path(found[1]).is_dir():
        return None
    options = {option for one in context.command.params for option in one.opts}
    return found[1] if "--catalog" in options else None


def _end(problems: Sequence[Diagnostic]) -> NoReturn:
    """Print the problems and exit with the code that they have."""
    from predicat.cli.colour import tell  # noqa: PLC0415  # only for problems
    from predicat.diagnostics import rendered  # noqa: PLC0415  # as above
    from predicat.diagnostics.wording import quantity  # noqa: PLC0415  # as above

    tell(rendered(problems))
    click.echo(f"\n{quantity(len(problems), 'problem')}", err=True)
    sys.exit(code_for(sys.argv[1] if len(sys.argv) > 1 else "", problems))


def _broken(error: BaseException) -> NoReturn:
    """End after an error of predicat itself, with a code that is no verdict about a catalog."""
    from predicat.cli.colour import tell  # noqa: PLC0415  # only for a mistake
    from predicat.diagnostics.messages import commands as say  # noqa: PLC0415  # as above

    if _DEBUG in sys.argv:
        import traceback  # noqa: PLC0415  # as above

        click.echo("".join(traceback.format_exception(error)), err=True)
    tell(say.internal(error, _DEBUG).render())
    sys.exit(ExitCode.INTERNAL)


def main() -> None:
    """The entry point: problems are printed as they are, never as a traceback."""
    # A command ends soon, and a catalog is all trees and no garbage: the collector would walk them again and
    # again. The process is the program's own here; the library leaves the collector of its users alone.
    gc.disable()
    for stream in (sys.stdout, sys.stderr):
        # What a terminal cannot show, such as half a character of UTF-16 in a row, is told by its number.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    from predicat.diagnostics import PredicatError, extras  # noqa: PLC0415  # cheap, but after the group is built

    try:
        code = cli([word for word in sys.argv[1:] if word != _DEBUG], standalone_mode=False)
        if isinstance(code, int) and code:
            sys.exit(code)
    except PredicatError as error:
        _end(error.diagnostics)
    except ModuleNotFoundError as error:
        problem = extras.missing(error)
        _end([problem]) if problem is not None else _broken(error)
    except click.ClickException as error:
        error.show()
        if (folder := _folder_given(error)) is not None:
            click.echo(f"The catalog is an option: --catalog {folder}", err=True)
        sys.exit(ExitCode.USAGE)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except (KeyboardInterrupt, click.Abort) as error:
        cause = error if isinstance(error, KeyboardInterrupt) else error.__cause__
        click.echo(": ".join(["interrupted", *map(str, cause.args if cause is not None else ())]), err=True)
        sys.exit(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        sys.exit(ExitCode.CLOSED)
    except OSError as error:
        # What is read is told with its place; this is an output that cannot be written.
        from predicat.diagnostics.messages.files import file_problem  # noqa: PLC0415  # only for a mistake

        _end([file_problem(str(error.filename or ""), error.strerror or str(error))])
    except Exception as error:  # noqa: BLE001  # a crash must not end with the code of a verdict
        _broken(error)
    finally:
        if "_duckdb" not in sys.modules:  # which tells every object of its own that is never collected
            # or Python looks through all that is left before it ends: a tenth of a large compilation
            gc.freeze()
