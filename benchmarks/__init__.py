"""Measurements for users: equal output first, then time. `make bench`, or `python -m benchmarks --help`."""
