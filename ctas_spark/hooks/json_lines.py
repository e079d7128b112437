"""A hook that writes one JSON line for each publication: to a file, or to a webhook."""

import base64
import json
import os
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from .calls import PublicationHook
from .event import PublicationEvent

SCHEMES = ("http", "https")
SECONDS = 5.0
NEW_FILE = 0o644
REDIRECTS = range(300, 400)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A POST that is redirected becomes a GET without a body, which any page answers."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Leave it an error."""


OPENER = urllib.request.build_opener(_NoRedirects)


class JsonLines(PublicationHook):
    """Writes how each publication ended, with all that is known of it.

    A line is appended to the file at ``path`` by one write, so that runs at the same time do not
    mix theirs; or it is the body of a POST to ``url``, which is sent once.
    """

    def __init__(self, *, path: str | None = None, url: str | None = None) -> None:
        if (path is None) == (url is None):
            raise ValueError("give path or url")
        if url is not None and (urlsplit(url).scheme not in SCHEMES or not urlsplit(url).hostname):
            raise ValueError("url is not one of http:// or https://")
        if path is not None and not os.path.isdir(os.path.dirname(path) or "."):  # noqa: PTH112, PTH120 (as open takes it)
            raise ValueError("the directory of its path does not exist")
        if path is not None and os.path.isdir(path):  # noqa: PTH112 (as open takes it)
            raise ValueError("its path is a directory")
        self._path, self._url = path, url

    def on_finished(self, event: PublicationEvent) -> None:
        line = f"{json.dumps(event.as_json(), ensure_ascii=False)}\n".encode()
        if self._path is not None:
            _append(self._path, line)
        if self._url is not None:
            _post(self._url, line)

    on_failed = on_finished
    on_canceled = on_finished


def _append(path: str, line: bytes) -> None:
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, NEW_FILE)
    try:
        written = os.write(file, line)
    finally:
        os.close(file)
    if written != len(line):
        raise OSError(f"only {written} of {len(line)} bytes were written to {path}")


def _post(url: str, line: bytes) -> None:
    """Raise an error that has nothing of the URL but its host: tokens are in paths and queries."""
    try:
        with OPENER.open(_request(url, line), timeout=SECONDS):
            return
    except urllib.error.HTTPError as error:
        what = f"answered {error.code}"
        if error.code in REDIRECTS:
            what += ", a redirect, which is not followed: set url to the address that it leads to"
    except urllib.error.URLError as error:
        what = f"was not reached: {_words(error.reason)}"
    except OSError as error:
        what = f"was not reached: {_words(error)}"
    raise ConnectionError(f"{urlsplit(url).hostname} {what}")


def _words(reason: object) -> str:
    """What the system says, without its number."""
    return str(getattr(reason, "strerror", None) or reason)


def _request(url: str, line: bytes) -> urllib.request.Request:
    """The POST; a user and a password in the URL become a header, which no redirect takes along."""
    parts = urlsplit(url)
    bare = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    request = urllib.request.Request(bare, line, {"Content-Type": "application/json"})  # noqa: S310 (checked)
    if parts.username is not None:
        user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        encoded = base64.b64encode(user.encode()).decode()
        request.add_unredirected_header("Authorization", f"Basic {encoded}")
    return request
