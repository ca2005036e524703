"""The functions of the schema `predicat` in a database: whether views may use them, and what installs them.

Each function has a comment with a mark: the version, a hash of its definition, and a fingerprint of what the
server stored. A function without a mark is never replaced. Newer functions stay: they have the same meanings.
"""

import re
from collections.abc import Collection, Iterator, Mapping

import psycopg
from msgspec import Struct, field
from msgspec.structs import replace

from predicat.backends.sql.functions import Function, Runtime
from predicat.backends.sql.postgres import installed
from predicat.backends.sql.postgres.definition import SCHEMA, Definition
from predicat.deploy.dependents import literal
from predicat.deploy.inventory import OWN_ROLES
from predicat.deploy.marks import digest
from predicat.diagnostics import Diagnostic
from predicat.diagnostics.messages import deploy as say

_MARK = re.compile(r"^\[predicat-function/1 version=(\d+) hash=(\w+) stored=(\w*)\]", re.MULTILINE)


class Installed(Struct, frozen=True):
    """A function of the schema. `stored` is the fingerprint of the stored function, `mine` whether this role
    may replace it, `trusted` whether its owner is this role, a role that it is a member of, a superuser, or
    the owner of the database.
    """

    signature: str
    comment: str
    stored: str
    owner: str
    mine: bool
    trusted: bool

    def is_marked(self) -> bool:
        """Whether predicat created it."""
        return _MARK.search(self.comment) is not None

    @property
    def version(self) -> int:
        """The version of the functions that it belongs to, 0 if it has no mark."""
        match = _MARK.search(self.comment)
        return int(match[1]) if match else 0

    def is_made_of(self, definition: Definition) -> bool:
        """Whether it was created by this definition, and is unchanged since."""
        match = _MARK.search(self.comment)
        return match is not None and match[2] == digest(definition.sql) and match[3] == self.stored


class State(Struct, frozen=True):
    """The state of a database: the schema's owner (None without a schema), the privileges of this role, and
    the functions by signature.
    """

    server: int
    owner: str | None
    may_create: bool
    trusted: bool
    role: str
    functions: Mapping[str, Installed]


_TRUSTED = f"""{OWN_ROLES}
UNION SELECT datdba FROM pg_database WHERE datname = current_database()
"""
_SCHEMA = f"""
WITH trusted AS ({_TRUSTED})
SELECT current_user, pg_get_userbyid(n.nspowner), n.nspowner IN (SELECT oid FROM trusted),
  CASE WHEN n.oid IS NULL THEN has_database_privilege(current_database(), 'CREATE')
    ELSE has_schema_privilege(n.oid, 'CREATE') END
FROM (SELECT) AS one LEFT JOIN pg_namespace n ON n.nspname = '{SCHEMA}'
"""
_FUNCTIONS = f"""
WITH trusted AS ({_TRUSTED})
SELECT p.proname, pg_get_function_arguments(p.oid), COALESCE(obj_description(p.oid, 'pg_proc'), ''),
  pg_get_functiondef(p.oid), pg_get_userbyid(p.proowner), pg_has_role(p.proowner, 'USAGE'),
  p.proowner IN (SELECT oid FROM trusted)
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = '{SCHEMA}' AND p.prokind = 'f'
"""


def read(connection: psycopg.Connection) -> State:
    """Read the state of the functions in the database."""
    ((role, owner, trusted, may_create),) = connection.execute(_SCHEMA.encode()).fetchall()
    installed = [
        Installed(
            f"{SCHEMA}.{name}({arguments})", str(comment), digest(stored), str(by), bool(mine), bool(known)
        )
        for name, arguments, comment, stored, by, mine, known in connection.execute(
            _FUNCTIONS.encode()
        ).fetchall()
    ]
    return State(
        connection.info.server_version,
        None if owner is None else str(owner),
        bool(may_create),
        bool(trusted),
        str(role),
        {row.signature: row for row in installed},
    )


