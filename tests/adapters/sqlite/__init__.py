"""Tests of the SQLite spoke."""
