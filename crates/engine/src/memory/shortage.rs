//! Too little memory: what is needed, what is there, and what would help.

use std::fmt;

use super::{Need, Room, size};

/// Why models are not loaded unless the user insists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortage {
    /// What the answer needs.
    pub need: Need,
    /// Answers that are made together.
    pub at_once: usize,
    /// What may be taken.
    pub room: Room,
    /// The most tokens of prompt and answer together that would fit, if any would.
    pub context: Option<usize>,
    /// Whether it would fit without the drafter.
    pub without_drafter: bool,
    /// Whether the target's numbers could be packed in half as many bits.
    pub fewer_bits: bool,
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { need, room, at_once, .. } = self;
        let Room { machine, held, reserve } = room;
        write!(f, "this needs {} of memory: ", size(need.total()))?;
        write!(f, "{} for weights, {} for {} tokens", size(need.weights), size(need.caches), need.context)?;
        if *at_once > 1 {
            write!(f, " of each of {at_once} answers")?;
        }
        if need.drafter > 0 {
            write!(f, ", {} for the drafter", size(need.drafter))?;
        }
        write!(f, " and {} to work in; {} can be had, as ", size(need.working), size(room.bytes()))?;
        write!(f, "{} of this machine's {} are available", size(machine.available), size(machine.physical))?;
        if *held > 0 {
            write!(f, ", {} are held already", size(*held))?;
        }
        write!(f, " and {} stay free for the system; {}", size(*reserve), self.help())
    }
}

impl Shortage {
    /// What would help, the least costly first.
    fn help(&self) -> String {
        let mut ways = Vec::new();
        if self.without_drafter {
            ways.push("it would fit without the drafter".to_owned());
        }
        ways.extend(self.context.map(|context| format!("{context} tokens of prompt and answer would fit")));
        if self.at_once > 1 {
            ways.push("fewer answers at once need less".to_owned());
        }
        if self.fewer_bits {
            ways.push("a checkpoint packed in fewer bits needs less".to_owned());
        }
        if ways.is_empty() {
            ways.push("a smaller target needs less".to_owned());
        }
        ways.push("or load it all the same".to_owned());
        ways.join(", ")
    }
}
