//! Programs that a machine must bring along, because no package manager is known to have the right ones.

use std::process::Command;

use crate::{problem::Problem, process::succeeds};

/// A program, how to see that it works, and how to get it.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) proof: &'static [&'static str],
    pub(super) remedy: &'static str,
}

impl Program {
    fn is_missing(&self) -> bool {
        let Some((program, arguments)) = self.proof.split_first() else { return false };
        !succeeds(Command::new(program).args(arguments))
    }
}

/// Names all that is missing at once, so that nobody has to come back for the next one.
pub(super) fn require(programs: &[Program]) -> Result<(), Problem> {
    let missing: Vec<_> = programs.iter().filter(|program| program.is_missing()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let remedies: Vec<_> = missing.iter().map(|program| format!("  {}: {}", program.name, program.remedy)).collect();
    Err(Problem::new(format!("this machine lacks the following, then try again:\n{}", remedies.join("\n"))))
}
