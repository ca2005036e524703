"""Files are written completely or not at all: by `predicat.diagnostics.writing`, and by nothing else."""

import ast
from pathlib import Path

import pytest

from predicat.diagnostics.writing import write_text

ROOT = Path(__file__).parent.parent
WRITES = ("write_text", "write_bytes", "open", "fdopen", "NamedTemporaryFile", "mkstemp")
ELSEWHERE = {
    "review/touched.py": "a folder that is deleted",
    "files/duckdb_tables.py": "as above",
    "forge/git.py": "as above",
    "pipeline/files.py": "on the file systems of Hadoop, where a lease must be the first of its name",
}


def writes(node: ast.AST) -> str | None:
    """The receiver of a call that begins a file, "" without one; None for any other call."""
    match node:
        case ast.Call(func=ast.Name(id="open"), args=[_, ast.Constant(value=str(mode))]) if mode[0] in "wx":
            return ""
        case ast.Call(func=ast.Attribute(value=base, attr=name), args=args) if name in WRITES:
            modes = [
                one.value for one in args if isinstance(one, ast.Constant) and isinstance(one.value, str)
            ]
            if name not in ("open", "fdopen") or any(mode[:1] in ("w", "x") for mode in modes):
                return ast.unparse(base)
    return None


def test_every_file_is_written_by_one_mechanism() -> None:
    found = {
        f"{path.parent.name}/{path.name}:{node.lineno}"
        for folder in ("compiler/predicat", "spark_ext/predicat_spark")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if writes(node) not in (None, "beside")
    }
    assert {place for place in found if place.partition(":")[0] not in ELSEWHERE} == set()
    assert {place.partition(":")[0] for place in found} == ELSEWHERE.keys()


def test_after_an_error_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "folder" / "x").mkdir(parents=True)
    with pytest.raises(IsADirectoryError):
        write_text(tmp_path / "folder", "text")
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "file", "half \ud800")
    assert {path.name for path in tmp_path.iterdir()} == {"file", "folder"}
    assert (tmp_path / "file").read_text() == "old"
