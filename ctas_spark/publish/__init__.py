"""Publish one staged table, whatever kind it is: begin, commit, abort, and what became of it."""
