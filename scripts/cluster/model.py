#!/usr/bin/env python3
"""How long a detection job takes on many nodes that fail: a discrete-event model, and its check against real runs.

    model.py                       the table of the guide: 10^9 photographs on 1,000 nodes
    model.py --check PROGRAM       runs a job with 1, 2, 4 and 8 workers, kills some, and compares with the model

Each node takes the part that waits first, and works on it to its end. A failure takes what was done since the last mark,
twice a second, and the start of the part; the part waits until the engine queues it again, the node until it is back.
"""

import argparse
import heapq
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Job:
    images: int
    parts: int
    nodes: int
    images_per_second: float  # of one node, while it works
    start_seconds: float  # of a part: process, models, its part of the list
    failures_per_second: float  # of a node at work
    requeue_seconds: float = 0.0  # until the part of a failed node waits again
    repair_seconds: float = 0.0  # until the node works again
    imbalance: float = 0.02  # standard deviation of the parts' work, as a share of the mean
    mark_seconds: float = 0.5


@dataclass
class Outcome:
    seconds: float
    failures: int
    wasted_share: float  # of all time at work: starts that were lost, and work behind the last mark


def simulate(job: Job, seed: int = 1) -> Outcome:
    chance = random.Random(seed)
    mean = job.images / job.parts / job.images_per_second
    waiting = [(0.0, part) for part in range(job.parts)]
    left = [max(0.0, mean * (1 + job.imbalance * chance.gauss(0, 1))) for _ in range(job.parts)]
    heapq.heapify(waiting)
    free = [(0.0, node) for node in range(job.nodes)]
    heapq.heapify(free)
    end = worked = wasted = 0.0
    failures = 0
    while waiting:
        ready, part = heapq.heappop(waiting)
        now, node = heapq.heappop(free)
        now = max(now, ready)
        needed = job.start_seconds + left[part]
        lives = chance.expovariate(job.failures_per_second) if job.failures_per_second > 0 else float("inf")
        if lives >= needed:
            worked += needed
            end = max(end, now + needed)
            heapq.heappush(free, (now + needed, node))
            continue
        failures += 1
        # The marks lie at multiples of their interval; the next failure meets the part somewhere between two.
        kept = max(0.0, lives - job.start_seconds)
        kept -= min(kept, chance.uniform(0, job.mark_seconds))
        left[part] -= kept
        worked += lives
        wasted += lives - kept
        heapq.heappush(waiting, (now + lives + job.requeue_seconds, part))
        heapq.heappush(free, (now + lives + job.repair_seconds, node))
    return Outcome(end, failures, wasted / worked if worked else 0.0)


# --- the table of the guide

HOUR = 3600.0
DAY = 24 * HOUR
# Measured with ten million names, and with two million lines in a thousand parts.
LIST_BYTES = 5.9  # of a list file, per image
INDEX_BYTES = 0.012  # of its index, per image: every part reads that
LISTED_PER_SECOND = 140_000.0
MERGED_PER_SECOND = 370_000.0


def table() -> None:
    images, nodes = 10**9, 1000
    photo_bytes = 350e3  # a photograph of 1920x1080
    storage = 200e9  # bytes a second, of the file system that all nodes share
    node = 5600.0  # images a second of one H200; the storage gives less
    per_second = min(node, storage / photo_bytes / nodes)
    ideal = images / nodes / per_second
    print("| parts | a node fails every | minutes | times the ideal | failures | read of the list |")
    print("|---|---|---|---|---|---|")
    for parts in (1_000, 10_000, 100_000):
        for days in (1000.0, 0.5):
            outcome = simulate(
                Job(images, parts, nodes, per_second, 0.8, 1 / (days * DAY), requeue_seconds=120, repair_seconds=HOUR))
            read = images * (LIST_BYTES + parts * INDEX_BYTES) / 1e9
            print(f"| {parts:,} | {days:g} days | {outcome.seconds / 60:.0f} | {outcome.seconds / ideal:.2f} |"
                  f" {outcome.failures} | {read:,.0f} GB |")
    print(f"\nphotographs: {images * photo_bytes / 1e12:.0f} TB, each read once;"
          f" list: {images / LISTED_PER_SECOND / 60:.0f} min, {images * LIST_BYTES / 1e9:.0f} GB;"
          f" merge: {images / MERGED_PER_SECOND / 60:.0f} min on one node")


# --- the check


def run_job(program: str, work: Path, workers: int, parts: int, kills_per_second: float, seed: int):
    """Runs the parts of a list by so many processes at a time; kills some. Returns seconds and kills."""
    chance = random.Random(seed)
    waiting = list(range(1, parts + 1))
    running = {}
    kills = 0
    began = time.monotonic()
    last = began
    while waiting or running:
        while waiting and len(running) < workers:
            part = waiting.pop(0)
            running[part] = subprocess.Popen(
                [program, "detect", str(work / "list.fvl"), "--model", "mct", "--scale-factor", "1.02", "--threads", "1",
                 "--quiet", "--shard", f"{part}/{parts}", "--resume", "--out", str(work / "part-{shard}.jsonl")],
                stderr=subprocess.DEVNULL)
        time.sleep(0.005)
        now = time.monotonic()
        for part, process in list(running.items()):
            if process.poll() is not None:
                del running[part]
                if process.returncode != 0:
                    waiting.append(part)
            elif chance.random() < kills_per_second * (now - last):
                process.send_signal(signal.SIGKILL)
                kills += 1
        last = now
    return time.monotonic() - began, kills


def check(program: str) -> int:
    work = Path(tempfile.mkdtemp())
    images, parts = 480, 24
    os.makedirs(work / "photos")
    noise = random.Random(3)
    for i in range(images):
        (work / "photos" / f"{i:04d}.pgm").write_bytes(b"P5 240 180 255 " + noise.randbytes(240 * 180))
    subprocess.run([program, "list", str(work / "photos"), "--out", str(work / "list.fvl"), "--quiet"], check=True)
    worst = 0.0
    print("| workers | kills a second and worker | measured | model |\n|---|---|---|---|")
    for workers in (1, 2, 4, 8):
        # The processes share the machine's cores: their speed is taken from a run without kills.
        calm, _ = run_job(program, work, workers, parts, 0.0, 1)
        for file in work.glob("part-*"):
            file.unlink()
        start = 0.15
        per_second = images / (calm * workers - parts * start)
        kills_per_second = 0.15
        seconds, kills = run_job(program, work, workers, parts, kills_per_second, 2)
        for file in work.glob("part-*"):
            file.unlink()
        outcomes = [simulate(Job(images, parts, workers, per_second, start, kills_per_second), seed)
                    for seed in range(200)]
        mean = sum(outcome.seconds for outcome in outcomes) / len(outcomes)
        worst = max(worst, abs(seconds / mean - 1))
        print(f"| {workers} | {kills_per_second} | {seconds:.1f} s, {kills} kills | {mean:.1f} s, "
              f"{sum(outcome.failures for outcome in outcomes) / len(outcomes):.1f} kills |")
    shutil.rmtree(work)
    print(f"\nlargest difference: {100 * worst:.0f} %")
    return 0 if worst < 0.25 else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", metavar="PROGRAM", help="compare with real runs of this program")
    arguments = parser.parse_args()
    sys.exit(check(arguments.check) if arguments.check else table())
