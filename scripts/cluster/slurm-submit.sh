#!/usr/bin/env bash
# Divides a detection job among the nodes of a Slurm cluster, and merges its parts when all are complete.
#
#   slurm-submit.sh PHOTOS FOLDER PARTS [FLAG...]     FLAGs are those of `fovea detect`
#
# Three kinds of jobs are submitted at once: one that lists the photographs, one or more arrays whose tasks make the
# parts, and one that merges them, which starts by itself. FOLDER must be seen by all nodes. The same command goes on
# with what was left: a task that fails, or is lost, does not lose what it had done.
#
#   FOVEA          the program (default: fovea)
#   SBATCH_FLAGS   flags for all jobs, e.g. "--partition=gpu --cpus-per-task=8 --mem=16G --time=12:00:00"
set -euo pipefail

[ $# -ge 3 ] || { sed -n '2,11p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
photos=$1 folder=$2 parts=$3
shift 3
FOVEA=$(command -v "${FOVEA:-fovea}") || { echo "there is no program ${FOVEA:-fovea}" >&2; exit 2; }
mkdir -p "$folder/parts" "$folder/logs"
folder=$(cd "$folder" && pwd)
export FOVEA

submit() { # shellcheck disable=SC2086
  sbatch --parsable --chdir="$PWD" ${SBATCH_FLAGS:-} "$@"
}

depends=()
if [ ! -e "$folder/list.fvl" ]; then
  list=$(submit --job-name=fovea-list --output="$folder/logs/list.log" \
    --wrap "$(printf '%q ' "$FOVEA" list "$photos" --out "$folder/list.fvl")")
  depends=("--dependency=afterok:$list")
fi

# An array has at most MaxArraySize tasks, so a large job is several arrays.
largest=$(scontrol show config | sed -n 's/^MaxArraySize *= *//p')
arrays=
for ((first = 0; first < parts; first += largest)); do
  count=$((parts - first < largest ? parts - first : largest))
  id=$(submit "${depends[@]}" --array="0-$((count - 1))" --output="$folder/logs/part-$first+%a.log" \
    "$here/slurm-part.sbatch" "$folder" "$parts" "$first" "$@")
  arrays+=:$id
done

merge=$(submit --dependency="afterok$arrays" --job-name=fovea-merge --output="$folder/logs/merge.log" --open-mode=append \
  --wrap "$(printf '%q ' "$FOVEA" merge) $(printf '%q' "$folder")/parts/part-*.jsonl --max-unreadable all --overwrite --out $(printf '%q' "$folder/results.jsonl")")
echo "arrays ${arrays#:}, then $merge merges them into $folder/results.jsonl"
echo "progress: $FOVEA status $folder/parts"
