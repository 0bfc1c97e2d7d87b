"""Settings that all tests share."""

import os

from hypothesis import settings

# The first example may wait for a kernel to compile; CI sees the same examples every time.
settings.register_profile("standfast", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("standfast")
