#!/bin/sh
# The estimators in surroundings that the tests do not have: how far are their numbers from those of
# an ordinary process? `sh tools/surroundings.sh [here] [pythons] [oldest]`, all three by default.
#   here     compiled by two processes at once, read-only, without a home, on one core, ...
#   pythons  every python3.11 to 3.14 on the PATH, newest packages (needs a package index)
#   oldest   the lower bounds of pyproject.toml, and the tests with them (needs uv, and an index)
# The environment of `make setup` is needed; PYTHON=... names another one.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
python=${PYTHON:-$root/.venv/bin/python}
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cp tools/fits.py "$work"
export OPENBLAS_NUM_THREADS=1

# fits WHAT COMMAND...: the numbers of the Python that this command starts, compared
fits() {
    what=$1
    shift
    if said=$(cd "$work" && "$@" fits.py numbers.npz 2>&1); then
        echo "$what: $said"
    else
        echo "$what: FAILED: $(echo "$said" | tail -n 1)"
    fi
}

# Where the installation cannot be written, not even by root.
sealed() {
    if [ "$(id -u)" = 0 ]; then
        set -- sh -c 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"' "$site" "$@"
        unshare -m "$@"
    else
        "$@"
    fi
}

here() {
    cold="$work/cold" site="$work/site"
    export PYTHONPATH="$root" NUMBA_CACHE_DIR="$cold"
    fits "an ordinary process, newly compiled" "$python"
    fits "one of two processes that compile at once" env NUMBA_CACHE_DIR="$work/two" "$python" &
    fits "the other" env NUMBA_CACHE_DIR="$work/two" "$python"
    wait
    for seed in 0 1 random; do
        fits "PYTHONHASHSEED=$seed" env PYTHONHASHSEED=$seed "$python"
    done
    if command -v taskset >/dev/null; then
        fits "one core" taskset -c 0 "$python"
    fi
    fits "no HOME" env -u HOME "$python"
    # The kernels read bit patterns, which only compiled code can: this is refused.
    echo "NUMBA_DISABLE_JIT=1: $(NUMBA_DISABLE_JIT=1 "$python" "$work/fits.py" none 2>&1 | tail -n 1)"
    unset NUMBA_CACHE_DIR
    "$python" -m pip install --quiet --no-deps --no-build-isolation --target "$site" "$root"
    find "$site" -name '*.nb[ci]' -delete
    chmod -R a-w "$site"
    export PYTHONPATH="$site"
    mkdir "$work/home"
    fits "a read-only installation" sealed env HOME="$work/home" "$python"
    fits "a read-only installation and home" sealed env HOME=/dev/null "$python"
    unset PYTHONPATH
}

pythons() {
    for version in 3.11 3.12 3.13 3.14; do
        if command -v "python$version" >/dev/null; then
            "python$version" -m venv "$work/$version"
            "$work/$version/bin/python" -m pip install --quiet --disable-pip-version-check "$root"
            fits "Python $version, newest packages" "$work/$version/bin/python"
        else
            echo "There is no python$version on the PATH."
        fi
    done
}

oldest() {
    uv venv --quiet --python 3.11 "$work/oldest"
    uv pip install --quiet --python "$work/oldest" --resolution lowest-direct \
        --editable "$root[test]"
    fits "Python 3.11, oldest packages" "$work/oldest/bin/python"
    "$work/oldest/bin/python" -m pytest -q -n auto tests/solvers tests/estimators tests/tuning \
        tests/datasets tests/reproduction || echo "tests: FAILED"
}

for part in ${*:-here pythons oldest}; do
    "$part"
done | tee "$work/said"
! grep -q FAILED "$work/said"
