"""Figures: tidy tables in, pictures out."""
