"""The report: tidy tables and pictures in, one page out."""
