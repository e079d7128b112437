"""The catalogs of an invocation, each opened by the first model on it, and closed at its end."""
