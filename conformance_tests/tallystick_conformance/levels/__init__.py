"""The levels of the kit: one module and one class of checks for each."""
