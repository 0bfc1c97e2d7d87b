"""Sparse decision trees on yes-or-no inputs: all of them at once, never one after another."""
