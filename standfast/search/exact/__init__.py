"""The exact search: best-first branch and bound, its bounds and its proofs."""
