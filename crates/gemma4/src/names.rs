//! The names that publishers give the decoder's tensors, made one.

use nn::Place;

use crate::Config;

/// Parts of a checkpoint that are not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spare {
    /// The vision tower, and what joins it to the text.
    Vision,
    /// The audio tower, likewise.
    Audio,
    /// A copy of the table that the head shares.
    Head,
    /// Keys and values of layers that read those of others.
    Keys,
    /// Numbers that follow from the configuration, and ranges for other programs' quantisation.
    Buffers,
}

/// Where a tensor of a checkpoint belongs; `None` for parts that this model does not need.
pub(crate) fn place(name: &str, config: &Config) -> Option<Place> {
    if spare(name, config).is_some() {
        return None;
    }
    let decoder = in_decoder(name);
    Some(decoder.split_once(".experts.").map_or_else(|| Place::Whole(decoder.to_owned()), expert))
}

/// What a tensor is if this model does not need it. Some files carry a redundant copy of the tied table, and keys and
/// values of layers that read those of others.
pub(crate) fn spare(name: &str, config: &Config) -> Option<Spare> {
    let decoder = in_decoder(name);
    beside_decoder(name)
        .or((config.tied && decoder.starts_with("lm_head.")).then_some(Spare::Head))
        .or(spare_keys(decoder, config).then_some(Spare::Keys))
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

/// What a tensor is if it is not the text decoder's.
fn beside_decoder(name: &str) -> Option<Spare> {
    const TOWERS: [(&str, Spare); 6] = [
        ("vision_tower", Spare::Vision),
        ("vision_embedder", Spare::Vision),
        ("embed_vision", Spare::Vision),
        ("multi_modal_projector", Spare::Vision),
        ("audio_tower", Spare::Audio),
        ("embed_audio", Spare::Audio),
    ];
    const BUFFERS: [&str; 5] = ["rotary_emb", "input_min", "input_max", "output_min", "output_max"];

    let inner = name.strip_prefix("model.").unwrap_or(name);
    let tower = TOWERS.iter().find(|(tower, _)| inner.starts_with(tower)).map(|&(_, spare)| spare);
    tower.or(BUFFERS.iter().any(|buffer| name.contains(buffer)).then_some(Spare::Buffers))
}

/// The name within the text decoder, if it is one of its tensors.
fn in_decoder(name: &str) -> &str {
    // The original multimodal files, MLX conversions, and text-only files, in this order.
    let prefixes = ["model.language_model.", "language_model.model.", "language_model.", "model."];
    prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
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

    use super::{Spare, beside_decoder, expert, in_decoder};

    #[test]
    fn every_publishers_prefix_gives_the_same_name() {
        for prefix in ["model.language_model.", "language_model.model.", "model.", ""] {
            assert_eq!(in_decoder(&format!("{prefix}layers.3.mlp.up_proj.weight")), "layers.3.mlp.up_proj.weight");
        }
        assert_eq!(in_decoder("language_model.lm_head.weight"), "lm_head.weight");
    }

    #[test]
    fn towers_and_buffers_are_skipped() {
        for (name, spare) in [
            ("model.vision_tower.x", Spare::Vision),
            ("audio_tower.y", Spare::Audio),
            ("model.embed_vision.z", Spare::Vision),
            ("layers.0.rotary_emb.inv_freq", Spare::Buffers),
        ] {
            assert_eq!(beside_decoder(name), Some(spare), "{name}");
        }
        assert_eq!(beside_decoder("model.layers.3.mlp.up_proj.weight"), None);
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
