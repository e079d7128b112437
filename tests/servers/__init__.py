"""Real servers, started for tests."""
