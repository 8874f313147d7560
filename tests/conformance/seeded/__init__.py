"""Seeded faults: adapters that are wrong in one small way each, and the check of the kit that is meant to find it."""
