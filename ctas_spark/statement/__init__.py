"""Tables that one SQL statement publishes: a copy of a staged table, or a branch."""
