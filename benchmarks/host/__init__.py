"""Benchmarks of the host target."""
