//! The command line of `cargo proof`.

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::{
    bounds, campaign, charts, cross, emulate, hostile, masks, mutants, random_bounds, random_code,
    specification,
};

/// What proves Quintet
#[derive(Parser, Debug)]
#[command(name = "proof", bin_name = "cargo proof")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Subcommand, Debug)]
#[expect(missing_docs, reason = "the documentation of each is its arguments'")]
pub enum Command {
    Bounds(bounds::Arguments),
    Campaign(campaign::Arguments),
    Charts(charts::Arguments),
    Cross(cross::command::Arguments),
    CrossRiscv(cross::riscv::Arguments),
    Emulate(emulate::Arguments),
    Hostile(hostile::Arguments),
    Masks(masks::Arguments),
    Mutants(mutants::Arguments),
    Specification(specification::Arguments),
    RandomBounds(random_bounds::Arguments),
    RandomCode(random_code::Arguments),
}

impl Command {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        match self {
            Self::Bounds(arguments) => arguments.run(),
            Self::Campaign(arguments) => arguments.run(),
            Self::Charts(arguments) => arguments.run(),
            Self::Cross(arguments) => arguments.run(),
            Self::CrossRiscv(arguments) => arguments.run(),
            Self::Emulate(arguments) => arguments.run(),
            Self::Hostile(arguments) => arguments.run(),
            Self::Masks(arguments) => arguments.run(),
            Self::Mutants(arguments) => arguments.run(),
            Self::Specification(arguments) => arguments.run(),
            Self::RandomBounds(arguments) => arguments.run(),
            Self::RandomCode(arguments) => arguments.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
