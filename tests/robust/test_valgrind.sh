#!/bin/bash
# The command under valgrind: no invalid access, no use of uninitialised numbers, nothing lost. What libraries keep until
# the end (HDF5, OpenBLAS) is still reachable and does not count. Skipped without valgrind; sanitizer builds do not have it.
set -uo pipefail
command -v valgrind >/dev/null || { echo "skipped: no valgrind" && exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
export OPENBLAS_NUM_THREADS=1

check() {
    valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect \
        --errors-for-leak-kinds=definite,indirect "$SINEW" "$@" >"$tmp/out" 2>"$tmp/log" && return
    cat "$tmp/log"
    echo "failed: sinew $*"
    exit 1
}

two_bar=$SN_SOURCE_DIR/examples/two-bar/two-bar.yaml
crank=$SN_SOURCE_DIR/tests/robust/corpus/reader/slider_crank.yaml
check run "$two_bar" --end 10ms --output 1ms -q -o "$tmp/two-bar.h5"
check run "$crank" --end 5ms -q -o "$tmp/crank.h5"
check export "$tmp/crank.h5"
check export "$tmp/crank.h5" --vtk --mat
check check "$crank"
