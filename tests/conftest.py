"""Settings that all tests share."""

import os
import signal

from hypothesis import settings

# The workers of pytest-xdist share the cores already. Threads of OpenMP and of the linear algebra
# on top of them wait for each other in busy loops: a boosting that takes 0.1 s alone takes 4 s.
# Read when the libraries are loaded, so it is said here, before any test imports them.
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

# The first example may wait for a kernel to compile; CI sees the same examples every time.
settings.register_profile("standfast", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("standfast")

# a shell that starts us in the background lets us inherit "ignore Ctrl-C", which some tests press
signal.signal(signal.SIGINT, signal.default_int_handler)
