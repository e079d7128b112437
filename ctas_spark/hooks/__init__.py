"""What users are told of publications: events, and the hooks that get them.

A hook is any object with some of the methods of ``PublicationHook``; docs/hooks.md shows how to
write one, and how it is named in a profile or by a package.
"""

from .calls import Hooks, PublicationHook
from .event import Column, Dataset, Failure, JobState, PublicationEvent, path_of

__all__ = [
    "Column",
    "Dataset",
    "Failure",
    "Hooks",
    "JobState",
    "PublicationEvent",
    "PublicationHook",
    "path_of",
]
