//! The subcommands of `quintet`, one module each: its arguments, its help, and its work.

pub mod apps;
pub mod bench;
pub mod boards;
pub mod bounds;
pub mod chart;
pub mod completions;
pub mod coverage;
pub mod dap;
pub mod deadlines;
pub mod explain;
pub mod inject;
pub mod man;
pub mod map;
pub mod masks;
pub mod measure;
pub mod new;
pub mod options;
pub mod pack;
pub mod profile;
pub mod report;
pub mod run;
pub mod size;
pub mod stack;
pub mod test;
pub mod threads;
pub mod tour;
pub mod trace;
pub mod validate;

use crate::exit::{self, Outcome};
use clap::{Parser, Subcommand};

const OVERVIEW: &str = "\
Examples:
  quintet new blinky --chip stm32f446re    a crate that runs here and on the board
  quintet tour                             in a clone: an example of all models, and its costs
  quintet run app                          run firmware, print what it prints, exit with its code
  quintet test app tests                   tests that are files: inputs and expectations
  quintet measure app --from a --to b      cycles between two places, every time
  quintet size app                         flash, RAM and the heaviest symbols
  quintet map app                          the priority line: who runs where
  quintet chart src/door.rs -o door.svg    the state machines of a source file, or of app
  quintet stack app                        how deep the stacks get, and where
  quintet bounds app                       the most cycles and the deepest stack, from the image
  quintet threads app                      what each thread takes: time, stack, switches
  quintet trace app -o app.html            a picture of the run: who runs when, and who woke whom
  quintet deadlines app                    whether tasks meet their deadlines, and what breaks them
  quintet masks app                        how long interrupts are held off, and where
  quintet profile app --flame app.svg      where the cycles go: functions, lines, calls
  quintet coverage app --html app.html     which lines and branches were executed
  quintet report app -o app.html           all of this on one page, to compare and to mail
  quintet inject app --code queue::        interrupt it before every instruction
  quintet pack hello -o hello.tbf          an application for a process
  quintet apps list dump.bin --at 0x40000  the applications in flash; install, enable, remove
  quintet boards                           what can be simulated
  quintet explain build.log                what a failed build's messages mean
  quintet bench                            what everything costs, as tables
  quintet validate                         how far simulated cycles are from measured ones
  quintet dap                              an adapter for the debuggers of editors
  quintet completions bash                 the script with which your shell completes all this
  quintet man | man -l -                   the manual page; man FOLDER writes one a command

`app` is the ELF file that cargo or a C compiler made, such as
target/thumbv7m-none-eabi/release/app. Intel HEX, S-record and UF2 run too; they have
no symbols and no lines.
To let `cargo run` and `cargo test` use the simulator, put into .cargo/config.toml:

  [target.thumbv7m-none-eabi]
  runner = \"quintet run\"";

/// Run, time and take apart Cortex-M firmware on any computer
#[derive(Parser, Debug)]
#[command(name = "quintet", version, after_help = help())]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

fn help() -> String {
    format!("{OVERVIEW}\n\n{}", exit::HELP)
}

/// The subcommands.
#[derive(Subcommand, Debug)]
#[expect(missing_docs, reason = "the documentation of each is its arguments'")]
pub enum Command {
    New(new::Arguments),
    Run(run::Arguments),
    Test(Box<test::Arguments>),
    Measure(measure::Arguments),
    Size(size::Arguments),
    Stack(stack::Arguments),
    Bounds(Box<bounds::Arguments>),
    Map(map::Arguments),
    Chart(chart::Arguments),
    Threads(threads::Arguments),
    Trace(Box<trace::Arguments>),
    Deadlines(deadlines::Arguments),
    Masks(masks::Arguments),
    Profile(profile::Arguments),
    Coverage(coverage::Arguments),
    Report(Box<report::Arguments>),
    Inject(Box<inject::Arguments>),
    Pack(pack::Arguments),
    Apps(apps::Arguments),
    Boards(boards::Arguments),
    Explain(explain::Arguments),
    Bench(bench::Arguments),
    Validate(validate::Arguments),
    Tour(tour::Arguments),
    Dap(dap::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

impl Command {
    /// Runs the command.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        match self {
            Self::New(arguments) => arguments.run(),
            Self::Run(arguments) => arguments.run(),
            Self::Test(arguments) => arguments.run(),
            Self::Measure(arguments) => arguments.run(),
            Self::Size(arguments) => arguments.run(),
            Self::Stack(arguments) => arguments.run(),
            Self::Bounds(arguments) => arguments.run(),
            Self::Map(arguments) => arguments.run(),
            Self::Chart(arguments) => arguments.run(),
            Self::Threads(arguments) => arguments.run(),
            Self::Trace(arguments) => arguments.run(),
            Self::Deadlines(arguments) => arguments.run(),
            Self::Masks(arguments) => arguments.run(),
            Self::Profile(arguments) => arguments.run(),
            Self::Coverage(arguments) => arguments.run(),
            Self::Report(arguments) => arguments.run(),
            Self::Inject(arguments) => arguments.run(),
            Self::Pack(arguments) => arguments.run(),
            Self::Apps(arguments) => arguments.run(),
            Self::Boards(arguments) => arguments.run(),
            Self::Explain(arguments) => arguments.run(),
            Self::Bench(arguments) => arguments.run(),
            Self::Validate(arguments) => arguments.run(),
            Self::Tour(arguments) => arguments.run(),
            Self::Dap(arguments) => arguments.run(),
            Self::Completions(arguments) => arguments.run(),
            Self::Man(arguments) => arguments.run(),
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

    #[test]
    fn every_command_has_json() {
        let has_json = |command: &clap::Command| {
            command.get_arguments().any(|argument| argument.get_long() == Some("json"))
        };
        for command in Cli::command().get_subcommands() {
            // An editor speaks to this one, in JSON anyway.
            if command.get_name() == "dap" {
                continue;
            }
            let has = has_json(command) || command.get_subcommands().any(has_json);
            assert!(has, "{} has no --json", command.get_name());
        }
    }

    #[test]
    fn every_command_teaches_by_example() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Examples:"), "{} has no examples", command.get_name());
        }
    }
}
