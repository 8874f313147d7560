"""Seeded faults of the engine, each of which the convergence machine and the crash matrix must find by themselves."""
