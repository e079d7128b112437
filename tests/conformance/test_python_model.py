"""Python models."""

from conformance.suite import inherit

inherit(globals(), "python_model")
