"""Spark with a Spark Connect server and a Thrift server in its driver, and dbt runs next to them.

    python remote_program.py settings.json more.json

``more.json`` is a list: each is Hive's settings of one more Thrift server.

It says READY, and then takes from stdin, one a line, {"arguments": [...], "reply": file}: a dbt
invocation in this process, where ``method: session`` finds the driver. The reply is its success.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession

from ctas_spark.engines import jvm
from functional.quick_dbt import quicken_dbt

READY = "The server is ready."


def main(settings: Path, more: Path) -> None:
    """Serve until stdin ends."""
    quicken_dbt()
    builder = SparkSession.builder
    for name, value in json.loads(settings.read_text()).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")  # what fails on purpose fills the log
    thrift = jvm.classes(session).org.apache.spark.sql.hive.thriftserver.HiveThriftServer2
    thrift.startWithContext(jvm.session(session).sqlContext())
    for own in json.loads(more.read_text()):
        _start_another(session, thrift, own)
    print(READY, flush=True)  # noqa: T201 (its parent waits for that)
    for line in sys.stdin:
        asked = json.loads(line)
        lines: list[str] = []
        runner = dbtRunner(callbacks=[lambda event, said=lines: said.append(str(event.info.msg))])  # type: ignore[misc]  # protobuf
        outcome = runner.invoke(asked["arguments"])
        reply = Path(asked["reply"])
        beside = reply.with_suffix(".new")
        beside.write_text(json.dumps({"success": outcome.success, "log": "\n".join(lines)}))
        beside.replace(reply)
    session.stop()


def _start_another(session: SparkSession, thrift: Any, own: Mapping[str, str]) -> None:
    """Start a Thrift server as ``startWithContext`` does, but with settings of its own."""
    hive_conf = jvm.classes(session).org.apache.hadoop.hive.conf.HiveConf
    conf = hive_conf(jvm.hadoop_configuration(session), hive_conf._java_lang_class)  # noqa: SLF001 (py4j's)
    for name, value in own.items():
        conf.set(name, value)
    server = thrift(jvm.session(session))
    server.init(conf)
    server.start()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
