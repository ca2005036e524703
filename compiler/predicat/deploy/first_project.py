"""The project file that `predicat init` writes, so that later commands need no options."""

from __future__ import annotations

import yaml


def project_text(name: str, engine: str, dsn: str | None = None) -> str:
    """The text of `predicat.yml` for a catalog on an engine. `name` is the catalog's name; "" leaves it out.
    The server is written without its password.
    """
    profile = {"engine": engine, **({"dsn": dsn} if dsn is not None else {})}
    data = {**({"catalog": name} if name else {}), "profile": "dev", "profiles": {"dev": profile}}
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=1000)
    return f"# The defaults of options. Other profiles, such as prod, are chosen with --profile.\n{text}"


def without_password(dsn: str) -> tuple[str, bool]:
    """A DSN without its password, and whether it had one. A DSN with `${NAME}` is not changed."""
    from psycopg.conninfo import conninfo_to_dict, make_conninfo  # noqa: PLC0415  # optional

    if "${" in dsn:
        return dsn, False
    parts = {name: str(value) for name, value in conninfo_to_dict(dsn).items()}
    if parts.pop("password", None) is None:
        return dsn, False
    return make_conninfo("", **parts), True
