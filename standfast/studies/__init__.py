"""Studies: one question each; settings in, tidy tables out."""
