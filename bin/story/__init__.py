"""What ./demo tells once everything is installed; ``__main__`` has its stages in order."""
