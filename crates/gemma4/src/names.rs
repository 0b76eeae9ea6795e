//! The names that publishers give the decoder's tensors, made one.

use crate::Config;

/// What a tensor of a checkpoint is called here; `None` for parts that this model does not need.
pub(crate) fn canonical(name: &str, config: &Config) -> Option<String> {
    let decoder = in_decoder(name)?;
    // Some files carry a redundant copy of the tied table, and keys and values of layers that read those of others.
    let is_spare = (config.tied && decoder.starts_with("lm_head.")) || spare_keys(decoder, config);
    (!is_spare).then(|| decoder.to_owned())
}

/// The name within the text decoder; `None` for other parts of the checkpoint.
fn in_decoder(name: &str) -> Option<&str> {
    const TOWERS: [&str; 6] =
        ["vision_tower", "vision_embedder", "embed_vision", "audio_tower", "embed_audio", "multi_modal_projector"];
    const BUFFERS: [&str; 5] = ["rotary_emb", "input_min", "input_max", "output_min", "output_max"];

    let inner = name.strip_prefix("model.").unwrap_or(name);
    if TOWERS.iter().any(|tower| inner.starts_with(tower)) || BUFFERS.iter().any(|buffer| name.contains(buffer)) {
        return None;
    }
    // The original multimodal files, MLX conversions, and text-only files, in this order.
    let prefixes = ["model.language_model.", "language_model.model.", "language_model.", "model."];
    Some(prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name))
}

/// Whether these are keys or values of a layer that owns none.
fn spare_keys(decoder: &str, config: &Config) -> bool {
    let Some((layer, part)) = decoder.strip_prefix("layers.").and_then(|rest| rest.split_once('.')) else {
        return false;
    };
    let is_shared = layer.parse().is_ok_and(|layer: usize| !config.owns_keys(layer));
    is_shared && ["self_attn.k_proj.", "self_attn.v_proj.", "self_attn.k_norm."].iter().any(|own| part.starts_with(own))
}

#[cfg(test)]
mod tests {
    use super::in_decoder;

    fn check(name: &str, want: Option<&str>) {
        assert_eq!(in_decoder(name), want, "{name}");
    }

    #[test]
    fn every_publishers_prefix_gives_the_same_name() {
        for prefix in ["model.language_model.", "language_model.model.", "model.", ""] {
            check(&format!("{prefix}layers.3.mlp.up_proj.weight"), Some("layers.3.mlp.up_proj.weight"));
        }
        check("language_model.lm_head.weight", Some("lm_head.weight"));
    }

    #[test]
    fn towers_and_buffers_are_skipped() {
        for name in ["model.vision_tower.x", "audio_tower.y", "model.embed_vision.z", "layers.0.rotary_emb.inv_freq"] {
            check(name, None);
        }
    }
}
