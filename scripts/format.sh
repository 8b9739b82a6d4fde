#!/usr/bin/env bash
# Formats all sources with clang-format; with --check only says which are not formatted and fails if there are any.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
command -v clang-format >/dev/null || install_packages clang-format
cd "$root"
mode=(-i)
[ "${1:-}" = --check ] && mode=(--dry-run --Werror)
git ls-files -z '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs -0 clang-format "${mode[@]}"
