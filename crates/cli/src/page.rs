//! One model in full, for `slipstream models show`.

use app::{Details, Drafts, Model, Need, Pedigree, Reach, Skipped, size};
use serde_json::{Value, json};

use crate::models;

/// For programs.
pub(crate) fn value(model: &Model, details: Option<&Details>) -> Value {
    let mut value = models::value(model);
    if let Some(Details { checkpoint, need, pedigree }) = details {
        value["checkpoint"] = json!(checkpoint);
        value["trained"] = json!(pedigree);
        value["memory"] = need.map_or(Value::Null, |need| {
            let mut parts = json!(need);
            parts["total"] = json!(need.total());
            parts
        });
    }
    value
}

/// For people.
pub(crate) fn text(model: &Model, details: Option<&Details>) -> String {
    let mut lines = vec![line("id", &model.id), line("role", models::role(model.role)), line("kind", &model.kind)];
    match details {
        Some(details) => lines.extend(detailed(details)),
        None => lines.push(line("summary", &model.summary)),
    }
    lines.push(line("files", &size(model.bytes)));
    lines.push(line("folder", &model.folder.display().to_string()));
    lines.extend(model.drafts.map(|drafts| line("limit", &drafts_at_most(drafts))));
    lines.extend(model.chat_template.map(|has| {
        line("chat", if has { "has a chat template" } else { "has no chat template: it continues plain text" })
    }));
    lines.extend(model.broken.as_ref().map(|why| line("broken", why)));
    lines.join("\n")
}

fn detailed(Details { checkpoint, need, pedigree }: &Details) -> Vec<String> {
    let mut lines = vec![
        line("what", &checkpoint.name),
        line("parameters", &checkpoint.parameters.to_string()),
        line("stored as", &checkpoint.quantization),
    ];
    if let Some(reach) = &checkpoint.reach {
        lines.push(line("context", &reads(reach)));
    }
    if let Some(need) = need {
        lines.push(line("memory", &needs(need)));
    }
    if !checkpoint.stop_ids.is_empty() {
        let ids = checkpoint.stop_ids.iter().map(ToString::to_string).collect::<Vec<_>>();
        lines.push(line("stop ids", &ids.join(", ")));
    }
    lines.extend(checkpoint.skipped.iter().map(|skipped| line("not read", &skips(skipped))));
    if !checkpoint.code.is_empty() {
        lines.push(line("never run", &checkpoint.code.join(", ")));
    }
    lines.extend(pedigree.as_ref().map(|pedigree| line("trained", &trained(pedigree))));
    lines
}

fn trained(Pedigree { target, data, steps, of, at_start, at_best, .. }: &Pedigree) -> String {
    let tau = |value: &Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
    let (start, best) = (tau(at_start), tau(at_best));
    format!("here for {target}, on {data}; {steps} of {of} steps; {start} → {best} tokens a round on held-out answers")
}

fn drafts_at_most(Drafts { limit, usual, .. }: Drafts) -> String {
    let most = format!("drafts at most {limit} tokens a round");
    if usual < limit { format!("{most}, and {usual} unless told") } else { most }
}

fn reads(reach: &Reach) -> String {
    let Reach { most, bytes_per_token, window, bytes_per_position } = reach;
    let (token, position) = (size(*bytes_per_token), size(*bytes_per_position));
    format!("{most} tokens at most; {token} each, and {position} for each of the newest {window}")
}

fn needs(need: &Need) -> String {
    let mut parts = vec![
        format!("{} weights", size(need.weights)),
        format!("{} caches", size(need.caches)),
        format!("{} to work in", size(need.working)),
    ];
    if need.drafter > 0 {
        parts.insert(2, format!("{} drafter", size(need.drafter)));
    }
    format!("{} for {} tokens: {}", size(need.total()), need.context, parts.join(", "))
}

fn skips(Skipped { what, tensors, bytes }: &Skipped) -> String {
    format!("{what}: {tensors} {}, {}", if *tensors == 1 { "tensor" } else { "tensors" }, size(*bytes))
}

fn line(name: &str, value: &str) -> String {
    format!("{name:<12}{value}")
}

#[cfg(test)]
mod tests {
    use super::{needs, reads, skips};
    use app::{Need, Reach, Skipped};

    #[test]
    fn figures_say_what_they_are() {
        let need =
            Need { context: 8192, weights: 6_700_000_000, caches: 900_000_000, drafter: 0, working: 400_000_000 };
        assert_eq!(needs(&need), "8.00 GB for 8192 tokens: 6.70 GB weights, 900 MB caches, 400 MB to work in");
        let with = Need { drafter: 1_000_000_000, ..need };
        assert_eq!(
            needs(&with),
            "9.00 GB for 8192 tokens: 6.70 GB weights, 900 MB caches, 1.00 GB drafter, 400 MB to work in"
        );
        let reach = Reach { most: 262_144, bytes_per_token: 16_384, window: 1024, bytes_per_position: 327_680 };
        assert_eq!(reads(&reach), "262144 tokens at most; 16.4 kB each, and 328 kB for each of the newest 1024");
        let skipped = Skipped { what: "the vision tower", tensors: 1, bytes: 1000 };
        assert_eq!(skips(&skipped), "the vision tower: 1 tensor, 1.00 kB");
    }
}
