#!/bin/sh
# Build the virtual environment $1 from requirements.lock and install companion into it.
# Needs a Python of 3.11 or newer and a package index; PYTHON=... names one explicitly.
set -eu
venv=$1

new_enough() {
    command -v "$1" >/dev/null 2>&1 &&
        "$1" -c 'import sys; sys.exit(not sys.version_info >= (3, 11))' >/dev/null 2>&1
}

python=""
for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python}; do
    if new_enough "$candidate"; then python=$candidate; break; fi
done
if [ -z "$python" ]; then
    echo "companion needs Python 3.11 or newer; found: $(python3 --version 2>&1 || echo none)." >&2
    echo "Install one, or name it: make PYTHON=/path/to/python3.12 test" >&2
    exit 1
fi

echo "[1/4] virtual environment $venv with $("$python" --version 2>&1)"
rm -rf "$venv"
if ! "$python" -m venv "$venv"; then
    echo "This Python cannot make virtual environments." >&2
    echo "On Debian and Ubuntu: apt install python3-venv; or name another: make PYTHON=... test" >&2
    rm -rf "$venv"
    exit 1
fi
echo "[2/4] packages at the exact versions of requirements.lock (hashes checked)"
"$venv/bin/python" -m pip install --disable-pip-version-check --quiet --progress-bar off \
    --require-hashes --requirement requirements.lock
echo "[3/4] companion itself"
"$venv/bin/python" -m pip install --disable-pip-version-check --quiet \
    --no-deps --no-build-isolation --editable .
echo "[4/4] compiled loops (a minute or two)"
"$venv/bin/python" tools/compile_loops.py ||
    echo "They will be compiled when they are first used." >&2
echo "ready: $("$venv/bin/python" -c 'import sys; print(sys.version.split()[0])') in $venv"
