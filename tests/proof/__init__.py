"""The proof: the convergence machine, the crash matrix, and the mutants that prove both."""
