#!/usr/bin/env bash
# Builds the wheel and the sdist and tries them in empty environments, without any extra.
#
#   scripts/test_release.sh [PYTHON ...]
#
# For each interpreter (python3.11, python3.12 and python3.13 unless some are named): install the wheel, run the
# README's ten lines, the commands and a small study. The first one also installs the sdist. Interpreters that are
# not here are named and left out; if all of them are missing, it fails.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- python3.11 python3.12 python3.13

.venv/bin/python -m build --outdir "$work/dist" . > "$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
ls "$work/dist"

# the README's first Python block, as it is
.venv/bin/python - > "$work/ten_lines.py" << 'END'
import re
from pathlib import Path
print(re.search(r"```python\n(.*?)```", Path("README.md").read_text("utf-8"), re.DOTALL)[1])
END

empty() { # empty PYTHON FOLDER PACKAGE: a new environment that holds the package and what it needs
  "$1" -m venv "$2"
  if [ -x "$root/.venv/bin/uv" ]; then
    "$root/.venv/bin/uv" pip install --quiet --python "$2/bin/python" "$3" && return
  fi
  "$2/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile "$3"
}

smoke() { # smoke FOLDER: what a stranger does first, away from the sources
  local run=$1/run
  mkdir "$run"
  (
    cd "$run"
    "$1/bin/standfast" --version
    "$1/bin/standfast" --help > /dev/null
    "$1/bin/python" "$work/ten_lines.py"
    "$1/bin/standfast" study --data twin:give_me_some_credit --reference linear --quick --people 4 --jobs 1 \
      --out study > study.log || { cat study.log; exit 1; }
    test -s study/report.html
  )
}

tried=0
for python in "$@"; do
  if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
    echo "== $python is not here, or older than 3.11: left out"
    continue
  fi
  echo "== the wheel on $("$python" --version)"
  empty "$python" "$work/wheel-$tried" "$(ls "$work"/dist/*.whl)"
  smoke "$work/wheel-$tried"
  if [ $tried = 0 ]; then
    echo "== the sdist on $("$python" --version)"
    empty "$python" "$work/sdist" "$(ls "$work"/dist/*.tar.gz)"
    (cd "$work" && sdist/bin/standfast --version && sdist/bin/python ten_lines.py)
  fi
  rm -rf "$work/wheel-$tried"
  tried=$((tried + 1))
done
[ $tried -gt 0 ] || { echo "no interpreter to try it on; name one" >&2; exit 1; }
echo "the release installs and runs on $tried interpreters"
