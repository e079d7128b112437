"""Descriptions as comments of relations and columns."""

from conformance.suite import inherit

inherit(globals(), "persist_docs")
