"""An advisor as a folder: what another process or machine needs to give the same advice."""
