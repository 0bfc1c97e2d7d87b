"""Small things that several tests build on."""