class Choice(Struct):
    """The functions that views may use, and those that they do use.

    Attributes:
        runtime: The functions that views may use, if there are any.
        missing: The definitions that are to be created or replaced.
        note: Why there are none, or why newer functions cannot be installed.
        schema_exists: Whether the schema of the functions is there.
        used: The names of functions that views call.
    """

    runtime: Runtime | None
    missing: tuple[Definition, ...] = ()
    note: Diagnostic | None = None
    schema_exists: bool = True
    used: set[str] = field(default_factory=set[str])

    @property
    def to_install(self) -> tuple[Definition, ...]:
        """The definitions to install; empty if no view calls a function."""
        return self.missing if self.used else ()


def choose(state: State) -> Choice:
    """Choose the functions that views may use, and those to install first."""
    wanted = installed.definitions(state.server)
    there = {definition.signature: state.functions.get(definition.signature) for definition in wanted}
    newest = max(
        (definition.version for definition in state.functions.values() if definition.trusted), default=0
    )
    missing = tuple(
        definition
        for definition in wanted
        if (known := there[definition.signature]) is None or not known.is_made_of(definition)
    )
    if newest > installed.VERSION and all(known is not None and known.trusted for known in there.values()):
        missing = ()
    obstacle = _obstacle(state, missing, there)
    if obstacle is not None:
        return Choice(None, note=obstacle)
    result = Choice(None, missing, None, state.owner is not None)
    result.runtime = _recorded(installed.available(state.server), result.used)
    return result


def _obstacle(
    state: State, missing: Collection[Definition], there: Mapping[str, Installed | None]
) -> Diagnostic | None:
    if state.owner is None:
        return None if state.may_create else say.no_schema_for_functions(state.role)
    if not state.trusted:
        return say.schema_of_another(state.owner)
    for definition in missing:
        known = there[definition.signature]
        if known is not None and not known.is_marked():
            return say.function_not_by_predicat(definition.signature)
        if known is not None and not known.mine:
            return say.older_functions(known.owner)
        if known is None and not state.may_create:
            return say.no_functions_in_schema(state.role)
    return None


def _recorded(functions: Runtime, used: set[str]) -> Runtime:
    """The functions, with a record of those that are called."""
    call = functions.call

    def recorded(*value: object) -> object:
        result = call(*value)  # type: ignore[arg-type]
        if result is not None:
            used.update(row.name for row in value if isinstance(row, Function))
        return result

    return replace(functions, call=recorded)


def install(connection: psycopg.Connection) -> Iterator[tuple[str, str]]:
    """Install what is missing, one statement at a time, with the name of what it changes.

    The state is read again: another catalog may have installed them in the meantime.
    """
    state = read(connection)
    chosen = choose(state)
    for definition, statement in statements(chosen):
        yield (definition.signature if definition else SCHEMA), statement
    done = read(connection).functions
    for definition in chosen.missing:
        yield definition.signature, _comment(connection, definition, done[definition.signature].stored)


def script(connection: psycopg.Connection, chosen: Choice) -> Iterator[str]:
    """The statements that install what views call. Their comments have no fingerprints of what the server
    will store; the next apply adds them.
    """
    if chosen.to_install:
        yield from (statement for _, statement in statements(chosen))
        yield from (_comment(connection, definition, "") for definition in chosen.missing)


def statements(chosen: Choice) -> Iterator[tuple[Definition | None, str]]:
    """The statements that install missing functions, without comments, each with its function."""
    if chosen.missing and not chosen.schema_exists:
        yield None, f"CREATE SCHEMA {SCHEMA}"
        yield None, f"GRANT USAGE ON SCHEMA {SCHEMA} TO PUBLIC"
    for definition in chosen.missing:
        yield definition, definition.sql
        yield definition, f"GRANT EXECUTE ON FUNCTION {definition.signature} TO PUBLIC"


def _comment(connection: psycopg.Connection, definition: Definition, stored: str) -> str:
    mark = f"[predicat-function/1 version={installed.VERSION} hash={digest(definition.sql)} stored={stored}]"
    comment = literal(connection, f"predicat: {definition.note}\n{mark}")
    return f"COMMENT ON FUNCTION {definition.signature} IS {comment}"
