"""What every catalog has to do, run on each of them."""
