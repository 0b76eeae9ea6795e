"""Slipstream and its peers on the same checkpoints, tokens and machine, in turn; prints ratios, above 1 where Slipstream wins.

Usage: compare.py SLIPSTREAM DEMO_TARGET CHECKPOINTS [--contexts 128,2048,8192] [--times 9]

CHECKPOINTS is what checkpoints.py wrote. Every measurement is a fresh process of each side, one right behind the other, and
the ratio is taken of such a pair: whatever else the machine does slows both. Shown is the median of the ratios, and the order
statistics between which that of all would lie in 95 of a hundred cases.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

PEER = Path(__file__).with_name("peer.py")

def cases(demo, checkpoints, contexts):
    """Plain decoding behind every length, of which the demo reads the first only, and each block drafter behind that."""
    for target, tokens, lengths in [(demo, 64, contexts[:1]), (checkpoints / "mid", 32, contexts)]:
        for context in lengths:
            yield {"peer": "mlx-lm", "target": str(target), "context": context, "tokens": tokens}
        for peer, kind in [("dflash", "dflash"), ("dflash", "dflash2"), ("mlx-vlm", "dspark")]:
            drafter = str(checkpoints / f"{target.name}-{kind}")
            yield {"peer": peer, "target": str(target), "drafter": drafter, "context": contexts[0], "gamma": 7, "tokens": tokens}


def library(program):
    """The folder of the MLX that the program runs on: the wheel's own multiplies without a fast BLAS."""
    needed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    found = [Path(line.split()[2]).parent for line in needed.splitlines() if "libmlx" in line]
    return str(found[0]) if found else sys.exit(f"{program} is linked to no MLX")


def versions(program):
    """What ran, as far as it tells."""
    own = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return ", ".join([own, *(f"{name} {version(name)}" for name in ["mlx", "mlx-lm", "dflash", "mlx-vlm"])])


def shown(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **more})
    if done.returncode:
        sys.exit(f"{command[0]} failed: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


def register(program, home, folder):
    listed = subprocess.run(
        [program, "models", "add", folder, "--json"], capture_output=True, text=True, env={**os.environ, "SLIPSTREAM_HOME": home}
    )
    if listed.returncode:
        sys.exit(f"{folder} cannot be registered: {listed.stderr}")
    return json.loads(listed.stdout)["id"]


def ours(program, home, case, models):
    drafter = [models[case["drafter"]]] if case.get("drafter") else []
    gamma = ["--gamma", str(case["gamma"])] if drafter else []
    command = [program, "bench", models[case["target"]], *drafter, *gamma, "--context", str(case["context"])]
    command += ["--tokens", str(case["tokens"]), "--repeats", "1", "--json"]
    report = shown(command, SLIPSTREAM_HOME=home)
    row = report["rows"][-1]
    read = row["prefill_tokens_per_s"]["median"]
    # Until the first token, which the peers count as reading.
    reading_s = (case["context"] - 1) / read + row["round_s"]["median"]
    values = {
        "reading_s": reading_s,
        "round_s": row["round_s"]["median"],
        "tokens_per_round": row["tokens_per_round"]["median"],
        "peak": row["peak_memory_bytes"][-1],
        "host": row["host_s"]["median"] / row["round_s"]["median"],
        "machine": report["conditions"]["machine"],
        "told": row["told_s"]["median"] / row["round_s"]["median"],
    }
    return values, report["ids"], row["begins"]


def seconds_until(command, sign, **more):
    """From the start of a process until it prints a line with `sign`; and all that it printed."""
    begun, seen, lines = time.perf_counter(), None, []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, **more}) as process:
        for line in process.stdout:
            if seen is None and sign in line:
                seen = time.perf_counter() - begun
            lines.append(line)
    return (seen, lines) if seen else sys.exit(f"{command[0]} never printed {sign}")


CHOOSING = {
    "greedily": [],
    "top-k 64": ["--temperature", "1", "--top-k", "64"],
    "top-k 64, top-p 0.95": ["--temperature", "1", "--top-k", "64", "--top-p", "0.95"],
    "top-p 0.95": ["--temperature", "1", "--top-p", "0.95"],
}


def theirs(mlx, case, ids, begins):
    order = {**case, "ids": ids, "begins": [(begins[0] + 7) % len(ids), *begins]}
    answer = shown([sys.executable, str(PEER), case["peer"], json.dumps(order)], LD_LIBRARY_PATH=mlx)
    if Path(answer["library"]).parent != Path(mlx).resolve():
        sys.exit(f"the peer ran on {answer['library']}, Slipstream on that in {mlx}")
    return {
        "reading_s": (case["context"] - 1) / answer["prefill_tokens_per_s"],
        "round_s": answer["round_s"],
        "tokens_per_round": answer["tokens_per_round"],
        "peak": answer["peak_memory_bytes"],
    }


def ends(values):
    """The median, and the order statistics around it."""
    values = sorted(values)
    outside = {9: 1, 11: 1, 15: 3}.get(len(values), 0)
    return statistics.median(values), values[outside], values[-1 - outside]


def told(values, digits=2):
    middle, low, high = ends(values)
    return f"{middle:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def table(heads, rows):
    """Prints each row as soon as it is there."""
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)
    print()


def name(folder):
    return Path(folder).name


