"""Models as scores: what can be read of them, and how they are asked."""
