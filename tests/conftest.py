"""Settings that all tests share."""

import os
import signal

from hypothesis import settings

# The first example may wait for a kernel to compile; CI sees the same examples every time.
settings.register_profile("standfast", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("standfast")

# a shell that starts us in the background lets us inherit "ignore Ctrl-C", which some tests press
signal.signal(signal.SIGINT, signal.default_int_handler)
