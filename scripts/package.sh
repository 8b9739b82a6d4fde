#!/usr/bin/env bash
# Makes packages of Fovea in build-package/ (FOVEA_BUILD_DIR elsewhere): for Debian, fovea_VERSION_ARCHITECTURE.deb and
# fovea-dev_VERSION_ARCHITECTURE.deb, and a wheel for the system's Python. The GPU code, where nvcc is found, is for all GPUs
# since Turing. Arguments go to cmake.
set -euo pipefail
FOVEA_BUILD_DIR=${FOVEA_BUILD_DIR:-$(cd "$(dirname "$0")/.." && pwd)/build-package}
. "$(dirname "$0")/lib.sh"
install_packages dpkg-dev file "${python_packages[@]}"
build "fovea fovea_python" -DCMAKE_BUILD_TYPE=Release -DFOVEA_ALL_GPUS=ON -DFOVEA_TESTS=OFF -DFOVEA_PYTHON=ON "$@"
(cd "$build_dir" && cpack >cpack.log 2>&1) || { cat "$build_dir/cpack.log" >&2; exit 1; }
/usr/bin/python3 "$root/apps/python/make_wheel.py" --build "$build_dir" --out "$build_dir" >/dev/null
for package in "$build_dir"/fovea*.deb "$build_dir"/fovea-*.whl; do
  say "made $package"
done
