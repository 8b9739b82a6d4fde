#!/usr/bin/env bash
# Tries lib/how-to-add.md: applies its additions, tests/guides/*.patch, to a copy of the sources in guides/ of the build
# folder, builds the program there, and asks it for all that they add. The last line counts the questions.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

tree=$build_dir/guides
mkdir -p "$tree"
# Unchanged files keep their times, and are not compiled again.
rm -rf "$tree"/{apps,lib,kernels,configs,scripts}
(cd "$root" && tar -cf - CMakeLists.txt README.md datasets.md apps lib kernels configs scripts) | tar -xf - -C "$tree"
for addition in "$root"/tests/guides/*.patch; do
  say "applying $(basename "$addition")"
  patch --directory "$tree" --strip 1 --quiet --no-backup-if-mismatch <"$addition" ||
    { say "$addition does not fit the sources of today: make it anew, and lib/how-to-add.md, too, if the way has changed"; exit 1; }
done
# Built as the sources were, so that a compiler cache has most of it.
mapfile -t options < <(sed -nE 's/^(FOVEA_(CUDA|ALL_GPUS|WERROR|UNITY|NVJPEG_ROOT|PYTHON)|CMAKE_BUILD_TYPE):[A-Z]+=/-D\1=/p' \
  "$build_dir/CMakeCache.txt")
export CCACHE_BASEDIR=$tree
(root=$tree build_dir=$tree/build && build fovea "${options[@]}" -DFOVEA_TESTS=OFF)
exec "$root/tests/guides/ask.sh" "$tree/build/fovea"
