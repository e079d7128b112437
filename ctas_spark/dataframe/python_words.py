"""An error's words for code that calls ``save_as``, which has no model, no profile and no dbt."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ..errors import StagingError

Words = Sequence[tuple[str, str]]
PURPOSES = "create_if_not_exists|create_or_replace|create|replace"
OF_A_CALL: Words = (
    (r"nothing of this model was published", "nothing of this call was published"),
    (r"\b(this|the) model('s query)? (began|reads|writes|saw|ran)\b", r"\1 call\2 \3"),
    (r"\b(this|the) model's version\b", r"\1 call's version"),
    (r"\b(this|the) model's (rows|query)\b", r"the \2"),
    (r"\bthe next run of this model\b", "the next call"),
    (r"\bno model of that catalog was started\b", "nothing was started"),
    (r"\biceberg_catalogs in the profile\b", "the option iceberg_catalogs"),
)
ADVICE: Words = (
    *OF_A_CALL,
    (r"^in a dbt profile, add .*?; or ", ""),
    (r"\bmethod: session in the profile\b", "a Spark session in this process"),
    (r"\bdatabase: <name> for the model\b", "write <name> before the table's schema"),
    (rf"(?:set )?staging_purpose: ({PURPOSES})\b", r"call \1()"),
    (rf"(\(\),? or )({PURPOSES})\b", r"\1\2()"),
    (r"(?:set )?(?<!with )\b(atomicity|on_conflict): (\w+)", r'call \1("\2")'),
    (r"(?:set )?\bfile_format: (\w+) or (\w+)", r'call using("\1") or using("\2")'),
    (
        r"(?:set )?\b(partition_metadata|metastore_reads): (\w+)(?: in the profile)?",
        r'call option("\1", "\2")',
    ),
    (
        r"(?:set )?\biceberg_catalogs: (\[.*?\]) in the profile",
        r'call option("iceberg_catalogs", \1)',
    ),
    (r"\badd metastore: (\S+) to the profile", r'call option("metastore", "\1")'),
    (r"\bchoose another atomicity\b", "call atomicity() with another level"),
    (r"\b(in|from) spark_conf( of the profile)?\b", r"\1 the session's configuration"),
    (r"\bin tblproperties of the models\b", "by tableProperty()"),
    (r"\bthe user who runs dbt\b", "this user"),
    (r"\bctas_(history|rollback|vacuum|recover)\b", r"\1()"),
    (r"\bgive the model another alias\b", "choose another name"),
    (r"\brun (the model )?again\b", "call it again"),
    (r"\bbuild the model\b", "publish it"),
)


@contextmanager
def in_python_words() -> Iterator[None]:
    """Around what code calls: an error advises methods of ``save_as``, and not configs of dbt."""
    try:
        yield
    except StagingError as error:
        error.what, error.left = said(error.what, OF_A_CALL), said(error.left, OF_A_CALL)
        error.remedy = said(error.remedy, ADVICE)
        raise


def said(text: str, words: Words) -> str:
    """The text with other words."""
    for of_dbt, of_python in words:
        text = re.sub(of_dbt, of_python, text)
    return text
