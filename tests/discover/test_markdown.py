"""`predicat discover --format markdown`: a table that nothing in the code can break."""

import re
from pathlib import Path

from tests.processes import in_process

ONE = """select 1 from t where a = 1 and (a = 1 or b = '|`<b>`');
select 1 from orders where status in ('open', 'held') and kind = 'a' and amount > 0;
"""
TABLE = """### predicat discover: 2 findings in 2 files

| finding | place | what is wrong |
|---|---|---|
| D202 near | `one.sql:2` | `status in ('open', 'held') and kind = 'a' and amount > 0`<br>orders: this is \
nearly the rule in two.sql:2: the first has amount &#62; 0, the second amount &#62;= 0. They differ for \
{status: "held", kind: "a", amount: 0}. |
| D103 redundant | `one.sql:1` | ``a = 1 or b = '\\|`<b>`'``<br>t: this operand of AND has no effect: the \
same rows are accepted without it. Types inferred from use: a (number), b (string). |

<details>
<summary>what was read</summary>

```text
files            2  sql 2
"""


def test_the_findings_are_a_table(tmp_path: Path) -> None:
    (tmp_path / "one.sql").write_text(ONE)
    (tmp_path / "two.sql").write_text("\n" + ONE.splitlines()[1].replace("> 0", ">= 0"))
    done = in_process("discover", ".", "--format", "markdown", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.startswith(TABLE), done.stdout
    assert done.stdout.endswith("```\n\n</details>\n")


def test_what_the_table_does_not_show_is_counted(tmp_path: Path) -> None:
    conditions = (f"select 1 from t where a = {number} and (a = {number} or b = 2);" for number in range(22))
    (tmp_path / "a.sql").write_text("\n".join(conditions))
    shown = in_process("discover", ".", "--format", "markdown", cwd=tmp_path).stdout
    assert len(re.findall(r"(?m)^\| D103", shown)) == 20
    assert "and 2 more: D103 2 (--select CODE lists them)" in shown
    shown = in_process("discover", ".", "--format", "markdown", "--select", "D103", cwd=tmp_path).stdout
    assert len(re.findall(r"(?m)^\| D103", shown)) == 22


def test_a_report_without_findings(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("select 1 from t where a = 1")
    shown = in_process("discover", ".", "--format", "markdown", cwd=tmp_path).stdout
    assert shown.startswith("### predicat discover: 0 findings in 1 file\n\n<details>\n")
