"""Processes that read and rebuild a table, with the judgement of what they saw."""
