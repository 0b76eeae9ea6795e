"""Slipstream and its peers on the same checkpoints, tokens and machine, in turn; prints ratios, above 1 where Slipstream wins.

Usage: compare.py SLIPSTREAM CASES [times]

CASES is a JSON file: a list of {"peer": "mlx-lm" or "dflash", "target": folder, "drafter": folder or null, "context": …,
"gamma": …, "tokens": …}. Every measurement is a fresh process of each side, one right behind the other, and the ratio is
taken of such a pair: whatever else the machine does slows both. Shown is the median of the ratios, and the order statistics
between which that of all would lie in 95 of a hundred cases.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PEER = Path(__file__).with_name("peer.py")
TIMES = 9


def shown(command, home):
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "SLIPSTREAM_HOME": home})
    if done.returncode:
        sys.exit(f"{command[0]} failed: {done.stderr[-2000:]}")
    return json.loads(done.stdout), time.perf_counter() - started


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
    report, _ = shown(command, home)
    row = report["rows"][-1]
    read = row["prefill_tokens_per_s"]["median"]
    # Until the first token, which the peers count as reading.
    reading_s = (case["context"] - 1) / read + row["round_s"]["median"]
    values = {
        "reading_s": reading_s,
        "round_s": row["round_s"]["median"],
        "tokens_per_round": row["tokens_per_round"]["median"],
        "peak": row["peak_memory_bytes"],
        "host": row["host_s"]["median"] / row["round_s"]["median"],
        "told": row["told_s"]["median"] / row["round_s"]["median"],
    }
    return values, report["ids"], row["begins"]


def theirs(home, case, ids, begins):
    order = {**case, "ids": ids, "begins": [(begins[0] + 7) % len(ids), *begins]}
    answer, _ = shown([sys.executable, str(PEER), case["peer"], json.dumps(order)], home)
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


def main():
    program, cases = sys.argv[1], json.loads(Path(sys.argv[2]).read_text())
    times = int(sys.argv[3]) if len(sys.argv) > 3 else TIMES
    with tempfile.TemporaryDirectory() as home:
        folders = {case[part] for case in cases for part in ("target", "drafter") if case.get(part)}
        models = {folder: register(program, home, folder) for folder in sorted(folders)}
        print("| peer | target | context | γ | round: ours, ms | theirs, ms | ratio | reading: ratio | peak memory: ours / theirs | tokens a round | host | told |")
        print("|---|---|---|---|---|---|---|---|---|---|---|---|")
        for case in cases:
            pairs = []
            for _ in range(times):
                own, ids, begins = ours(program, home, case, models)
                pairs.append((own, theirs(home, case, ids, begins)))
            ratio = lambda key: told([peer[key] / own[key] for own, peer in pairs])  # noqa: E731
            milliseconds = lambda side: told([1e3 * pair[side]["round_s"] for pair in pairs])  # noqa: E731
            alike = f"{pairs[0][0]['tokens_per_round']:.2f} / {pairs[0][1]['tokens_per_round']:.2f}"
            peak = statistics.median(own["peak"] / peer["peak"] for own, peer in pairs)
            host, events = (statistics.median(own[key] for own, _ in pairs) for key in ("host", "told"))
            print(
                f"| {case['peer']} | {Path(case['target']).name} | {case['context']} | {case.get('gamma') or 0} | {milliseconds(0)} | "
                f"{milliseconds(1)} | **{ratio('round_s')}** | {ratio('reading_s')} | {peak:.2f} | {alike} | {host:.1%} | {events:.1%} |",
                flush=True,
            )


main()
