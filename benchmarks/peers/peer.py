"""Times one peer on one checkpoint, in a process of its own; prints JSON.

Usage: peer.py mlx-lm|dflash|mlx-vlm|first '{"target": …, "drafter": …, "ids": […], "begins": […], "context": …, "gamma": …, "tokens": …}'

It reads and writes what `slipstream bench --json` says that it read and wrote: the same ids, the same lengths, no end token.
`first` lets mlx-lm write a single token behind the ids, for whoever watches to see when it is there.
"""

import json
import sys
import time
from pathlib import Path

started = time.perf_counter()

import mlx.core as mx  # noqa: E402

from mlx_lm.tokenizer_utils import TokenizerWrapper  # noqa: E402

mx.set_default_device(mx.cpu)

WARM = 2  # rounds at the beginning of an answer that count for nothing


def median(numbers):
    numbers = sorted(numbers)
    return (numbers[len(numbers) // 2] + numbers[(len(numbers) - 1) // 2]) / 2


def plain(order):
    """mlx-lm's loop: when the prompt was read cannot be told from when the first token was there."""
    from mlx_lm import load
    from mlx_lm.generate import generate_step

    model, _ = load(order["target"])
    for prompt in prompts(order):
        begun, times = time.perf_counter(), []
        for _token, _ in generate_step(mx.array(prompt), model, max_tokens=order["tokens"]):
            times.append(time.perf_counter())
        yield begun, times, len(times)


def dflash(order):
    """The `dflash` package's loop, whose first answer is the prompt's own token."""
    from dflash import model_mlx
    from mlx_lm import load

    model_mlx.snapshot_download = lambda path, **_: path  # a folder is no repo
    model, tokenizer = load(order["target"])
    drafter = model_mlx.load_draft(order["drafter"])
    for prompt in prompts(order):
        begun, times, written = time.perf_counter(), [], 0
        rounds = model_mlx.stream_generate(
            model, drafter, Endless(tokenizer), mx.array(prompt), block_size=order["gamma"] + 1, max_tokens=order["tokens"]
        )
        for answer in rounds:
            if answer.tokens:
                times.append(time.perf_counter())
                written += len(answer.tokens)
        yield begun, times, written


def mlx_vlm(order):
    """mlx-vlm's loop, one token of which is yielded after the other: a round that wrote several is told once."""
    from mlx_vlm.generate.ar import generate_step
    from mlx_vlm.speculative.drafters import load_drafter

    model = TextOnly(Path(order["target"]))
    drafter, kind = load_drafter(order["drafter"])
    for prompt in prompts(order):
        begun, times, written = time.perf_counter(), [], 0
        drafting = {"draft_model": drafter, "draft_kind": kind, "draft_block_size": order["gamma"] + 1}
        for _ in generate_step(mx.array([prompt]), model, None, None, temperature=0, max_tokens=order["tokens"], **drafting):
            written += 1
            if len(drafter.accept_lens) >= len(times):
                times.append(time.perf_counter())
        yield begun, times, written


class TextOnly:
    """A target without the towers for images and sounds, which mlx-vlm would make up at random."""

    def __init__(self, folder):
        from mlx_vlm.models.gemma4.config import TextConfig
        from mlx_vlm.models.gemma4.language import LanguageModel

        self.config = TextConfig.from_dict(json.loads((folder / "config.json").read_text()))
        self.language_model = LanguageModel(self.config)
        self.language_model.load_weights(str(folder / "model.safetensors"))
        mx.eval(self.language_model.parameters())

    def get_input_embeddings(self, ids, *_, **__):
        from mlx_vlm.models.base import InputEmbeddingsFeatures

        text = self.language_model.model
        return InputEmbeddingsFeatures(inputs_embeds=text.embed_tokens(ids) * text.embed_scale)


class Endless(TokenizerWrapper):
    """Knows no end token, and writes no text: a random target's ids may be no words."""

    eos_token_ids = frozenset()

    class detokenizer:
        last_segment = ""

        @staticmethod
        def add_token(token):
            pass

        @staticmethod
        def finalize():
            pass


def prompts(order):
    ids, context = order["ids"], order["context"]
    for begin in order["begins"]:
        others = ids[1:]
        mx.reset_peak_memory()
        yield ids[:1] + [others[(begin + at) % len(others)] for at in range(context - 1)]


def first_token(order):
    from mlx_lm import load
    from mlx_lm.generate import generate_step

    model, _ = load(order["target"])
    for token, _ in generate_step(mx.array(order["ids"]), model, max_tokens=1):
        print(json.dumps({"first": token}), flush=True)


def main():
    order = json.loads(sys.argv[2])
    if sys.argv[1] == "first":
        return first_token(order)
    answers, first = [], None
    for begun, times, written in {"mlx-lm": plain, "dflash": dflash, "mlx-vlm": mlx_vlm}[sys.argv[1]](order):
        first = first or times[0] - started
        rounds = [after - before for before, after in zip(times[WARM:], times[WARM + 1 :])]
        answers.append(
            {
                "prefill_tokens_per_s": (order["context"] - 1) / (times[0] - begun),
                "round_s": median(rounds),
                "tokens_per_round": written / len(times),
            }
        )
    shown = {key: median([answer[key] for answer in answers[1:] or answers]) for key in answers[0]}
    maps = Path("/proc/self/maps").read_text().split()
    library = next(part for part in maps if part.endswith("libmlx.so"))
    print(json.dumps({**shown, "first_token_s": first, "peak_memory_bytes": mx.get_peak_memory(), "library": library}))


main()
