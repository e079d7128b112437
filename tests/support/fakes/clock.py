"""Clocks that stand still until a test turns them on."""

START_MS = 1_700_000_000_000


class FakeClock:
    """This machine's clocks in milliseconds; ``wall`` may be set, ``running`` only goes on."""

    def __init__(self) -> None:
        self.wall = START_MS
        self.running = 5_000_000

    def wall_ms(self) -> int:
        return self.wall

    def running_ms(self) -> int:
        return self.running

    def pass_ms(self, ms: int) -> None:
        """Let time go by."""
        self.wall += ms
        self.running += ms