ROUNDS = ["peer", "target", "drafter", "context", "γ", "a round: ours, ms", "theirs, ms", "ratio", "until the first token: ratio"]
ROUNDS += ["peak memory: ours / theirs", "tokens a round: ours / theirs", "of ours outside MLX", "telling"]


def rounds(program, mlx, home, models, case, times):
    """What a round and the reading before it take, ours and the peer's."""
    pairs = []
    for _ in range(times):
        own, ids, begins = ours(program, home, case, models)
        pairs.append((own, theirs(mlx, case, ids, begins)))
    ratio = lambda key: told([peer[key] / own[key] for own, peer in pairs])  # noqa: E731
    took = [told([1e3 * pair[side]["round_s"] for pair in pairs]) for side in (0, 1)]
    peak = statistics.median(own["peak"] / peer["peak"] for own, peer in pairs)
    alike = " / ".join(f"{side['tokens_per_round']:.2f}" for side in pairs[0])
    shares = [f"{statistics.median(own[key] for own, _ in pairs):.1%}" for key in ("host", "told")]
    pair = [case["peer"], name(case["target"]), name(case.get("drafter", "none")), case["context"], case.get("gamma", 0)]
    return [*pair, *took, f"**{ratio('round_s')}**", ratio("reading_s"), f"{peak:.2f}", alike, *shares]


def starts(program, mlx, home, models, target, times):
    """Seconds from the start of the program until its first token, ours and mlx-lm's, in turn."""
    pairs, asked = [], "Why is it that a small model can guess what a large one will say?"
    for _ in range(times):
        command = [program, "chat", "--target", models[target], "--raw", "--max-tokens", "2", "--json", asked]
        own, lines = seconds_until(command, '"event":"round"', SLIPSTREAM_HOME=home)
        order = {"target": target, "ids": json.loads(lines[-1])["prompt_ids"]}
        peer, _ = seconds_until([sys.executable, str(PEER), "first", json.dumps(order)], '"first"', LD_LIBRARY_PATH=mlx)
        pairs.append((own, peer))
    sides = [told([pair[side] for pair in pairs]) for side in (0, 1)]
    return [name(target), *sides, f"**{told([own / peer for own, peer in pairs])}**"]


def memories(program, home, models, case):
    """The most memory in each of 20 answers of 100 rounds, with and without a drafter that never guesses right."""
    command = [program, "bench", models[case["target"]], models[case["drafter"]], "--gamma", str(case["gamma"])]
    command += ["--context", str(case["context"]), "--tokens", "100", "--repeats", "20", "--json"]
    rows = shown(command, SLIPSTREAM_HOME=home)["rows"]
    for way, row in zip(["loaded, not used", "used"], rows):
        peaks = row["peak_memory_bytes"]
        drafter = f"{name(case['drafter'])}, {way}"
        yield name(case["target"]), drafter, f"{peaks[0] / 1e6:.1f}", f"{peaks[-1] / 1e6:.1f}", f"**{max(peaks) / peaks[0]:.3f}**"


def choices(program, home, model, context, times):
    """What a plain step takes with each way to choose a token."""
    took = {way: [] for way in CHOOSING}
    for _ in range(times):
        for way, options in CHOOSING.items():
            command = [program, "bench", model, *options, "--context", str(context), "--tokens", "16", "--repeats", "1", "--json"]
            took[way].append(shown(command, SLIPSTREAM_HOME=home)["rows"][0]["round_s"]["median"])
    for way, seconds in took.items():
        against = [of_way / greedily for of_way, greedily in zip(seconds, took["greedily"])]
        yield way, told([1e3 * of_way for of_way in seconds]), f"**{told(against)}**"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("demo", type=Path)
    parser.add_argument("checkpoints", type=Path)
    parser.add_argument("--contexts", default="128,2048,8192")
    parser.add_argument("--times", type=int, default=9)
    given = parser.parse_args()
    program, times, contexts = given.program, given.times, [int(context) for context in given.contexts.split(",")]
    asked = list(cases(given.demo.resolve(), given.checkpoints.resolve(), contexts))
    mid, wide = (str(given.checkpoints.resolve() / folder) for folder in ("mid", "wide"))
    mlx = library(program)
    with tempfile.TemporaryDirectory() as home:
        folders = {wide} | {case[part] for case in asked for part in ("target", "drafter") if case.get(part)}
        models = {folder: register(program, home, folder) for folder in sorted(folders)}
        machine = ours(program, home, asked[0], models)[0]["machine"]
        print(f"{machine}, {versions(program)}, {times} times.\n", flush=True)
        table(ROUNDS, (rounds(program, mlx, home, models, case, times) for case in asked))
        heads = ["from the start of the program to its first token", "ours, s", "mlx-lm, s", "ours / theirs"]
        table(heads, [starts(program, mlx, home, models, mid, times)])
        table(
            ["20 answers of 100 rounds", "drafter", "most memory in the first, MB", "in the last", "in any / in the first"],
            (row for case in asked if case["peer"] == "mlx-vlm" for row in memories(program, home, models, case)),
        )
        heads = ["choosing from 262,144 tokens", "a plain step, ms", "× greedily"]
        table(heads, choices(program, home, models[wide], contexts[0], times))


main()
