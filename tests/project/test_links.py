"""Every page can be found, and every link of a page leads somewhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/*.md", "bench/**/*.md", "examples/*/*.md")
    for page in ROOT.glob(pattern)
)
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """The file and the anchor of each link that stays in the tree."""
    for link in LINK.findall(CODE.sub("", page.read_text())):
        if "://" not in link:
            path, _, anchor = link.partition("#")
            yield (page.parent / path).resolve() if path else page, anchor


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in links to them."""
    headings = HEADING.findall(FENCED.sub("", page.read_text()))
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    """No page sends its reader to what is not there."""
    for path, anchor in links(page):
        assert path.exists(), path
        assert not anchor or anchor in anchors(path), f"{path.name}#{anchor}"


def test_the_index_of_the_documentation_has_every_page() -> None:
    """A reader who opens docs/ finds each page, and what it is for."""
    listed = {path for path, _ in links(DOCS / "README.md") if path.parent == DOCS}
    assert listed == set(DOCS.glob("*.md")) - {DOCS / "README.md"}
