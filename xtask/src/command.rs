//! The command line of `cargo xtask`.

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::{
    book, bounds, campaign, charts, cross, dependencies, emulate, figures, hals, hostile, masks,
    mutants, new, package, pages, random_bounds, random_code, rtl, specification, tidy, web,
};

/// Checks of the project's own tree
#[derive(Parser, Debug)]
#[command(name = "xtask", bin_name = "cargo xtask")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Subcommand, Debug)]
#[expect(missing_docs, reason = "the documentation of each is its arguments'")]
pub enum Command {
    Book(book::Arguments),
    Bounds(bounds::Arguments),
    Campaign(campaign::Arguments),
    Charts(charts::Arguments),
    Cross(cross::command::Arguments),
    CrossRiscv(cross::riscv::Arguments),
    Dependencies(dependencies::Arguments),
    Emulate(emulate::Arguments),
    Figures(figures::Arguments),
    Hals(hals::Arguments),
    Hostile(hostile::Arguments),
    Masks(masks::Arguments),
    Mutants(mutants::Arguments),
    New(new::Arguments),
    Package(package::Arguments),
    Pages(pages::Arguments),
    Specification(specification::Arguments),
    Tidy(tidy::Arguments),
    RandomBounds(random_bounds::Arguments),
    RandomCode(random_code::Arguments),
    Rtl(rtl::Arguments),
    Web(web::Arguments),
}

impl Command {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        match self {
            Self::Book(arguments) => arguments.run(),
            Self::Bounds(arguments) => arguments.run(),
            Self::Campaign(arguments) => arguments.run(),
            Self::Charts(arguments) => arguments.run(),
            Self::Cross(arguments) => arguments.run(),
            Self::CrossRiscv(arguments) => arguments.run(),
            Self::Dependencies(arguments) => arguments.run(),
            Self::Emulate(arguments) => arguments.run(),
            Self::Figures(arguments) => arguments.run(),
            Self::Hals(arguments) => arguments.run(),
            Self::Hostile(arguments) => arguments.run(),
            Self::Masks(arguments) => arguments.run(),
            Self::Mutants(arguments) => arguments.run(),
            Self::New(arguments) => arguments.run(),
            Self::Package(arguments) => arguments.run(),
            Self::Pages(arguments) => arguments.run(),
            Self::Specification(arguments) => arguments.run(),
            Self::Tidy(arguments) => arguments.run(),
            Self::RandomBounds(arguments) => arguments.run(),
            Self::RandomCode(arguments) => arguments.run(),
            Self::Rtl(arguments) => arguments.run(),
            Self::Web(arguments) => arguments.run(),
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
