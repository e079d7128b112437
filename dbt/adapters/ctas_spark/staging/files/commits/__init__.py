"""The strategies of a commit call; one file for each."""
