"""A SQLite database as a spoke."""
