"""The figures of docs/evidence.md: `PREDICAT_ORACLES=FOLDER python -m tests.oracles.repositories`.

Runs `predicat discover` with its defaults on each checkout. Prints the rows of the tables of the page, and a
sample of findings to be judged by reading: every error and warning, and of the notes of each kind a random
choice. Of repositories that nothing was tuned on it prints the errors and warnings that come first, with the
judgements of docs/evidence/discover.csv.
"""

import csv
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from tests.oracles import EVIDENCE, checkout
from tests.processes import in_process

REPOSITORIES = {
    "dbt-labs+jaffle-shop": "dbt",
    "fivetran+dbt_zendesk": "dbt package",
    "tuva-health+tuva": "dbt",
    "mitodl+ol-data-platform": "dbt on Trino",
    "mozilla+bigquery-etl": "BigQuery",
    "MIT-LCP+mimic-code": "BigQuery, PostgreSQL, DuckDB, MySQL",
    "mozilla+python_mozetl": "PySpark",
    "knative+docs": "selectors in YAML",
}
# Repositories that nothing was tuned on, and the commits whose findings were judged.
HELD_OUT = {
    "ktopcuoglu+gitlab-dbt-analytics": "493752b6d2d4",
    "BenjaminRains+dbt_dental_clinic": "231506f55615",
    "OHDSI+Achilles": "247b86da872c",
    "ncl-icb-analytics+dbt-ncl-analytics": "213ca0542d52",
    "ebmdatalab+openprescribing": "62015f4a3a00",
    "snowplow+dbt-snowplow-web": "0e4f868f6bc7",
    "Artemis-xyz+dbt": "0efb125e1aea",
    "FlipsideCrypto+ethereum-models": "9e5079dd2a52",
    "OHDSI+CohortDiagnostics": "09440f59e3ec",
    "dbt-labs+dbt-project-evaluator": "927abbd523b6",
    "google+fhir-dbt-analytics": "ec087df7cda7",
    "elementary-data+dbt-data-reliability": "ccb0de340975",
    "OHDSI+DataQualityDashboard": "2f81ca9eb736",
    "FlipsideCrypto+fsc-evm": "40d703018e64",
    "FlipsideCrypto+near-models": "e1b31b02a06b",
    "FlipsideCrypto+sql_models": "305dae0dd57c",
    "david-but-its-daweed+dbt-spark-models": "edcfcb961cbc",
    "hackclub+data-warehouse": "4d40234ede62",
    "datagotps+dbt-datago-thepetshop": "40dc69373daf",
    "chaoss+augur": "109511bf6f96",
    "thegoodparty+gp-data-platform": "64d444bdf76a",
    "gustavobftorres+dune-queries": "da8fdabf11e1",
    "FlipsideCrypto+flow-models": "0322c6febafd",
    "jsuarezgg+dbt-dagster-demo": "10bee11fa441",
    "jemmia-diamond+data-platform": "ff6db06bcdab",
    "khldsqmr+Digital-Analytics-Data-Platform": "2857ffed1663",
    "NexusMutual+dune-queries": "722d2d67713c",
    "dataapps-variant+bigquery-backups": "33cdbedcb380",
    "Hakkoda1+AAH_MDP_dbt_project": "9d7ecea88c0e",
    "FlipsideCrypto+crosschain-models": "9c4f24249087",
    "cowprotocol+dune-queries": "71b61205e466",
    "griffoff+looker-CU": "416a1f4095e0",
    "griffoff+looker-cube": "d668d9f895b2",
    "meltano+squared": "266bc9a4befe",
    "zyntrixio+data-warehouse": "744183b71aaa",
    "adventum+dbt-etlcraft": "34d24fa4944d",
    "getlago+lago-api": "1b1c24a6a6c3",
    "prefeitura-rio+queries-rj-sms": "9d1d4a5edf7d",
    "OHDSI+Vocabulary-v5.0": "df87b017e0e0",
    "pass-culture+data-gcp": "88155b6876e4",
    "basedosdados+queries-basedosdados": "1e41ea826af3",
    "OHDSI+WebAPI": "b22d7bf02d98",
    "NYCPlanning+data-engineering": "96e1b9f8dc2f",
    "ccao-data+data-architecture": "9bd81870e6b5",
    "prefeitura-rio+pipelines_rj_smtr": "0c465bcd5799",
    "National-COVID-Cohort-Collaborative+Data-Ingestion-and-Harmonization": "82c8929e659b",
    "National-COVID-Cohort-Collaborative+Phenotype_Data_Acquisition": "6d26382a68b9",
    "gip-inclusion+pilotage-airflow": "4f69095f997e",
    "MIT-LCP+eicu-code": "34cece8c7077",
    "MTES-MCT+sparte": "baa213731ac7",
    "PIH+openmrs-config-zl": "99ef5a3d507c",
    "cityofaustin+vision-zero": "57ed04b321d9",
    "MTES-MCT+monitorfish": "c3da8a4b024d",
    "all-of-us+curation": "f0b2d4ff4bec",
    "cagov+caldata-mdsa-caltrans-pems": "0bfbd03906c4",
    "CEDStandards+CEDS-Data-Warehouse": "5341f9d5405d",
    "i2b2+i2b2-data": "0194915c9700",
    "cncf+devstats": "194c6ce2e7fa",
    "TEAMSchools+teamster": "0cdc7eefe76f",
    "mertcan-gif+dbt-models-mert": "0cb50123be8f",
    "AMPATH+etl": "48cfdef7bffb",
    "palladiumkenya+dwh-etl": "0a6de777a386",
    "m-lab+etl-schema": "e00a051ee56e",
    "CityofToronto+bdit_data-sources": "795d534a15bd",
    "ethpandaops+xatu-cbt": "ce6490329795",
    "datayard+master-dbt-models-v1": "73f55e36a688",
    "Enterprise-CMCS+T-MSIS-Analytic-File-Generation-Python": "f82d869e1fd7",
    "Synthetixio+data": "fd8d3effad41",
    "kumc-bmi+i2p-transform": "f68158abc91f",
    "navikt+dvh_familie_dbt": "2b9eaff04285",
    "dagster-io+dagster-open-platform": "a5b83cf866fc",
    "opensafely-core+cohort-extractor": "f2b9bc486e16",
    "NMDSdevopsServiceAdm+DataEngineering": "35455bde5861",
    "ImagingDataCommons+ETL": "971243ea1596",
}
JUDGED = EVIDENCE.parent / "evidence" / "discover.csv"
# Errors and warnings that are printed of a repository, as the command does.
FIRST = 20
COLUMNS = ("D101", "D104", "D108", "D103", "D107", "D201", "D202")
# How many notes of a kind are drawn.
NOTES = {"D103": 10, "D107": 5, "D201": 26, "D202": 15}
SEED = 32
Found = tuple[str, dict[str, Any]]


