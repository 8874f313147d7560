"""A hostile sample: a tracker in memory that does what trackers do to their clients, and an adapter that bears it."""
