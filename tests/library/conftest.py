"""What the unit tests of the library run on."""

from fakes.fixtures import server, world

__all__ = ["server", "world"]
