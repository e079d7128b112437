"""What the unit tests of the adapter run on."""

from fakes.fixtures import server, world

__all__ = ["server", "world"]
