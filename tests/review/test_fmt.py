"""predicat fmt: one layout, and nothing but the layout changes."""

import random
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from predicat.diagnostics import PredicatError, Source
from predicat.editor.layout import layout
from tests.processes import in_process

ROOT = Path(__file__).parents[2]
MESSY = """

# top
apiVersion:   "predicat/v1"   # version
dataset: 'orders'
relation: {spark: 'orders',   postgres: "public.orders"}


fields:
    amount: {type: 'bigint',
        description: "In cents: net."}  # the amount
    "on": string
    code: "012"
filters:
      # about large
      large:
          # inner
          sql: "amount > 100"
          tests:
          - {row: {amount: 101}, matches: true}   # yes
          # between
          -   row: {amount: 1}
              matches: false
      other:
        sql: |
            amount > 1


              AND note = 'x'   -- a comment of SQL
            # and this
        tags: [ a,b , "c", [{d: ">"}] ]
        description: 'It''s "quoted" here: yes'   \n# the end
"""
NEAT = """# top
apiVersion: predicat/v1  # version
dataset: orders
relation: {spark: orders, postgres: public.orders}

fields:
  amount: {type: bigint, description: "In cents: net."}  # the amount
  "on": string
  code: "012"
filters:
  # about large
  large:
    # inner
    sql: amount > 100
    tests:
      - {row: {amount: 101}, matches: true}  # yes
      # between
      - row: {amount: 1}
        matches: false
  other:
    sql: |
      amount > 1


        AND note = 'x'   -- a comment of SQL
      # and this
    tags: [a, b, c, [{d: ">"}]]
    description: 'It''s "quoted" here: yes'
# the end
"""


def laid_out(text: str) -> str:
    return layout(Source("a.yml", text))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (MESSY, NEAT),
        (NEAT, NEAT),
        (NEAT.replace("\n", "\r\n"), NEAT.replace("\n", "\r\n")),
        ("", ""),
        ("# nothing but this\n", "# nothing but this\n"),
        (
            "a: 'yes'\nb: '1'\nc: '1_0'\nd: '12:30'\ne: 'null'\nf: ''\ng: ' x'\nh: 'x: y'\n",
            "a: 'yes'\nb: '1'\nc: '1_0'\nd: '12:30'\ne: 'null'\nf: ''\ng: ' x'\nh: 'x: y'\n",
        ),
        ("a: 'x # y'\nb: '{{ c }}'\nc: '@x'\nd: 'x#y'\n", "a: 'x # y'\nb: '{{ c }}'\nc: '@x'\nd: x#y\n"),
        ('a: "tab\\there"\nb: "é"\n', 'a: "tab\\there"\nb: é\n'),
        ("# x\n---\na:   1\n", "# x\n---\na: 1\n"),
        (
            "a: 2026-01-01\nb: 1.50\nc: 0x1F\nd: ~\ne:\n",
            "a: 2026-01-01\nb: 1.50\nc: 0x1F\nd: null\ne: null\n",
        ),
    ],
)
def test_layouts(before: str, after: str) -> None:
    assert laid_out(before) == after
    assert laid_out(after) == after


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: [\n", "not valid YAML"),
        ("a: {b: 1, # lost\n  c: 2}\n", "comment '# lost'"),
        ("a: 1\n---\nb: 2\n", "not valid YAML"),
        ("a: &x 1\nb: *x\n", "alias"),
    ],
)
def test_refused(text: str, reason: str) -> None:
    with pytest.raises(PredicatError, match=reason):
        laid_out(text)


@pytest.mark.parametrize("seed", range(40))
def test_nothing_but_the_layout_changes(seed: int) -> None:
    choose = random.Random(seed)
    words = (
        "a",
        "on",
        "1",
        "1.0",
        "x: y",
        "- z",
        "# c",
        "it's",
        '"q"',
        "",
        " ",
        "é😀",
        "{",
        "a, b",
        "2026-01-01",
        "~",
        "long " * 40,
        "a\nb",
        "\ta",
    )

    def value(depth: int) -> object:
        kind = choose.randrange(4 if depth < 3 else 2)
        if kind < 2:
            return choose.choice((*words, 1, 2.5, True, None))
        if kind == 2:
            return [value(depth + 1) for _ in range(choose.randrange(4))]
        return {
            f"{choose.choice(words[:5])}{number}": value(depth + 1) for number in range(choose.randrange(4))
        }

    data = {f"key{number}": value(0) for number in range(5)}
    text = yaml.dump(
        data,
        indent=choose.choice((2, 4, 6)),
        default_flow_style=choose.choice((None, False)),
        allow_unicode=True,
        default_style=choose.choice((None, '"', "'")),
        width=choose.choice((20, 1000)),
        sort_keys=False,
    )
    lines = text.split("\n")
    tops = [number for number, line in enumerate(lines) if line.startswith(("key", '"key', "'key"))]
    for number in reversed(tops):
        lines[number:number] = ["", f"# about {number}"][choose.randrange(2) :]
    text = "\n".join(lines)
    after = laid_out(text)
    assert yaml.safe_load(after) == data
    assert laid_out(after) == after
    assert [line for line in after.split("\n") if line.startswith("# about")] == [
        line for line in lines if line.startswith("# about")
    ]


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "catalog" / "a.yml"
    file.parent.mkdir()
    file.write_text(MESSY)
    file.chmod(0o640)
    checked = in_process("fmt", "--check", cwd=tmp_path)
    assert (checked.returncode, checked.stdout) == (1, "catalog/a.yml is not formatted\n")
    shown = in_process("fmt", "--diff", cwd=tmp_path)
    assert shown.returncode == 0 and "+dataset: orders\n" in shown.stdout and file.read_text() == MESSY
    assert in_process("fmt", cwd=tmp_path).returncode == 0
    assert (file.read_text(), file.stat().st_mode & 0o777) == (NEAT, 0o640)
    assert in_process("fmt", "--check", "catalog/a.yml", cwd=tmp_path).returncode == 0
    assert in_process("fmt", "--check", "catalog", cwd=tmp_path).returncode == 0
    given = in_process("lint", "catalog", cwd=tmp_path)
    assert given.returncode == 2
    assert given.stderr.endswith("The catalog is an option: --catalog catalog\n")
    (tmp_path / "catalog" / "b.yml").write_text("a: [")
    file.write_text(MESSY)
    broken = in_process("fmt", cwd=tmp_path)
    assert broken.returncode == 1 and "catalog/b.yml:1" in broken.stderr and file.read_text() == NEAT
    assert in_process("fmt", "nowhere.yml", cwd=tmp_path).returncode != 0
    piped = subprocess.run(
        [sys.executable, "-m", "predicat", "fmt", "-"],
        input=MESSY,
        capture_output=True,
        text=True,
        check=True,
    )
    assert piped.stdout == NEAT


@pytest.mark.parametrize("file", sorted((ROOT / "catalog").rglob("*.yml")), ids=lambda file: file.name)
def test_the_reference_catalog(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert laid_out(text) == text
