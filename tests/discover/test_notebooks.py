"""Conditions in notebooks and in Scala: each cell in its language, at its place in the file."""

import json
from pathlib import Path

import pytest

from predicat.diagnostics.messages import discover as say
from predicat.discover.conditions import Condition
from tests.discover import reading

DATABRICKS_PYTHON = """# Databricks notebook source
# MAGIC %md
# MAGIC select * from words where a = 1

# COMMAND ----------
# DBTITLE 1,Open orders
# MAGIC %sql
# MAGIC SELECT *
# MAGIC FROM $db.orders
# MAGIC WHERE status = 'open'
# MAGIC   AND amount > ${least} AND day = '$day' AND body <> '$$'

# COMMAND ----------

df = spark.table("sales.orders")

# COMMAND ----------
!pip install x
# COMMAND ----------
display(df.filter("amount > 3"))

# COMMAND ----------
# MAGIC %scala
# MAGIC spark.sql("select * from raw where kind = 2")
"""
DATABRICKS_SQL = """-- Databricks notebook source
SELECT * FROM t WHERE a = 1
-- COMMAND ----------
SELECT * FROM t WHERE b = 2
-- COMMAND ----------
-- MAGIC %python
-- MAGIC df = spark.sql(f"select * from u where c = {value}")
"""
DATABRICKS_SCALA = '''// Databricks notebook source
val one = spark.sql(s"""select * from t
  where day = '$day' and k in (1, 2)""")
// COMMAND ----------
// MAGIC %sql
// MAGIC select * from t where a = 1
// COMMAND ----------
val two = one.where("b = 'x' and c > 2").filter($"d" === 3)
val three = numbers.filter(_ > 3)
'''
LOST_MAGIC = """# Databricks notebook source
# DBTITLE 1,Open orders
 %sql
 -- all of them
 select * from t where a = 1
# COMMAND ----------

 # of one kind
 %py
 if kind:
   spark.sql("select * from t where b = 2")
# COMMAND ----------
# DBTITLE 1,Notes
 %md
 select * from t where c = 3
"""
LOST_MAGIC_IN_SQL = """-- Databricks notebook source
 %md # Notes
-- COMMAND ----------
-- DBTITLE 1,Open orders
 %sql
 select * from t where a = 1
"""
PROGRAM = """# %%
import os
# %%
# %%sql
# select * from t where a = 1
# %%
%%sql postgresql://
select * from t
where b = 'ü'
# %%
df = %sql select * from t where c = 3
if df:
    !ls
    spark.sql("select * from t where d = 4")
get_ipython().run_cell_magic('sql', '', 'select * from t where e = 5')
"""
CELLS = [
    {"cell_type": "markdown", "source": ["%sql select * from t where z = 1"]},
    {"cell_type": "code", "source": "%%sql -o result\nselect * from t\nwhere a = \"x\\y\" and é = 'ü😀'"},
    {"cell_type": "code", "source": ["%sql\n", "select * from t where b = 2"], "outputs": [{"text": ["b"]}]},
    {"cell_type": "code", "source": ["%%time\n", "df = spark.table('s.t')"]},
    {"cell_type": "code", "source": ["df.where(\n", '  "c = 3"\n', ")"]},
    {
        "cell_type": "code",
        "source": ["select * from t where d = 4"],
        "metadata": {"vscode": {"languageId": "sql"}},
    },
    {"cell_type": "code", "source": ["spark this is nothing"]},
]


def read(tmp_path: Path, name: str, text: str) -> tuple[list[Condition], list[str]]:
    (tmp_path / name).write_text(text, encoding="utf-8")
    scan = reading.read([tmp_path])
    return sorted(scan.conditions, key=lambda row: row.place.start), [row.reason for row in scan.refused]


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        (
            "a.py",
            DATABRICKS_PYTHON,
            [
                ("@db.orders", "status = 'open' AND amount > :least AND day = :day AND body <> '$$'", 10),
                ("sales.orders", "amount > 3", 20),
                ("raw", "kind = 2", 24),
            ],
        ),
        ("a.sql", DATABRICKS_SQL, [("t", "a = 1", 2), ("t", "b = 2", 4), ("u", "c = :value", 7)]),
        (
            "a.scala",
            DATABRICKS_SCALA,
            [
                ("t", "day = :day AND k IN (1, 2)", 2),
                ("t", "a = 1", 6),
                (None, "b = 'x' AND c > 2", 8),
                (None, "(d = 3)", 8),
            ],
        ),
        ("a.py", LOST_MAGIC, [("t", "a = 1", 5), ("t", "b = 2", 11)]),
        ("a.sql", LOST_MAGIC_IN_SQL, [("t", "a = 1", 6)]),
        (
            "a.py",
            PROGRAM,
            [
                ("t", "a = 1", 5),
                ("t", "b = 'ü'", 9),
                ("t", "c = 3", 11),
                ("t", "d = 4", 14),
                ("t", "e = 5", 15),
            ],
        ),
    ],
)
def test_cells(tmp_path: Path, name: str, text: str, wanted: list[tuple[str | None, str, int]]) -> None:
    rows, left = read(tmp_path, name, text)
    assert [(row.relation, row.sql, row.place.line) for row in rows] == wanted
    assert left == []
    for row in rows:
        assert row.rendered or text[row.place.start : row.place.end] == row.text


@pytest.mark.parametrize("ascii_only", [True, False])
def test_jupyter(tmp_path: Path, ascii_only: bool) -> None:
    text = json.dumps({"cells": CELLS, "metadata": {}}, indent=1, ensure_ascii=ascii_only)
    rows, left = read(tmp_path, "a.ipynb", text)
    assert [(row.relation, row.sql) for row in rows[1:]] == [
        ("t", "b = 2"),
        ("s.t", "c = 3"),
        ("t", "d = 4"),
    ]
    assert rows[0].text.endswith("é = 'ü😀'") and rows[0].dialect == "spark" and rows[0].place.line == 11
    assert left == [say.NO_PYTHON]
    assert text[rows[1].place.start : rows[1].place.end] == "b = 2"
    assert rows[0].rendered and not rows[1].rendered
    assert text.splitlines()[rows[2].place.line - 1].strip() == '"  \\"c = 3\\"\\n",'


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"cells": 3}', '{"cells": [{"cell_type": "code"}, 3]}', '{"a": "x", "a": "y", "b": "z"}'],
)
def test_notebooks_that_cannot_be_read(tmp_path: Path, text: str) -> None:
    rows, left = read(tmp_path, "a.ipynb", text)
    assert not rows and left in ([], [say.NOT_DATA])
