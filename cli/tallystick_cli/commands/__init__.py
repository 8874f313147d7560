"""Subcommands, one module per group; each imports its machinery only when it runs."""
