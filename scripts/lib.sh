# Shared by the other scripts: where things are, and the set-up of a fresh Debian machine. Sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_dir=${FOVEA_BUILD_DIR:-$root/build}

# What building needs. Photographs, models and plots are needed by the demonstration and the tests.
build_packages=(g++ cmake ninja-build pkg-config ccache libopencv-dev nlohmann-json3-dev libspdlog-dev libcli11-dev
  catch2 libtbb-dev libhwy-dev libturbojpeg0-dev libgif-dev zlib1g-dev libbz2-dev libssl-dev libpugixml-dev
  opencv-data libdlib-data libdlib19.1 gnuplot-nox ca-certificates)

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

# build TARGET [CMAKE ARGUMENT...]: configures and builds one target. A second run builds only what changed.
build() {
  local target=$1
  shift
  install_packages "${build_packages[@]}"
  mkdir -p "$build_dir"
  cmake -S "$root" -B "$build_dir" -G Ninja "$@" >"$build_dir/configure.log" 2>&1 ||
    { cat "$build_dir/configure.log" >&2; exit 1; }
  grep -E '^-- fovea' "$build_dir/configure.log" | sed 's/^-- //' >&2 || true
  cmake --build "$build_dir" --target "$target" >&2
}
