#!/usr/bin/env bash
# Builds Fovea in Release into build/ (FOVEA_BUILD_DIR elsewhere), with the CUDA kernels where nvcc is found.
# Installs the Debian packages it needs. Further arguments go to cmake, e.g. -DFOVEA_CUDA=OFF.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
build fovea -DCMAKE_BUILD_TYPE=Release "$@"
say "built $build_dir/fovea"
