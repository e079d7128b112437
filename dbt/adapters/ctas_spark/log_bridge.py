"""The package's log, which is plain ``logging``, as dbt events: console and dbt.log."""

import logging

from dbt.adapters.events.logging import AdapterLogger

PACKAGE = "dbt.adapters.ctas_spark"


class _DbtHandler(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self._dbt = AdapterLogger("CtasSpark")

    def emit(self, record: logging.LogRecord) -> None:
        text = self.format(record)
        if record.levelno >= logging.WARNING:
            self._dbt.warning(text)
        else:
            self._dbt.debug(text)


def connect() -> None:
    """Send the package's log to dbt; once for a process."""
    logger = logging.getLogger(PACKAGE)
    if not any(isinstance(handler, _DbtHandler) for handler in logger.handlers):
        logger.addHandler(_DbtHandler())
        logger.setLevel(logging.INFO)
        logger.propagate = False
