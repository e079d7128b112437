"""An explicit-state model checker of the commit protocol's rules about chains, and of clean-ups.

A state holds the target, one renamed copy of it in another database, a record for each version
(bases, ``deleting``, when its target was seen to be gone), the files, one clock in ticks, and where
each process stands. ``search`` goes through all interleavings, breadth first, so that the way to a
violation is the shortest. What a clean-up or a rollback makes of what it has read is the product's:
``judging`` runs its ``CleanUp`` and its ``Chain`` on values that are built from the state.
``RecordScan`` is there as its one effect: no record of a version that began within the grace
period is read.

Modelled are

- lineages of 2 entries, a grace period of 2 ticks and an orphan age of 3;
- writers (start, begin, stage, look, take another base, read the clock, call; after a creation read
  the record and take the creation back), whole builds as one step, and rollbacks,
  by name also to what may never have been published;
- clean-ups (clock and records, target, take all that may go, read again what another has taken, ask
  others, ask the target, then delete files and record of each), and vacuums, which also fence
  (look, call, look again) and note that a target is gone;
- owners who drop, rename away and back, and replace the table;
- a kill at every step, and a pause at every step, because the clock may move at any of them;
- a metastore's clock that is ahead of or behind the storage's;
- two staging schemas for one target: a clean-up sees only the records of its own.

Every call is atomic. Not modelled are torn reads, lost answers and requests that land after their
sender's death (a paused call is), partitions, ``took_over``, directories without a record and the
tombstones that are made for them, clones by SHOW CREATE TABLE, compare-and-swap on whole seconds,
metastores without it, databases that can't be searched, renames within the target's own database or
between two searches of databases, lowered ages, and creations that sleep for longer than half of
the orphan age. Readers of a renamed copy that is dropped get no grace: no rule promises it.

Some rules are covered by others. With the target read before the records, or the clock after them,
or the newest publication deleted first, nothing else breaks than under the rules.
"""
