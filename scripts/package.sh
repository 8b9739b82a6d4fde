#!/usr/bin/env bash
# Makes Debian packages of Fovea, fovea_VERSION_ARCHITECTURE.deb and fovea-dev_VERSION_ARCHITECTURE.deb, in build-package/
# (FOVEA_BUILD_DIR elsewhere). The GPU code, where nvcc is found, is for all GPUs since Turing. Arguments go to cmake.
set -euo pipefail
FOVEA_BUILD_DIR=${FOVEA_BUILD_DIR:-$(cd "$(dirname "$0")/.." && pwd)/build-package}
. "$(dirname "$0")/lib.sh"
install_packages dpkg-dev file
build fovea -DCMAKE_BUILD_TYPE=Release -DFOVEA_ALL_GPUS=ON -DFOVEA_TESTS=OFF "$@"
(cd "$build_dir" && cpack >cpack.log 2>&1) || { cat "$build_dir/cpack.log" >&2; exit 1; }
for package in "$build_dir"/fovea*.deb; do
  say "made $package"
done
