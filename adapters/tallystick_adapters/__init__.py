"""Spokes: one folder per kind, each a pure codec and a small adapter."""
