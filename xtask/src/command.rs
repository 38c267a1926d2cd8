//! The command line of `cargo xtask`.

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::{book, chips, dependencies, figures, hals, new, package, pages, rtl, tidy, web};

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
    Chips(chips::Arguments),
    Dependencies(dependencies::Arguments),
    Figures(figures::Arguments),
    Hals(hals::Arguments),
    New(new::Arguments),
    Package(package::Arguments),
    Pages(pages::Arguments),
    Tidy(tidy::Arguments),
    Rtl(rtl::Arguments),
    Web(web::Arguments),
}

impl Command {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        match self {
            Self::Book(arguments) => arguments.run(),
            Self::Chips(arguments) => arguments.run(),
            Self::Dependencies(arguments) => arguments.run(),
            Self::Figures(arguments) => arguments.run(),
            Self::Hals(arguments) => arguments.run(),
            Self::New(arguments) => arguments.run(),
            Self::Package(arguments) => arguments.run(),
            Self::Pages(arguments) => arguments.run(),
            Self::Tidy(arguments) => arguments.run(),
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
