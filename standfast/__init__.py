"""Counterfactual recommendations that stand when the model changes."""
