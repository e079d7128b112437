"""Secrets of the profile, kept out of everything that is printed."""

import re
from collections.abc import Mapping

HIDDEN = "*********(redacted)"
SECRET_KEY = re.compile(
    r"(?i)^(?!.*(provider|class|type|enabled|file|path)$)"
    r".*(secret|password|passwd|token|credential|access[.]?key|account[.]?key|sas[.])"
)
SECRET_IN_VALUE = re.compile(r"(?i)((?:password|pwd|token|secret|sig)=|://[^/@:\s]+:)([^;&@\s,]+)")
SHORTEST = 4


def redacted(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings with the values of secret keys, and secrets inside URLs, hidden."""
    return {
        key: HIDDEN if SECRET_KEY.match(key) else SECRET_IN_VALUE.sub(rf"\g<1>{HIDDEN}", value)
        for key, value in settings.items()
    }


class Redactor:
    """Hides one profile's secret values wherever they turn up in a text."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        values = {value for key, value in settings.items() if SECRET_KEY.match(key)}
        for value in settings.values():
            values.update(found.group(2) for found in SECRET_IN_VALUE.finditer(value))
        self._values = sorted((v for v in values if len(v) >= SHORTEST), key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """The text without the secrets."""
        for value in self._values:
            text = text.replace(value, HIDDEN)
        return text
