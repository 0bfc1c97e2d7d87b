"""The exact search: lattice, program, branch and bound."""
