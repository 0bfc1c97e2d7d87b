"""Draws of points around people, in the table's space and in a latent one."""
