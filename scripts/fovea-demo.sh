#!/usr/bin/env bash
# The demonstration: detects the faces in the photographs of Debian's package libdlib19.1 with the program's own
# detectors and cascades of opencv-data, evaluates them against the package's annotations and writes a report. Nothing is
# fetched from anywhere but Debian's archive. Arguments go to `fovea run`, e.g. --out DIR.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
fovea=${FOVEA_PROGRAM:-$here/fovea}
for configs in "$here/../configs" "$here/../share/fovea/configs"; do
  [ -f "$configs/demo.json" ] && break
done
if [ ! -f /usr/share/opencv4/haarcascades/haarcascade_frontalface_alt2.xml ]; then
  printf 'fovea: the demonstration compares with cascades of OpenCV: install the Debian package opencv-data\n' >&2
  exit 2
fi

photographs=${FOVEA_DEMO_PHOTOS:-/usr/share/doc/libdlib19.1/examples}
if [ ! -f "$photographs/faces/training.xml" ]; then
  # The package need not be installed, and minimal systems leave /usr/share/doc out when they install one.
  cache=${FOVEA_DEMO_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/fovea}/libdlib19.1
  photographs=$cache/usr/share/doc/libdlib19.1/examples
  if [ ! -f "$photographs/faces/training.xml" ]; then
    printf "fovea: taking the photographs out of Debian's package libdlib19.1\n" >&2
    mkdir -p "$cache"
    (cd "$cache" && apt-get download libdlib19.1 >&2 && dpkg-deb -x libdlib19.1_*.deb . && rm libdlib19.1_*.deb)
  fi
fi

# configs/demo.json names the output folder; the program says where the report is.
FOVEA_DEMO_PHOTOS=$photographs exec "$fovea" run "$configs/demo.json" "$@"
