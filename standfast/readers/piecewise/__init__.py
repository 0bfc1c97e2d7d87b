"""Models as functions of one input, piece by piece, and trees: what model files are read into."""
