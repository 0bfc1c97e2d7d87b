"""The pipeline in front of a model, read column by column."""
