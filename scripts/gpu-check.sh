#!/usr/bin/env bash
# Checks the CUDA parts on a machine with a GPU, in one go: the devices found, parity with the CPU in every bit, jobs
# that are killed, compute-sanitizer beside all this, and then figures; a short table last. Fails where there is no GPU
# or anything is not as it must be.
#   scripts/gpu-check.sh [--no-sanitizer] [--no-figures] [FOLDER]
# FOLDER holds fovea, fovea-lab and the tests, fovea_tests_* (default: build/, or FOVEA_BUILD_DIR). Figures are taken of
# FOVEA_CHECK_IMAGES (a list of photographs, separated by blanks), else of the photographs of Debian's libdlib19.1; those
# of the MCT detector with FOVEA_CHECK_MCT_MODEL, of the face network with FOVEA_CHECK_NET_MODEL, else with the models
# that ship; those of landmarks with FOVEA_CHECK_LANDMARK_MODEL, else with dlib's. Faces are followed in
# FOVEA_CHECK_VIDEOS (files and folders), else in clips that are drawn from the annotated photographs of libdlib19.1.
set -uo pipefail
. "$(dirname "$0")/lib.sh"

sanitizer=yes figures=yes folder=$build_dir
for argument in "$@"; do
  case $argument in
    --no-sanitizer) sanitizer=no ;;
    --no-figures) figures=no ;;
    -*)
      say "unknown argument '$argument'; there are --no-sanitizer and --no-figures"
      exit 2
      ;;
    *) folder=$argument ;;
  esac
done
parts=("$folder"/fovea_tests_*)
for program in fovea fovea-lab "$(basename "${parts[0]}")"; do
  if [ ! -x "$folder/$program" ]; then
    say "there is no $folder/$program: build it with scripts/test.sh, or name the folder that holds it"
    exit 2
  fi
done

export FOVEA_REQUIRE_GPU=1
mct_model=${FOVEA_CHECK_MCT_MODEL:-$root/configs/models/mct.json}
net_model=${FOVEA_CHECK_NET_MODEL:-$root/configs/models/wild.json}
landmark_model=${FOVEA_CHECK_LANDMARK_MODEL:-/usr/share/dlib/shape_predictor_68_face_landmarks.dat}
annotated=/usr/share/doc/libdlib19.1/examples/faces/testing_with_face_landmarks.xml
rows=()
failed=0
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# row NAME RESULT TEXT
row() { rows+=("$(printf '%-34s %-8s %s' "$1" "$2" "$3")"); }

# verdict NAME STATUS SECONDS LOG: a row for a command that ended, with the last line of its output.
verdict() {
  if [ "$2" = 0 ]; then
    row "$1" ok "$(tail -n 1 "$4") ($3 s)"
  else
    failed=1
    row "$1" FAILED "exit code $2: $(tail -n 1 "$4")"
  fi
}

# step NAME COMMAND...: runs it, shows its output, and keeps verdict, time and last line for the table.
step() {
  local name=$1 start=$SECONDS
  shift
  say "$name: $*"
  "$@" 2>&1 | tee "$logs/step" >&2
  verdict "$name" "${PIPESTATUS[0]}" $((SECONDS - start)) "$logs/step"
}

# begin NAME COMMAND...: as step, but beside what follows.
begun=()
begin() {
  local name=$1 log="$logs/begun-${#begun[@]}"
  shift
  say "$name, beside what follows: $*"
  begun+=("$name")
  {
    local start=$SECONDS status=0
    "$@" >"$log" 2>&1 || status=$?
    echo "$status $((SECONDS - start))" >"$log.end"
  } &
}

# end_begun: waits for all that was begun.
end_begun() {
  local i status seconds
  wait
  for i in "${!begun[@]}"; do
    cat "$logs/begun-$i" >&2
    read -r status seconds <"$logs/begun-$i.end"
    verdict "${begun[i]}" "$status" "$seconds" "$logs/begun-$i"
  done
}

devices() { "$folder/fovea" devices | grep -E '^cuda:[0-9]'; }

# tests TAG [COMMAND...]: all parts of the tests, run by a command. A run in which nothing was tested is no success.
# The last line counts what they did.
tests() {
  local tag=$1 log part status=0 passed failed skipped
  shift
  log=$(mktemp "$logs/tests-XXXXXX")
  for part in "${parts[@]}"; do
    "$@" "$part" "$tag" | tee -a "$log"
    [ "${PIPESTATUS[0]}" = 0 ] || status=1
  done
  read -r passed failed skipped <<<"$(counted_tests "$log")"
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$passed" != 0 ] && [ "$failed" = 0 ] && [ "$status" = 0 ]
}

