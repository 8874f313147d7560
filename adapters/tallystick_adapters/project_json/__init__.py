"""A .project board as a spoke."""
