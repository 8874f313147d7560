"""A mutation tool over the pure core: every small change of merge, policy and plan, before the proof alone."""
