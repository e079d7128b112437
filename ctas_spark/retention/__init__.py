"""What is kept of published and abandoned versions, for how long, and the way back to one."""
