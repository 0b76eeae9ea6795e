//! The names that publishers give the decoder's tensors, made one.

use nn::Place;

use crate::Config;

/// Where a tensor of a checkpoint belongs; `None` for parts that this model does not need.
pub(crate) fn place(name: &str, config: &Config) -> Option<Place> {
    let decoder = in_decoder(name)?;
    // Some files carry a redundant copy of the tied table, and keys and values of layers that read those of others.
    let is_spare = (config.tied && decoder.starts_with("lm_head.")) || spare_keys(decoder, config);
    (!is_spare).then(|| decoder.split_once(".experts.").map_or_else(|| Place::Whole(decoder.to_owned()), expert))
}

/// Where a tensor of a layer's experts belongs: there is one stack each of gates, ups and downs. The original files
/// fuse gates and ups, the first half being the gates; some files hold the experts one by one.
fn expert((layer, rest): (&str, &str)) -> Place {
    let rest = rest.strip_prefix("switch_glu.").unwrap_or(rest);
    let (projection, part) = match rest.rsplit_once('.') {
        Some((projection, part @ ("weight" | "scales" | "biases" | "global_scale"))) => (projection, part),
        _ => (rest, "weight"), // the original files say no more
    };
    let name = |projection: &str| format!("{layer}.experts.{projection}.{part}");
    if projection == "gate_up_proj" {
        return Place::Halves(["gate_proj", "up_proj"].map(name));
    }
    match projection.split_once('.').map(|(number, projection)| (number.parse(), projection)) {
        Some((Ok(number), projection)) => Place::Part(name(projection), number),
        _ => Place::Whole(name(projection)),
    }
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
    use nn::Place;

    use super::{expert, in_decoder};

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

    #[test]
    fn every_layout_of_the_experts_gives_the_same_stacks() {
        let place = |rest| expert(("layers.0", rest));
        let gates = || "layers.0.experts.gate_proj.weight".to_owned();
        let ups = || "layers.0.experts.up_proj.weight".to_owned();
        for fused in ["gate_up_proj", "gate_up_proj.weight", "switch_glu.gate_up_proj.weight"] {
            assert_eq!(place(fused), Place::Halves([gates(), ups()]), "{fused}");
        }
        for whole in ["gate_proj", "gate_proj.weight", "switch_glu.gate_proj.weight"] {
            assert_eq!(place(whole), Place::Whole(gates()), "{whole}");
        }
        assert_eq!(place("12.gate_proj.weight"), Place::Part(gates(), 12));
        assert_eq!(place("switch_glu.up_proj.scales"), Place::Whole("layers.0.experts.up_proj.scales".into()));
    }
}
