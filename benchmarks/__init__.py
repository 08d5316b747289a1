"""Benchmarks: ratios to a peer measured in the same run."""
