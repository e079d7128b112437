"""One JSON line for each publication, in a file or to a webhook."""

import json
import threading
from pathlib import Path

import pytest

from ctas_spark.hooks import JobState
from ctas_spark.hooks.json_lines import JsonLines
from fakes.hooks import EVENT
from servers.webhook import webhook

FINISHED = EVENT.turned(JobState.FINISHED, rows=1)


def test_each_end_is_a_line_and_a_begin_is_none(tmp_path: Path) -> None:
    """Lines are appended: earlier runs' stay."""
    file = tmp_path / "publications.jsonl"
    file.write_text("{}\n")
    hook = JsonLines(path=str(file))
    hook.on_created(EVENT)
    for state in (JobState.FINISHED, JobState.FAILED, JobState.CANCELED):
        getattr(hook, f"on_{state.value}")(EVENT.turned(state))
    states = [json.loads(line).get("state") for line in file.read_text().splitlines()]
    assert states == [None, "finished", "failed", "canceled"]


def test_lines_of_writers_at_the_same_time_do_not_mix(tmp_path: Path) -> None:
    """Every line that many threads write at once can be read."""
    file = tmp_path / "publications.jsonl"
    long = FINISHED.turned(JobState.FINISHED, node_id="n" * 20_000)

    def write() -> None:
        for _ in range(20):
            JsonLines(path=str(file)).on_finished(long)

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = file.read_text().splitlines()
    assert len(lines) == 160
    assert {len(json.loads(line)["node_id"]) for line in lines} == {20_000}


def test_a_webhook_gets_the_line() -> None:
    """As JSON, with the user of the URL in a header and not in the address."""
    with webhook() as (address, got):
        JsonLines(url=f"http://me:hush@{address}/in?token=t").on_finished(FINISHED)
    ((path, headers, body),) = got
    assert path == "/in?token=t"
    assert headers["Content-Type"] == "application/json"
    assert headers["Authorization"] == "Basic bWU6aHVzaA=="
    assert headers["Host"] == address
    assert json.loads(body) == FINISHED.as_json()


def test_a_webhook_that_refuses_is_an_error_without_secrets() -> None:
    """It is sent once; the error has the host and the answer, and nothing else of the URL."""
    with webhook(500) as (address, got), pytest.raises(ConnectionError) as refused:
        JsonLines(url=f"http://me:hush@{address}/path-token?q=t").on_finished(FINISHED)
    assert str(refused.value) == "127.0.0.1 answered 500"
    assert len(got) == 1
    with pytest.raises(ConnectionError, match=r"^127\.0\.0\.1 was not reached: Conn") as gone:
        JsonLines(url=f"http://me:hush@{address}/path-token?q=t").on_finished(FINISHED)
    assert "hush" not in str(gone.value)
    assert "path-token" not in str(gone.value)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status: int) -> None:
    """The POST would become a GET without the line, and the hook would seem to have told it."""
    with webhook(status) as (address, got), pytest.raises(ConnectionError, match="a redirect"):
        JsonLines(url=f"http://{address}/in").on_finished(FINISHED)
    assert len(got) == 1


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"path": "a", "url": "http://b"},
        {"url": "file:///etc"},
        {"url": "http://"},
        {"path": "/no/a"},
        {"path": "/"},
    ],
)
def test_wrong_options_are_refused(options: dict[str, str]) -> None:
    """A file in a directory that exists, or an http(s) address, and not both."""
    with pytest.raises(ValueError, match=r"path or url|http|the directory of its path|a directory"):
        JsonLines(**options)
