//! The names that publishers give the decoder's tensors, made one.

/// What a tensor of a checkpoint is called here; `None` for parts that text does not need.
pub(crate) fn canonical(name: &str, tied: bool) -> Option<String> {
    const TOWERS: [&str; 6] =
        ["vision_tower", "vision_embedder", "embed_vision", "audio_tower", "embed_audio", "multi_modal_projector"];
    const BUFFERS: [&str; 5] = ["rotary_emb", "input_min", "input_max", "output_min", "output_max"];

    let inner = name.strip_prefix("model.").unwrap_or(name);
    if TOWERS.iter().any(|tower| inner.starts_with(tower)) || BUFFERS.iter().any(|buffer| name.contains(buffer)) {
        return None;
    }
    // The original multimodal files, MLX conversions, and text-only files, in this order.
    let decoder = ["model.language_model.", "language_model.model.", "language_model.", "model."]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name);
    // Some files carry a redundant copy of the tied table.
    (!tied || !decoder.starts_with("lm_head.")).then(|| decoder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::canonical;

    fn check(name: &str, want: Option<&str>) {
        assert_eq!(canonical(name, true).as_deref(), want, "{name}");
    }

    #[test]
    fn every_publishers_prefix_gives_the_same_name() {
        for prefix in ["model.language_model.", "language_model.model.", "model.", ""] {
            check(&format!("{prefix}layers.3.mlp.up_proj.weight"), Some("layers.3.mlp.up_proj.weight"));
        }
    }

    #[test]
    fn towers_buffers_and_tied_heads_are_skipped() {
        for name in ["model.vision_tower.x", "audio_tower.y", "model.embed_vision.z", "layers.0.rotary_emb.inv_freq"] {
            check(name, None);
        }
        check("language_model.lm_head.weight", None);
    }

    #[test]
    fn an_untied_head_is_kept() {
        assert_eq!(canonical("language_model.lm_head.weight", false).as_deref(), Some("lm_head.weight"));
    }
}
