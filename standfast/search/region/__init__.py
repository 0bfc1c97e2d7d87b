"""Growing a box of values around an answer."""
