"""Everything a search reads: costs, the lattice, the models packed, built once."""
