#!/bin/sh
# Build the virtual environment $1 from requirements.lock and install companion into it.
# Needs a Python of 3.11 or newer and a package index; PYTHON=... names one explicitly.
# uv installs: the one on the PATH, or else that of the lock file. Where it cannot, pip does.
set -eu
venv=$1

new_enough() {
    command -v "$1" >/dev/null 2>&1 &&
        "$1" -c 'import sys; sys.exit(not sys.version_info >= (3, 11))' >/dev/null 2>&1
}

python=""
for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
    if new_enough "$candidate"; then python=$candidate; break; fi
done
if [ -z "$python" ]; then
    echo "companion needs Python 3.11 or newer; found: $(python3 --version 2>&1 || echo none)." >&2
    echo "Install one, or name it: make PYTHON=/path/to/python3.12 test" >&2
    exit 1
fi

by_pip() {
    "$venv/bin/python" -m pip install --disable-pip-version-check --quiet --progress-bar off "$@"
}

# The lines of requirements.lock for uv itself.
uv_pinned() {
    awk '/^uv==/ { inside = 1 } inside { print } inside && !/\\$/ { exit }' requirements.lock
}

# A setting of pip: from a variable PIP_..., else from the section "install" or "global" of a file.
of_pip() {
    for section in :env: install global; do
        value=$(echo "$pip_settings" | sed -n "s/^$section\.$1='\(.*\)'\$/\1/p")
        if [ -n "$value" ]; then
            echo "$value"
            return
        fi
    done
}

# pass_on VARIABLE SETTING: a variable of uv gets what pip is set to, unless it is set already.
pass_on() {
    value=$(of_pip "$2")
    if [ -n "$value" ] && ! printenv "$1" >/dev/null; then
        export "$1=$value"
    fi
}

# uv does not read pip's settings: it is told where pip would look for packages.
tell_uv_what_pip_knows() {
    pip_settings=$("$venv/bin/python" -m pip config list 2>/dev/null | sed 's/\\n/ /g')
    pass_on UV_DEFAULT_INDEX index-url
    pass_on UV_EXTRA_INDEX_URL extra-index-url
    pass_on UV_FIND_LINKS find-links
    pass_on UV_INSECURE_HOST trusted-host
    pass_on SSL_CERT_FILE cert
    pass_on ALL_PROXY proxy
}

by_uv() {
    # Any index may have a package, since its hash is known.
    "$uv" pip install --quiet --python "$venv/bin/python" --index-strategy unsafe-best-match "$@"
}

echo "[1/4] virtual environment $venv with $("$python" --version 2>&1)"
rm -rf "$venv"
if ! "$python" -m venv "$venv"; then
    echo "This Python cannot make virtual environments." >&2
    echo "On Debian and Ubuntu: apt install python3-venv; or name another: make PYTHON=... test" >&2
    rm -rf "$venv"
    exit 1
fi

echo "[2/4] packages at the exact versions of requirements.lock (hashes checked)"
uv=$(command -v uv || true)
if [ -z "$uv" ]; then
    uv_pinned >"$venv/uv.txt"
    if by_pip --require-hashes --no-deps --requirement "$venv/uv.txt"; then
        uv=$venv/bin/uv
    fi
fi
by=by_pip
if [ -z "$uv" ]; then
    echo "There is no uv for this machine: pip installs instead, which takes minutes." >&2
else
    tell_uv_what_pip_knows
    if by_uv --require-hashes --requirement requirements.lock; then
        by=by_uv
    else
        echo "uv ($uv) could not install them, as it says above: pip does, in minutes." >&2
    fi
fi
if [ $by = by_pip ]; then
    by_pip --require-hashes --requirement requirements.lock
fi

echo "[3/4] companion itself"
$by --no-deps --no-build-isolation --editable .

echo "[4/4] compiled loops, and the bytecode of what is used most (most of a minute)"
# uv leaves bytecode to the first import of a module. It is written here even where Python may write
# none elsewhere: each of the many processes of a run would compile its packages anew.
PYTHONDONTWRITEBYTECODE='' "$venv/bin/python" tools/compile_loops.py ||
    echo "They will be compiled when they are first used." >&2
echo "ready: $("$venv/bin/python" -c 'import sys; print(sys.version.split()[0])') in $venv"
