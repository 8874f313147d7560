"""The crash matrix: every scenario, on every kind of adapter, stopped at every boundary it passes."""