sanitize() {
  local tool=$1
  shift
  tests '[cuda-small]' compute-sanitizer --tool "$tool" --error-exitcode 9 "$@"
}

photographs() {
  if [ -n "${FOVEA_CHECK_IMAGES:-}" ]; then
    tr ' ' '\n' <<<"$FOVEA_CHECK_IMAGES"
  else
    find /usr/share/doc/libdlib19.1/examples/faces -name '*.jpg' 2>/dev/null | sort | head -n 4
  fi
}

# bench MODEL SIZE BATCH: the one place that knows how fovea is asked for figures and shows them. The last line
# sums up the last row of the table, the batch's.
bench() {
  local scan=(--scale-factor 1.15)
  [ "$1" = "$net_model" ] && scan=() # networks scan nothing
  "$folder/fovea" bench detect "${images[@]}" --model "$1" --size "$2" --batch "$3" --device cuda "${scan[@]}" |
    awk -F'  +' '
      /^ms per image/ { for (i = 1; i <= NF; i++) column[$i] = i }
      /^CUDA/ {
        summary = "resident " $column["resident"] " ms, host to host " $column["total"] " ms per image, " \
          $column["frames/s"] " images/s"
      }
      { print }
      END { print summary }'
}

# landmarks FACES: as bench, of the landmarks of the faces in the photographs. The last line sums up the GPU's batch.
landmarks() {
  "$folder/fovea" bench landmarks "${images[@]}" --landmarks "$landmark_model" --faces "$1" --device cuda:0 |
    awk -F'  +' '
      /^backend/ { for (i = 1; i <= NF; i++) column[$i] = i }
      /^cuda/ {
        summary = $column["faces"] " faces: resident " $column["resident ms"] " ms, " $column["resident faces/s"] \
          " faces/s; host to host " $column["total ms"] " ms, " $column["faces/s"] " faces/s"
      }
      { print }
      END { print summary }'
}

# recognition: LBP features and searches of tables 4.2 and 4.3, at once for the CPU and the GPU, which are compared. The
# last line sums up the GPU's largest gallery.
recognition() {
  "$folder/fovea" bench recognition "${images[@]}" --device cuda:0 --gallery 20000 --queries 1,128 --repeat 3 --budget 0.1 |
    awk -F'  +' '
      /^backend/ { for (i = 1; i <= NF; i++) column[$i] = i }
      /^cuda/ {
        summary = $column["queries"] " queries, N = " $column["N"] ", d = " $column["d"] ": " $column["total [ms]"] " ms"
      }
      /^the backends/ { differ = 1 }
      { print }
      END { print summary; exit differ }'
}

# archive: 'fovea detect' on archives made of the photographs. The last line sums up 1080p JPEG files to detections;
# each row's own line is in the log.
archive() {
  "$folder/fovea" bench archive "${images[@]}" --device cuda --row 1080p faces cpu-decode small --images 2000 --repeat 3 |
    awk -F'  +' '
      /^work/ { for (i = 1; i <= NF; i++) column[$i] = i }
      /^1080p to detections/ {
        summary = $column["images/s"] " images/s, " $column["of it"] " of the limit, held up by " $column["held up by"]
      }
      { print }
      END { print "1080p JPEG: " summary }'
}

# kills, memory: jobs on the GPU that are killed and go on with --resume, and one with a large image.
kills() { "$folder/fovea-lab" kills "${images[@]}" --program "$folder/fovea" --device cuda --kills 20; }
memory() { "$folder/fovea-lab" memory "${images[@]}" --program "$folder/fovea" --device cuda; }

# tracks: faces followed on the GPU and on the CPU, in one run, in shards and in jobs that are killed, whose files must be
# the same.
tracks() {
  local -a videos
  local device shard made i
  mapfile -t videos < <(videos)
  for device in cpu cuda; do
    "$folder/fovea" track "${videos[@]}" --device $device --out "$logs/$device" --overwrite || return 1
  done
  for shard in 1 2; do
    "$folder/fovea" track "${videos[@]}" --device cuda --shard $shard/2 --out "$logs/part-$shard" --overwrite || return 1
  done
  "$folder/fovea" merge "$logs/part-1" "$logs/part-2" --out "$logs/merged" --overwrite || return 1
  for made in cuda merged; do diff -r --exclude run.json "$logs/cpu" "$logs/$made" || return 1; done
  mkdir -p "$logs/linked"
  for i in "${!videos[@]}"; do ln -sf "$(realpath "${videos[i]}")" "$logs/linked/$i.mp4"; done
  "$folder/fovea-lab" kills --track "$logs/linked" --program "$folder/fovea" --device cuda --kills 20 || return 1
  "$folder/fovea" verify "${videos[0]}" --flow --reference cuda || return 1
  echo "$(wc -l <"$logs/cuda/results.jsonl") frames, $(wc -l <"$logs/cuda/tracks.jsonl") tracks: the same files"
}

