"""Signatures of manifests, as `predicat compile --sign` writes them."""

import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from predicat.catalog.signature import unsigned
from tests.processes import completed, in_process

ROOT = Path(__file__).parent.parent.parent


def genpkey(path: Path, *options: str) -> Path:
    subprocess.run(["openssl", "genpkey", "-out", str(path), *options], check=True, capture_output=True)
    return path


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "catalog", tmp_path / "catalog")
    shutil.copytree(ROOT / "macros", tmp_path / "macros")
    genpkey(tmp_path / "predicat.key", "-algorithm", "ed25519")
    return tmp_path


def test_openssl_verifies_the_signature(workplace: Path) -> None:
    assert in_process("compile", "--sign", "predicat.key", cwd=workplace).returncode == 0
    text = (workplace / "target" / "manifest.json").read_text()
    (workplace / "content").write_text("".join(text.splitlines(keepends=True)[:-1]))
    decode = ["openssl", "base64", "-d", "-A", "-out", "signature"]
    subprocess.run(decode, input=json.loads(text)["signature"], text=True, check=True, cwd=workplace)
    verify = [
        "openssl",
        "pkeyutl",
        "-verify",
        "-inkey",
        "predicat.key",
        "-rawin",
        "-in",
        "content",
        "-sigfile",
        "signature",
    ]
    done = completed(verify, cwd=workplace)
    assert "Signature Verified Successfully" in done.stdout + done.stderr


def test_what_is_unchanged_is_signed_too(workplace: Path) -> None:
    path = workplace / "target" / "manifest.json"
    in_process("compile", cwd=workplace)
    plain = path.read_text()
    assert unsigned(plain) == plain
    assert "unchanged" in in_process("compile", "--sign", "predicat.key", cwd=workplace).stdout
    signed = path.read_text()
    assert signed != plain and unsigned(signed) == plain
    assert "unchanged" in in_process("compile", cwd=workplace).stdout and path.read_text() == signed
    in_process("compile", "--force", cwd=workplace)
    assert path.read_text() == plain


def test_the_signature_names_the_catalog_and_a_revision_that_grows(workplace: Path) -> None:
    path = workplace / "target" / "manifest.json"
    (workplace / "predicat.yml").write_text("catalog: shop\n")

    def signed(*options: str) -> dict[str, Any]:
        done = in_process("compile", "--sign", "predicat.key", *options, cwd=workplace)
        assert done.returncode == 0, done.stderr
        return json.loads(path.read_text())

    before = int(time.time())
    first = signed()
    assert first["catalog"] == "shop" and before <= first["revision"] <= time.time()
    assert signed("--revision", "7")["revision"] == 7
    assert unsigned(path.read_text()).endswith("\n]}\n")
    second = signed()
    assert second["revision"] >= first["revision"]
    assert {**second, "revision": 0, "signature": ""} == {**first, "revision": 0, "signature": ""}
    in_process("compile", "--force", cwd=workplace)
    assert not {"catalog", "revision", "signature"} & json.loads(path.read_text()).keys()


def test_a_revision_is_a_part_of_a_signature(workplace: Path) -> None:
    done = in_process("compile", "--revision", "7", cwd=workplace)
    assert done.returncode == 2 and "it needs --sign KEY" in done.stderr
    done = in_process("compile", "--sign", "predicat.key", "--revision", str(2**63), cwd=workplace)
    assert done.returncode == 2 and "not in the range" in done.stderr


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("-algorithm", "RSA"), "is not an Ed25519 key"),
        (("-algorithm", "ed25519", "-aes256", "-pass", "pass:secret"), "is encrypted with a password"),
        (None, "is not a private key in PEM format"),
        ((), "No such file"),
    ],
)
def test_what_is_no_key(workplace: Path, options: tuple[str, ...] | None, reason: str) -> None:
    path = workplace / "other.key"
    if options is None:
        path.write_text("nonsense")
    elif options:
        genpkey(path, *options)
    done = in_process("compile", "--sign", "other.key", cwd=workplace)
    assert done.returncode == 2 and reason in done.stderr and "Traceback" not in done.stderr
    assert not (workplace / "target").exists()
