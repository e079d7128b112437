"""Secrets among Spark's settings, kept out of everything that is printed."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from urllib.parse import unquote

HIDDEN = "*********(redacted)"
SECRET_KEY = re.compile(
    r"(?i)^(?:hooks[.]\d+[.]|.*[.]headers?[.]"
    r"|(?!.*(provider|class|type|enabled|file|path)$)"
    r".*(secret|passw|passphrase|pwd|token|credential|authorization$|sas[.]|api[._-]?key"
    r"|(access|account|private|encryption|signing|master|shared|sse)[._-]?key))"
)
"""Any option of a hook, any header, and what has the name of a secret."""
NAMES = r"password|passwd|passphrase|pwd|token|secret|sig|credential|(?:x-)?api[_-]?key"
# password=..., and ...://user:...@host
SECRETS_IN_VALUE = (
    re.compile(rf"(?i)((?:{NAMES})=)([^;&@,]+)"),
    re.compile(r"(://[^/@:\s]+:)([^@/\s]+)(?=@)"),
)
SHORTEST = 4


def is_secret(key: str, value: str) -> bool:
    """True if the setting is a secret, or its value holds one."""
    return bool(SECRET_KEY.match(key)) or any(_inside(value))


def redacted(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings with the values of secret keys, and secrets inside URLs, hidden."""
    return {key: _without(key, value) for key, value in settings.items()}


class Redactor:
    """Hides one profile's secret values wherever they turn up in a text."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        values = {value for key, value in settings.items() if SECRET_KEY.match(key)}
        for value in settings.values():
            values.update(_inside(value))
        values |= {unquote(value) for value in values}
        self._values = sorted((v for v in values if len(v) >= SHORTEST), key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """The text without the secrets."""
        for value in self._values:
            text = text.replace(value, HIDDEN)
        return text


def _inside(value: str) -> Iterator[str]:
    for pattern in SECRETS_IN_VALUE:
        for found in pattern.finditer(value):
            yield found[2]
            yield from found[2].split()[:1]  # or it ends there


@lru_cache(maxsize=1_000)
def _without(key: str, value: str) -> str:
    """dbt asks for a profile's settings once for each of some 600 macros that it parses."""
    if SECRET_KEY.match(key):
        return HIDDEN
    for pattern in SECRETS_IN_VALUE:
        value = pattern.sub(rf"\g<1>{HIDDEN}", value)
    return value