videos() {
  if [ -n "${FOVEA_CHECK_VIDEOS:-}" ]; then
    tr ' ' '\n' <<<"$FOVEA_CHECK_VIDEOS"
  else
    "$folder/fovea-lab" clips "$annotated" --quick --out "$logs/clips" --quiet
    find "$logs/clips" -name '*.mp4' | sort
  fi
}

# following: the time of a frame with two faces, in a clip of 1080p. The last line sums it up.
following() {
  "$folder/fovea-lab" clips "$annotated" --usual --clips 1 --size 1920x1080 --frames 100 --out "$logs/timed" --quiet
  "$folder/fovea" bench track "$logs/timed/usual-1/vid.mp4" --part times --device cuda:0 | grep -E 'ms|frame|time'
}

# verify MODEL: the same photographs, CPU against CUDA, window by window.
verify() { "$folder/fovea" verify "${images[@]}" --model "$1" --reference cuda; }

step devices devices
if [ $sanitizer = no ]; then
  row compute-sanitizer 'not run' 'as asked for'
elif ! command -v compute-sanitizer >/dev/null; then
  row compute-sanitizer 'not run' 'it is not on PATH; it comes with the CUDA Toolkit'
else
  begin racecheck sanitize racecheck # takes longest by far
  begin memcheck sanitize memcheck --leak-check full
  begin synccheck sanitize synccheck
  begin initcheck sanitize initcheck
fi
step 'parity with the CPU' tests '[cuda]'

mapfile -t images < <(photographs)
if [ ${#images[@]} = 0 ]; then
  row 'verify, kills, memory, figures' 'not run' 'no photographs: set FOVEA_CHECK_IMAGES, or install libdlib19.1 with its examples'
  figures=no
else
  models=(haarcascade_frontalface_alt lbpcascade_frontalface)
  if [ -f "$mct_model" ]; then
    models+=("$mct_model")
  else
    row 'verify mct' 'not run' "there is no $mct_model: set FOVEA_CHECK_MCT_MODEL"
  fi
  if [ -f "$net_model" ]; then
    models+=("$net_model")
  else
    row 'verify wild' 'not run' "there is no $net_model: set FOVEA_CHECK_NET_MODEL"
  fi
  for model in "${models[@]}"; do
    step "verify $(basename "$model" .json)" verify "$model"
  done
  step 'kills' kills
  step 'memory' memory
fi

if [ -n "${FOVEA_CHECK_VIDEOS:-}" ] || [ -f "$annotated" ]; then
  step 'tracks' tracks
else
  row tracks 'not run' 'no videos: set FOVEA_CHECK_VIDEOS, or install libdlib19.1 with its examples'
fi

end_begun

if [ $figures = yes ]; then
  step 'alt, 1080p, batch of 32' bench haarcascade_frontalface_alt 1920x1080 32
  step 'lbp, 1080p, batch of 32' bench lbpcascade_frontalface 1920x1080 32
  step 'alt, 1080p, one image' bench haarcascade_frontalface_alt 1920x1080 1
  step 'alt, 640x480, batch of 64' bench haarcascade_frontalface_alt 640x480 64
  if [ -f "$mct_model" ]; then
    step 'mct, 1080p, batch of 32' bench "$mct_model" 1920x1080 32
    step 'mct, 1080p, one image' bench "$mct_model" 1920x1080 1
  fi
  if [ -f "$net_model" ]; then
    step 'wild, 1080p, batch of 32' bench "$net_model" 1920x1080 32
    step 'wild, 1080p, one image' bench "$net_model" 1920x1080 1
  fi
  if [ -f "$landmark_model" ]; then
    step 'landmarks, one face' landmarks 1
    step 'landmarks, batch of 4,096' landmarks 4096
  else
    row landmarks 'not run' "there is no $landmark_model: set FOVEA_CHECK_LANDMARK_MODEL"
  fi
  if [ -f "$annotated" ]; then step 'following, 1080p, two faces' following; fi
  step 'recognition' recognition
  step 'archives' archive
fi

printf '\n'
printf '%s\n' "${rows[@]}"
exit $failed
