#!/usr/bin/env bash
# Runs the recipes of scripts/cluster on this machine: Slurm with four nodes on loopback, Kubernetes (its commands, the
# index given by hand), Open MPI, GNU parallel and Snakemake. Some photographs are broken, processes are killed, a node is
# lost, tasks are preempted; in the end each must have the bytes of a single run, without help.
#
#   check-cluster.sh [PROGRAM]       default: build/fovea; about 2 minutes on two cores
#
# What is not installed is not run, and said so. Slurm needs root and slurm-wlm, munge; the others openmpi-bin, parallel,
# and snakemake from pip. Prints a line for each recipe; the exit status is the number of those that failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 99
root=$PWD
program=$(realpath "${1:-build/fovea}")
[ -x "$program" ] || { echo "there is no program $program; build it, or name another one" >&2; exit 99; }
export FOVEA=$program PATH=$PATH:/usr/sbin FOVEA_MODELS=$root/configs/models

work=$(mktemp -d)
chmod 711 "$work" # munge wants to reach its socket
cd "$work" || exit 99
failures=0
daemons=()
stop_all() {
  local pid
  scancel --user=root 2>/dev/null
  for pid in "${daemons[@]}" $(cat pids/* 2>/dev/null); do kill "$pid" 2>/dev/null; done
  if [ $failures = 0 ]; then cd / && rm -rf "$work"; else echo "files of what failed: $work"; fi
}
trap stop_all EXIT
trap 'exit 99' INT TERM

result() { # NAME REASON: the reason is empty if all went well
  if [ -z "$2" ]; then echo "ok      $1"; else echo "FAILED  $1: $2"; failures=$((failures + 1)); fi
}
installed() {
  local tool
  for tool in "${@:2}"; do
    command -v "$tool" >/dev/null || { echo "not run $1: $tool is not installed"; return 1; }
  done
}
same() { cmp -s "$1" "${2:-single.jsonl}" || echo "the results are not those of a single run"; }

# --- photographs: drawn by the program's own example, small and many
photos=900
python3 - "$photos" <<'P'
import os, random, sys
random.seed(5)
os.makedirs('photos')
for i in range(int(sys.argv[1])):
    width, height = random.randrange(120, 240), random.randrange(90, 180)
    if i % 100 == 41:
        data = b'no photograph'
    else:
        data = b'P5 %d %d 255 ' % (width, height) + random.randbytes(width * height)
    open(f'photos/{i:04d}.pgm', 'wb').write(data)
P
# Slow enough that there is something to kill.
slow=(--model mct --scale-factor 1.01 --start-scale 0.5)
"$program" detect photos "${slow[@]}" --max-unreadable all --quiet --out single.jsonl 2>single.log ||
  { cat single.log; exit 99; }

# --- Slurm
start_slurm() {
  local nodes=4 host port i
  host=$(hostname -s)
  mkdir -p slurm/{state,spool,log,munge} pids
  chmod 711 slurm/munge
  port=$((21000 + $$ % 8000))
  {
    printf '%s\n' ClusterName=check "SlurmctldHost=$host(127.0.0.1)" "SlurmctldPort=$port" SlurmUser=root \
      "AuthInfo=socket=$work/slurm/munge/socket" CommunicationParameters=NoInAddrAny,NoCtldInAddrAny \
      ProctrackType=proctrack/linuxproc TaskPlugin=task/none JobAcctGatherType=jobacct_gather/none \
      AccountingStorageType=accounting_storage/none MpiDefault=none SelectType=select/cons_tres \
      SelectTypeParameters=CR_CPU_Memory DefMemPerCPU=400 "StateSaveLocation=$work/slurm/state" \
      "SlurmdSpoolDir=$work/slurm/spool/%n" "SlurmctldPidFile=$work/pids/slurmctld" "SlurmdPidFile=$work/pids/%n" \
      "SlurmctldLogFile=$work/slurm/log/slurmctld" "SlurmdLogFile=$work/slurm/log/%n" ReturnToService=1 \
      SlurmdTimeout=10 KillWait=5 MinJobAge=3600 MaxArraySize=10 PreemptType=preempt/partition_prio \
      PreemptMode=REQUEUE \
      SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1,bf_interval=1
    for ((i = 1; i <= nodes; i++)); do
      echo "NodeName=n$i NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + i)) CPUs=1 RealMemory=900"
    done
    echo 'PartitionName=low Nodes=ALL Default=YES PriorityTier=1 PreemptMode=REQUEUE'
    echo 'PartitionName=high Nodes=ALL PriorityTier=10 PreemptMode=OFF'
  } >slurm/slurm.conf
  export SLURM_CONF=$work/slurm/slurm.conf
  mungekey --create --keyfile="$work/slurm/munge/key" &&
    munged --key-file="$work/slurm/munge/key" --socket="$work/slurm/munge/socket" --pid-file="$work/pids/munged" \
      --log-file="$work/slurm/log/munged" --seed-file="$work/slurm/munge/seed" &&
    slurmctld -i -f "$SLURM_CONF" || return 1
  for ((i = 1; i <= nodes; i++)); do slurmd -N "n$i" -f "$SLURM_CONF" || return 1; done
  for ((i = 0; i < 100; i++)); do
    [ "$(sinfo -h -N -t idle -p low -o %N 2>/dev/null | wc -l)" = $nodes ] && return
    sleep 0.1
  done
  return 1
}
# Slurm lets requeued tasks wait for two minutes, so that nothing of their last run is left; two seconds do here.
declare -A waiting=()
release() {
  local task
  for task in $(squeue -h -r -t PD -o '%i %r' | awk '$2 == "BeginTime" {print $1}'); do
    waiting[$task]=$((${waiting[$task]:-0} + 1))
    [ "${waiting[$task]}" -ge 8 ] || continue
    waiting[$task]=0
    scontrol update "JobId=$task" StartTime=now 2>/dev/null
  done
}
if installed slurm slurmctld slurmd munged sbatch; then
  if [ "$(id -u)" != 0 ]; then
    echo 'not run slurm: slurmd must be root'
  elif ! start_slurm >slurm.log 2>&1; then
    result slurm "the cluster did not start: $(tail -1 slurm.log)"
  else
    # More parts than an array may have tasks.
    SBATCH_FLAGS=--time=10 "$root/scripts/cluster/slurm-submit.sh" photos slurm-job 24 "${slow[@]}" --threads 1 \
      >submit.log 2>&1
    declare -A killed=()
    kills=0 lost='' preempted=''
    # Some hundred seconds, on a machine that has nothing else to do.
    end=$((SECONDS + 600))
    for ((turn = 1; SECONDS < end; turn++)); do
      sleep 0.25
      # What waits for a task that has failed waits for ever.
      [ -n "$(squeue -h -o %r | grep -v DependencyNeverSatisfied)" ] || break
      release
      case $turn in
        6) kill -9 "$(cat pids/n1)" ;;
        14) slurmd -N n1 -f "$SLURM_CONF" ;;
        18) lost=$(squeue -h -r -t R -o %N | grep -v n1 | head -1)
            [ -z "$lost" ] || scontrol update "NodeName=$lost" State=DOWN Reason=check ;;
        24) [ -z "$lost" ] || scontrol update "NodeName=$lost" State=RESUME ;;
        28) preempted=$(sbatch --parsable --partition=high --nodes=3 --output=/dev/null --wrap 'sleep 1') ;;
      esac
      if [ $((turn % 2)) = 0 ] && [ $kills -lt 20 ]; then
        pid=$(pgrep -f "detect .*slurm-job/list.fvl" | shuf -n 1)
        part=$(tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | sed -n '/^--shard$/{n;p}')
        # A part that dies again and again is left alone in the end: these must not.
        if [ -n "$part" ] && [ "${killed[$part]:-0}" -lt 3 ] && kill -9 "$pid" 2>/dev/null; then
          killed[$part]=$((${killed[$part]:-0} + 1))
          kills=$((kills + 1))
        fi
      fi
    done
    why=
    if [ -n "$(squeue -h -o %i)" ]; then why="jobs are left: $(squeue -h -o '%j %T %r' | sort | uniq -c | paste -sd,)"; fi
    [ -n "$why" ] || [ -e slurm-job/results.jsonl ] || why="the merge has not run: $(tail -1 slurm-job/logs/merge.log)"
    [ -n "$why" ] || why=$(same slurm-job/results.jsonl)
    [ -n "$why" ] || [ $kills -ge 5 ] || why="only $kills processes were killed"
    # A job that is done too soon has met none of it.
    [ -n "$why" ] || [ -n "$lost" ] || why="no node was lost"
    [ -n "$why" ] || [ -n "$preempted" ] || why="no task was preempted"
    result "slurm ($kills killed, node ${lost:-none} lost, preempted by job ${preempted:-none})" "$why"
  fi
fi

# --- Kubernetes: the commands of its file, with folders of this machine
if ! python3 -c 'import yaml' 2>/dev/null; then
  echo "not run kubernetes: Python's yaml is not installed"
else
  mkdir kubernetes
  python3 - "$root/scripts/cluster/kubernetes.yaml" >kubernetes.sh <<'P'
import shlex, sys, yaml
for job in yaml.safe_load_all(open(sys.argv[1])):
    spec = job['spec']
    command = spec['template']['spec']['containers'][0]['command']
    text = ' '.join(shlex.quote(word) for word in command)
    for index in range(spec.get('completions', 1)):
        print(f'JOB_COMPLETION_INDEX={index}', text)
P
  sed -i "s#/photos#$work/photos#g; s#/results/#$work/kubernetes/#g" kubernetes.sh
  mkdir bin
  ln -s "$program" bin/fovea
  why=
  # As in pods, nothing but the index tells a part.
  env -u SLURM_CONF PATH="$work/bin:$PATH" bash -e kubernetes.sh >kubernetes.log 2>&1 || why=$(tail -1 kubernetes.log)
  "$program" detect photos --quiet --max-unreadable all --out single-default.jsonl 2>/dev/null
  [ -n "$why" ] || why=$(same kubernetes/results.jsonl single-default.jsonl)
  result kubernetes "$why"
fi

# --- Open MPI: a broken photograph must not stop the other ranks
if installed mpirun mpirun; then
  mkdir mpi
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  why=
  timeout 400 mpirun --oversubscribe -np 4 "$program" detect photos "${slow[@]}" --shard auto --resume --threads 1 \
    --quiet --out 'mpi/part-{shard}.jsonl' >mpi.log 2>&1 || why="exit status $?: $(tail -1 mpi.log)"
  "$program" merge mpi/part-*.jsonl --max-unreadable all --quiet --out mpi.jsonl >>mpi.log 2>&1
  [ -n "$why" ] || why=$(same mpi.jsonl)
  result mpirun "$why"
fi

# --- GNU parallel: a part is killed, and tried again
if installed parallel parallel; then
  mkdir parallel
  why=
  timeout 400 parallel -j 4 --retries 3 \
    "$program detect photos ${slow[*]} --shard {}/4 --resume --threads 1 --quiet --out parallel/part-{}.jsonl" \
    ::: 1 2 3 4 >parallel.log 2>&1 </dev/null &
  parallel=$!
  for ((i = 0; i < 100; i++)); do
    sleep 0.1
    [ -e parallel/part-2.jsonl.journal ] || continue
    pkill -9 -f -- '--out parallel/part-2.jsonl' && break
  done
  wait $parallel || why="exit status $?: $(tail -1 parallel.log)"
  "$program" merge parallel/part-*.jsonl --max-unreadable all --quiet --out parallel.jsonl >>parallel.log 2>&1
  [ -n "$why" ] || why=$(same parallel.jsonl)
  result parallel "$why"
fi

# --- Snakemake: a run is killed, and the same command goes on
if installed snakemake snakemake; then
  mkdir snake
  snake() {
    timeout 400 snakemake -s "$root/scripts/cluster/Snakefile" --directory snake --cores 2 --rerun-incomplete --config \
      photos="$work/photos" parts=4 fovea="$program" "flags=${slow[*]}" >>snake.log 2>&1
  }
  why=
  snake &
  snake=$!
  for ((i = 0; i < 300; i++)); do
    sleep 0.1
    [ -e snake/parts/part-2.jsonl.journal ] && pkill -9 -f -- '--out parts/part-' && break
  done
  wait $snake
  snake || why="exit status $?: $(tail -1 snake.log)"
  [ -n "$why" ] || why=$(same snake/results.jsonl)
  result snakemake "$why"
fi
exit $failures
