"""Runs that are killed, cancelled and race at random, with readers attached."""