def found_in(name: str) -> dict[str, Any]:
    """What `predicat discover` says of a repository."""
    folder = checkout(name)
    assert folder is not None
    done = in_process("discover", ".", "--format", "json", cwd=folder)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def row(name: str, data: dict[str, Any]) -> str:
    """The row of a repository in the first table."""
    conditions = data["conditions"]
    counts = Counter(item["code"] for item in data["findings"])
    numbers = [
        sum(data["files"].values()),
        len(conditions),
        len({(item["relation"], item["sql"] or item["text"]) for item in conditions}),
        len(data["left_out"]),
        sum(data["not_judged"].values()),
        *(counts[code] for code in COLUMNS),
    ]
    shown = " | ".join(f"{number:,}" for number in numbers)
    return f"| {name.replace('+', '/')} | {REPOSITORIES[name]} | {shown} |"


def sample(findings: list[Found]) -> Iterator[Found]:
    """Every error and warning, and a random choice of the notes of each kind."""
    chooser = random.Random(SEED)  # no secret
    for code in sorted({item["code"] for _, item in findings}):
        members = [found for found in findings if found[1]["code"] == code]
        yield from chooser.sample(members, min(NOTES[code], len(members))) if code in NOTES else members


def text_of(name: str, item: dict[str, Any], around: int = 3) -> str:
    """The lines of a finding in its file."""
    folder = checkout(name)
    assert folder is not None
    lines = (folder / item["file"]).read_text(encoding="utf-8").splitlines()
    first = max(0, item["line"] - 1 - around)
    return "\n".join(
        f"  {number + 1:>5} {lines[number]}" for number in range(first, min(len(lines), first + 12))
    )


def first(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The errors and warnings that come first. One that several places have is there once."""
    told = [item for item in data["findings"] if item["level"] != "note"]
    told.sort(key=lambda item: (-item["rank"], item["level"], item["file"], item["line"]))
    once = {(item["code"], item["message"], item["hint"], item["text"]): item for item in reversed(told)}
    return list(reversed(once.values()))[:FIRST]


def held_out() -> Iterator[str]:
    """The rows about repositories that nothing was tuned on, with the judgements."""
    with JUDGED.open(encoding="utf-8", newline="") as file:
        judged: defaultdict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
        for row in csv.DictReader(file):
            judged[row["repository"], row["path"], row["line"], row["code"]].append(row)
    for name in filter(checkout, HELD_OUT):
        owner = name.replace("+", "/")
        items = first(found_in(name))
        at = [judged[owner, item["file"], str(item["line"]), item["code"]] for item in items]
        rows = [found.pop(0) if found else None for found in at]  # a line may have several, in this order
        counts = Counter("not judged" if row is None else row["judgement"] for row in rows)
        numbers = " | ".join(str(counts[kind]) for kind in ("useful", "trivial", "wrong", "not judged"))
        yield f"| {owner} | {HELD_OUT[name]} | {len(items)} | {numbers} |"
        for item, row in zip(items, rows, strict=True):
            said = "not judged" if row is None else f"{row['judgement']}: {row['reason']}"
            yield f"  {item['code']} {item['file']}:{item['line']}: {item['message']}\n    {said}"


def main() -> None:
    """Print the tables and the sample."""
    for line in held_out():
        print(line, flush=True)
    findings: list[Found] = []
    reasons: Counter[str] = Counter()
    for name in filter(checkout, REPOSITORIES):
        data = found_in(name)
        reasons.update(item["reason"] for item in data["left_out"])
        findings += [(name, item) for item in data["findings"]]
        print(row(name, data), flush=True)
    for reason, number in reasons.most_common():
        print(f"| {reason} | {number:,} |")
    for name, item in sample(findings):
        print(
            f"\n{item['code']} {name} {item['file']}:{item['line']}: {item['message']}\n{text_of(name, item)}"
        )


if __name__ == "__main__":
    main()
