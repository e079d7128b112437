"""What only tables of a format that commits by itself do in one step."""

from contract.behaviours.registry import FORMATS, REPLACING, WHOLE, behaviour
from contract.contents import LAYOUTS, layouts_of
from contract.subjects import Subject, changes


@behaviour(REPLACING, levels=WHOLE, tables=FORMATS)
def changes_partition_keys_in_one_step(subject: Subject) -> None:
    """Who reads meanwhile sees the old version with its keys, then the new one with others."""
    names = layouts_of(subject.place.claim.native_format)
    (other,) = (name for name in names if name != subject.layout.name)
    old = subject.in_layout(LAYOUTS[other]).published(1).content.whole
    ours = subject.ready(2)
    with subject.moments() as seen:
        ours.finish()
    assert changes(seen) == [old, ours.content.whole]
    assert subject.sight() == ours.content.whole
