"""A stand-in for S3 on loopback, its requests, and what a Spark needs to reach it."""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3

from ctas_spark.storage.committers import MAGIC_SETTINGS
from servers.jars import S3A, all_fetched, listed
from servers.loopback import HOST, answers, free_port
from servers.processes import start, stop, wait_for_server

BUCKET = "tables"
KEY = SECRET = "testing"  # noqa: S105 (nobody checks it)
REQUEST = re.compile(r'"([A-Z]+) (/\S*) HTTP/1\.1" (\d+)')


@dataclass(frozen=True, slots=True)
class S3:
    """A server of one bucket, which writes a line for each request."""

    port: int
    log: Path

    @property
    def endpoint(self) -> str:
        return f"http://{HOST}:{self.port}"

    def spark_conf(self, *, magic: bool) -> dict[str, str]:
        """The settings of a session; with the magic committer, or with the one by default."""
        conf = {
            "spark.jars": ",".join(map(str, all_fetched(listed(S3A)))),
            "spark.hadoop.fs.s3a.endpoint": self.endpoint,
            "spark.hadoop.fs.s3a.endpoint.region": "us-east-1",
            "spark.hadoop.fs.s3a.path.style.access": "true",
            "spark.hadoop.fs.s3a.connection.ssl.enabled": "false",
            "spark.hadoop.fs.s3a.access.key": KEY,
            "spark.hadoop.fs.s3a.secret.key": SECRET,
        }
        return {**conf, **MAGIC_SETTINGS} if magic else conf

    @property
    def client(self) -> Any:
        """Amazon's own client."""
        keys = {"aws_access_key_id": KEY, "aws_secret_access_key": SECRET}
        return boto3.client("s3", endpoint_url=self.endpoint, region_name="us-east-1", **keys)

    def keys(self, prefix: str) -> list[str]:
        """The objects whose names begin so, markers of directories too."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
        return [one["Key"] for page in pages for one in page.get("Contents", ())]

    def uploads(self, prefix: str) -> list[str]:
        """The uploads that were begun, and neither completed nor ended."""
        found = self.client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", ())
        return [one["Key"] for one in found if one["Key"].startswith(prefix)]

    def begin_upload(self, key: str) -> None:
        """What a task that was killed leaves."""
        self.client.create_multipart_upload(Bucket=BUCKET, Key=key)

    def requests(self) -> Counter[str]:
        """How often each method was called so far."""
        return Counter(found[1] for found in REQUEST.finditer(self.log.read_text(errors="replace")))


@contextmanager
def running_s3(directory: Path) -> Iterator[S3]:
    """Run it; it forgets all at its end."""
    directory.mkdir(parents=True)
    log, port = directory / "s3.log", free_port()
    command = [sys.executable, "-m", "moto.server", "-H", HOST, "-p", str(port)]
    process = start(command, log, cwd=directory, env={"PYTHONUNBUFFERED": "1"})
    try:
        up = f"an answer of S3's stand-in on port {port}"
        wait_for_server(process, lambda: answers(port, "/moto-api/"), up, log)
        server = S3(port, log)
        server.client.create_bucket(Bucket=BUCKET)
        yield server
    finally:
        stop(process)
