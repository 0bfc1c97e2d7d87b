"""Local searches: what every single move does, and walks from point to point."""
