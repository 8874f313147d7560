"""The engine: plan what keeps spokes in step, then do exactly that."""
