"""Writes a target of about 100 million random numbers, random drafters of each kind for it, and the same target with the
vocabulary that published ones have. Beside the demo's target it writes its block drafters in float32, the type that the target
has and that every program then computes in, and a random DSpark drafter: no peer reads the format of the demo's own.

Usage: checkpoints.py OUT DEMO_TARGET

Random drafters never guess right: a round is one drafted block, of which nothing stands, in every program alike.
"""

import json
import shutil
import sys
from pathlib import Path

import mlx.core as mx
from dflash.model_mlx import DFlash2DraftModel, DFlashConfig, DFlashDraftModel
from mlx.utils import tree_flatten, tree_map
from mlx_lm.models.gemma4_text import Model, ModelArgs
from mlx_vlm.speculative.drafters.gemma4_dspark import Model as DSparkDraftModel
from mlx_vlm.speculative.drafters.gemma4_dspark import ModelConfig as DSparkConfig

VOCABULARY = 32768
PUBLISHED = 262144
TARGET = {
    "model_type": "gemma4_text",
    "hidden_size": 640,
    "num_hidden_layers": 12,
    "layer_types": (["sliding_attention"] * 5 + ["full_attention"]) * 2,
    "intermediate_size": 2560,
    "num_attention_heads": 5,
    "num_key_value_heads": 1,
    "num_global_key_value_heads": 1,
    "head_dim": 128,
    "global_head_dim": 128,
    "attention_k_eq_v": True,
    "sliding_window": 512,
    "max_position_embeddings": 16384,
    "hidden_size_per_layer_input": 0,
    "num_kv_shared_layers": 0,
    "use_double_wide_mlp": False,
    "rms_norm_eps": 1e-6,
    "final_logit_softcapping": 30.0,
    "tie_word_embeddings": True,
}
DRAFTER = {
    "hidden_size": 640,
    "num_hidden_layers": 2,
    "num_attention_heads": 5,
    "num_key_value_heads": 5,
    "head_dim": 128,
    "intermediate_size": 1920,
    "vocab_size": VOCABULARY,
    "rms_norm_eps": 1e-6,
    "rope_theta": 10000.0,
    "max_position_embeddings": 16384,
    "num_target_layers": 12,
    "final_logit_softcapping": 30.0,
    "is_causal": False,
}
TAPS = [1, 5, 9]
ROWS = 8
# With values of their own: mlx-vlm cannot draft with layers that take them from the keys.
DSPARK = {
    "block_size": 7,
    "mask_token_id": 4,
    "attention_k_eq_v": False,
    "enable_confidence_head": True,
    "confidence_head_with_markov": True,
}
SELECTOR = {"conv_kernel_size": 2, "conv_group_size": 16, "selector_rank": 128, "selector_top_k": 8}


def random_like(parameters, seed):
    """Small numbers of the same shapes."""
    mx.random.seed(seed)
    return tree_map(lambda a: mx.random.normal(a.shape) * 0.03 + (1.0 if a.ndim == 1 else 0.0), parameters)


def write(folder, config, weights):
    folder.mkdir(parents=True, exist_ok=True)
    mx.save_safetensors(str(folder / "model.safetensors"), weights, metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config, indent=2))


def target(folder, tokenizer, vocabulary):
    shape = {**TARGET, "vocab_size": vocabulary}
    args = ModelArgs.from_dict(shape)
    model = Model(args)
    weights = dict(tree_flatten(random_like(model.parameters(), 0)))
    rope = {
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
        "full_attention": {"rope_type": "proportional", "rope_theta": 1000000.0, "partial_rotary_factor": 0.25},
    }
    named = {"architectures": ["Gemma4ForCausalLM"], "dtype": "float32", "hidden_activation": "gelu_pytorch_tanh"}
    ends = {"bos_token_id": 2, "eos_token_id": [1], "pad_token_id": 0, "attention_bias": False}
    write(folder, {**named, **shape, **ends, "rope_parameters": rope}, weights)
    for name in ["tokenizer.json", "tokenizer_config.json", "chat_template.jinja"]:
        shutil.copy(tokenizer / name, folder / name)


def drafter(folder, kind, extra):
    layers = ["full_attention"] * DRAFTER["num_hidden_layers"]
    known = {key: value for key, value in DRAFTER.items() if key != "is_causal"}
    shape = DFlashConfig(
        **known, block_size=ROWS, target_layer_ids=tuple(TAPS), mask_token_id=4, layer_types=tuple(layers), is_causal=False, **extra
    )
    weights = dict(tree_flatten(random_like(kind(shape).parameters(), 1)))
    for name in ["predecessor_codebook", "successor_codebook"]:
        stored = f"candidate_selector.{name}"
        if f"{stored}.weight" in weights:
            weights[stored] = weights.pop(f"{stored}.weight")
    own = {"target_layer_ids": TAPS, "mask_token_id": 4, "block_size": ROWS, **extra}
    named = {"architectures": [kind.__name__], "model_type": "qwen3", "hidden_act": "silu", "layer_types": layers}
    write(folder, {**named, **DRAFTER, "block_size": ROWS, "sliding_window": None, "dflash_config": own}, weights)


def dspark(folder, target, taps, rank):
    """One in DeepSpec's format, whose layers are as wide as the target's own."""
    shape = json.loads((target / "config.json").read_text())
    own = ["hidden_size", "intermediate_size", "num_attention_heads", "num_key_value_heads", "num_global_key_value_heads", "global_head_dim"]
    own += ["head_dim", "vocab_size", "rms_norm_eps", "max_position_embeddings", "final_logit_softcapping"]
    own += ["rope_parameters", "hidden_activation", "model_type"]
    config = {**{key: shape[key] for key in own}, **DSPARK, "num_hidden_layers": 2, "layer_types": ["full_attention"] * 2}
    config |= {"num_target_layers": shape["num_hidden_layers"], "target_layer_ids": taps, "markov_rank": rank, "tie_word_embeddings": False}
    weights = dict(tree_flatten(random_like(DSparkDraftModel(DSparkConfig.from_dict(config)).parameters(), 2)))
    write(folder, {"architectures": ["Gemma4DSparkModel"], **config}, weights)


def widened(folder, source):
    """The same checkpoint in float32."""
    weights = {name: value.astype(mx.float32) for name, value in mx.load(str(source / "model.safetensors")).items()}
    config = json.loads((source / "config.json").read_text())
    write(folder, {**config, "dtype": "float32"}, weights)


if __name__ == "__main__":
    out, tokenizer = Path(sys.argv[1]), Path(sys.argv[2])
    target(out / "mid", tokenizer, VOCABULARY)
    target(out / "wide", tokenizer, PUBLISHED)
    drafter(out / "mid-dflash", DFlashDraftModel, {})
    drafter(out / "mid-dflash2", DFlash2DraftModel, SELECTOR)
    dspark(out / "mid-dspark", out / "mid", TAPS, 128)
    dspark(out / "slipstream-demo-dspark", tokenizer, [0, 2, 4], 64)
    for name in ["slipstream-demo-dflash", "slipstream-demo-dflash2"]:
        widened(out / name, tokenizer.with_name(name))
