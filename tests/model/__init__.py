"""Random lives of a table among several runs, its users and faults; what is seen from outside."""
