# Shared by the other scripts: where things are, and the set-up of a fresh Debian machine. Sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_dir=${FOVEA_BUILD_DIR:-$root/build}
# Copies of the sources in other folders find what one of them compiled.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}

# Building needs these. Photographs, models and plots are needed by the demonstration and the tests.
build_packages=(g++ cmake ninja-build pkg-config ccache libopencv-dev libopencv-contrib-dev nlohmann-json3-dev libspdlog-dev libcli11-dev
  catch2 libtbb-dev libhwy-dev libturbojpeg0-dev libgif-dev libpng-dev libwebp-dev libtiff-dev libheif-dev libjxl-dev libopenjp2-7-dev libraw-dev libsqlite3-dev zlib1g-dev libbz2-dev libssl-dev libpugixml-dev
  libmatio-dev libarchive-dev libavformat-dev libavcodec-dev libavutil-dev libswscale-dev libffmpeg-nvenc-dev libsimdjson-dev libdlib-dev libblas-dev liblapack-dev opencv-data libdlib-data libdlib19.1 gnuplot-nox node-d3-array node-d3-path node-d3-selection node-d3-shape python3-fastjsonschema ca-certificates)
# The module for Python needs these, its tests the last two.
python_packages=(python3-dev pybind11-dev python3-pip python3-venv python3-numpy python3-pandas)
# Fuzzing needs these besides: libFuzzer and a compiler for it, and names of functions in what it finds.
fuzz_packages=(clang libclang-rt-dev llvm)
fuzz_options=(-DCMAKE_CXX_COMPILER=clang++ -DFOVEA_FUZZ=ON -DFOVEA_CUDA=OFF)

say() { printf 'fovea: %s\n' "$*" >&2; }

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    say "installing packages needs root: run '$*' as root, then this script again"
    exit 1
  fi
}

# Installs what is missing of the packages named; does nothing, and needs no root, where all are there.
install_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return
  if ! command -v apt-get >/dev/null; then
    say "this is no Debian system; install these yourself: ${missing[*]}"
    exit 1
  fi
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  as_root apt-get update -q >&2
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >&2
}

# Prints the folder with nvJPEG for CMake, or nothing: it is in the CUDA Toolkit, not wanted, or not to be had. Small
# toolkits come without it, but there is a Python package with its header and library, which is unpacked into the build
# folder and not installed. The build goes on without it: nvJPEG is optional.
nvjpeg_root() {
  local nvcc toolkit major package fetched folder=$build_dir/nvjpeg argument
  for argument in "$@"; do
    case $argument in -DFOVEA_NVJPEG_ROOT=* | -DFOVEA_CUDA=OFF) return ;; esac
  done
  nvcc=$(command -v "${CUDACXX:-nvcc}") || return 0
  toolkit=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
  compgen -G "$toolkit/include/nvjpeg.h" >/dev/null && return
  compgen -G "$toolkit/targets/*/include/nvjpeg.h" >/dev/null && return
  [ -e /usr/include/nvjpeg.h ] && return
  major=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
  case $major in
    12) package=nvidia-nvjpeg-cu12 ;;
    13) package='nvidia-nvjpeg>=13,<14' ;;
    *) return 0 ;;
  esac
  if [ ! -e "$folder/complete" ]; then
    if ! python3 -m pip --version >/dev/null 2>&1; then
      say "the CUDA Toolkit has no nvJPEG and there is no pip to fetch it with: building without"
      return 0
    fi
    fetched=$(mktemp -d)
    rm -rf "$folder"
    if python3 -m pip download --quiet --disable-pip-version-check --timeout 20 --retries 1 --no-deps \
      --only-binary=:all: --dest "$fetched" "$package" >"$build_dir/nvjpeg.log" 2>&1 &&
      python3 -m zipfile -e "$fetched"/*.whl "$folder" >>"$build_dir/nvjpeg.log" 2>&1; then
      say "unpacked $(basename "$fetched"/*.whl) into $folder, as the CUDA Toolkit has no nvJPEG"
      touch "$folder/complete"
    else
      say "the CUDA Toolkit has no nvJPEG and pip cannot fetch it ($build_dir/nvjpeg.log says why): building without"
    fi
    rm -rf "$fetched"
    [ -e "$folder/complete" ] || return 0
  fi
  printf '%s\n' "$folder"
}

# build TARGETS [CMAKE ARGUMENT...]: configures and builds targets, separated by blanks. A second run builds only what changed.
build() {
  local targets=$1 nvjpeg
  shift
  install_packages "${build_packages[@]}"
  mkdir -p "$build_dir"
  nvjpeg=$(nvjpeg_root "$@")
  [ -z "$nvjpeg" ] || set -- "-DFOVEA_NVJPEG_ROOT=$nvjpeg" "$@"
  cmake -S "$root" -B "$build_dir" -G Ninja "$@" >"$build_dir/configure.log" 2>&1 ||
    { cat "$build_dir/configure.log" >&2; exit 1; }
  grep -E '^-- fovea' "$build_dir/configure.log" | sed 's/^-- //' >&2 || true
  # shellcheck disable=SC2086
  cmake --build "$build_dir" --target $targets >&2
}

# python_environment NAME PACKAGE...: makes a virtual environment with Python packages in the build folder, $environment.
python_environment() {
  environment=$build_dir/$1
  shift
  [ -e "$environment/complete" ] && return
  install_packages python3-venv
  python3 -m venv "$environment"
  "$environment/bin/pip" install -q --disable-pip-version-check "$@"
  touch "$environment/complete"
}

# The Python programs that Fovea's evaluators are compared with.
evaluator_environment() {
  python_environment evaluators pycocotools==2.0.11 tidecv==1.0.1 numpy scipy matplotlib
}

# counted_tests LOG: "PASSED FAILED SKIPPED", the sums of the closing lines of tests in a log.
counted_tests() {
  awk '/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { passed += $1; failed += $3; skipped += $5 }
    END { print passed + 0, failed + 0, skipped + 0 }' "$1"
}

# find_program: the program that was built, as $fovea; ends the script where there is none.
find_program() {
  fovea=${FOVEA_PROGRAM:-$build_dir/fovea}
  [ -x "$fovea" ] && return
  say "there is no $fovea: build it with scripts/build.sh"
  exit 2
}
