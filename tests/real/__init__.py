"""Tests on a real public board with its history; skipped with the words `no data` where it is absent."""
