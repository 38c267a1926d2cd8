//! `quintet inject`: takes an interrupt before every executed instruction of chosen code.

use super::options::{MachineOptions, parse_count, parse_positive};
use crate::ctrl_c;
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::firmware::code::Code;
use crate::inject::campaign::{Amount, Campaign};
use crate::inject::check::{Check, Problem};
use crate::inject::moment::Injection;
use crate::inject::prepared::Prepared;
use crate::inject::report::Parts;
use crate::inject::riscv as of_riscv;
use crate::inject::scenario::Scenario;
use crate::inject::windows::{WindowText, Windows};
use crate::output;
use crate::point::Point;
use crate::report::death::examine;
use crate::simulated::{Simulated, family};
use anyhow::{Context, bail};
use quintet_sim::cores::Family;
use quintet_sim::riscv::machine::Machine as RiscV;
use std::path::{Path, PathBuf};
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  quintet inject app --from begin --to finish      every instruction executed between two marks
  quintet inject app --code quintet::              of these functions, inlined or not
  quintet inject app --from main --to finish --code src/queue.rs --exception SysTick
  quintet inject app --code queue:: --exception UART0 --exception irq7 --max-mask 24
  quintet inject app --code queue:: --pairs 100000 --sample 5000 --seed 1
  quintet inject --scenario campaign.toml --pairs all --json
  quintet inject app --code queue:: --only 1234:SysTick,1260:irq7     one run again

The firmware must end with exit code 0 by semihosting, undisturbed and however it is interrupted:
let each handler count itself, and compare the counts with what came of them. Besides the exit code
the tool compares with the undisturbed run: what is printed, PRIMASK, BASEPRI and FAULTMASK, both
stack pointers, what is pending, active and enabled. A run that does not end in time has lost a
wake-up. --exception takes SysTick, PendSV, NMI, an interrupt (irq5, 5), the name of a handler, or
all: every enabled interrupt whose handler is not the default one.

Exit codes: 0 all runs are right, 1 some are not, 120 the campaign makes no sense (the message says
why), 130 interrupted by Ctrl-C, whatever was found: it is printed.";

/// Take an interrupt before every executed instruction and check that nothing is lost
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The firmware's ELF file; may be left out when the scenario names it
    #[arg(required_unless_present = "scenario")]
    elf: Option<PathBuf>,
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    amount: AmountOptions,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineOptions,
}

/// The campaign, by a file or by options.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Campaign")]
struct What {
    /// A TOML file that describes the campaign; instead of the other options here
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "from", "to", "code", "exceptions", "pair_code", "limit", "max_mask", "without",
        "ignore_output", "ignore_line",
    ])]
    scenario: Option<PathBuf>,
    /// Interrupt what executes from here (a symbol, symbol+offset, or an address as 0x1a4)
    #[arg(long, value_name = "PLACE", requires = "to", value_parser = Point::parse)]
    from: Option<Point>,
    /// to here; an interrupt before the instruction here is the last
    #[arg(long, value_name = "PLACE", requires = "from", value_parser = Point::parse)]
    to: Option<Point>,
    /// Interrupt only this code: a path (queue::), a function, a source file, A..B; repeatable
    #[arg(long, value_name = "CODE")]
    code: Vec<String>,
    /// Pend this exception; repeatable; all when none is named
    #[arg(long = "exception", value_name = "NAME")]
    exceptions: Vec<String>,
    /// Second injections only in this code; everywhere in the window when none is named
    #[arg(long, value_name = "CODE")]
    pair_code: Vec<String>,
    /// Cycles in which a run must end; twice the undisturbed run and 100 000 unless given
    #[arg(long, value_name = "CYCLES", value_parser = parse_positive)]
    limit: Option<u64>,
    /// The longest time that a run may mask interrupts, in cycles
    #[arg(long, value_name = "CYCLES", value_parser = parse_count)]
    max_mask: Option<u64>,
    /// Leave out a check; repeatable
    #[arg(long, value_name = "CHECK", value_enum)]
    without: Vec<Check>,
    /// The output on this channel may differ (stderr, uart0, itm0); repeatable
    #[arg(long, value_name = "CHANNEL")]
    ignore_output: Vec<String>,
    /// Lines of output that contain this may differ; repeatable
    #[arg(long, value_name = "TEXT")]
    ignore_line: Vec<String>,
}

/// The amount of the campaign's runs.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Amount")]
struct AmountOptions {
    /// Also a second injection behind each first, N such pairs evenly chosen; or all
    #[arg(long, value_name = "N|all", default_value = "0", value_parser = parse_pairs)]
    pairs: Pairs,
    /// Second injections before at most the next N instructions of the window
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    pair_distance: Option<u64>,
    /// Only N single injections, chosen at random but the same every time
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    sample: Option<u64>,
    /// Choose others
    #[arg(long, value_name = "S", value_parser = parse_count, default_value_t = 0)]
    seed: u64,
    /// Make one run with these injections and show what happens
    #[arg(
        long, value_name = "CYCLE:EXCEPTION,..", value_delimiter = ',',
        conflicts_with_all = ["sample", "pair_distance"]
    )]
    only: Vec<Injection>,
    /// Threads; all cores when not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
}

/// The number of pairs; `None` for all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Pairs(Option<u64>);

fn parse_pairs(text: &str) -> Result<Pairs, String> {
    if text == "all" { Ok(Pairs(None)) } else { parse_count(text).map(|count| Pairs(Some(count))) }
}

impl Arguments {
    /// Runs the campaign.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        let started = Instant::now();
        let scenario = self.what.scenario()?;
        let machine_options = self.machine_options(&scenario);
        let Some(elf) = self.elf.as_ref().or(scenario.image.as_ref()) else {
            bail!("which firmware? Name its ELF file, or the scenario's `image`");
        };
        if family(&machine_options, elf)? == Family::RiscV {
            return self.of_riscv(&scenario, &machine_options, elf);
        }
        let Some(prepared) = Prepared::new(&scenario, &machine_options, elf)? else {
            ctrl_c::cut("the undisturbed run, before the first injection");
            return Ok(Outcome::Interrupted);
        };
        let campaign = prepared.campaign();
        let parts = Parts {
            firmware: &prepared.firmware,
            board: &prepared.board,
            windows: scenario.windows.iter().map(WindowText::describe).collect(),
            undisturbed: &prepared.undisturbed,
            command: &self.command(&machine_options, elf),
            seconds: 0.0,
            jobs: self.amount.jobs(),
        };
        if self.amount.only.is_empty() {
            self.make(&campaign, parts, started)
        } else {
            self.replay(&prepared.firmware, &campaign, &parts)
        }
    }

    /// The campaign on a RISC-V core.
    fn of_riscv(
        &self,
        scenario: &Scenario,
        options: &MachineOptions,
        elf: &Path,
    ) -> anyhow::Result<Outcome> {
        let refused = [
            (scenario.max_mask.is_some(), "--max-mask"),
            (!scenario.without.is_empty(), "--without"),
            (!self.amount.only.is_empty(), "--only"),
        ];
        if let Some((_, option)) = refused.iter().find(|(is_asked, _)| *is_asked) {
            bail!(
                "{option} is not there yet for a RISC-V core: windows, code, exceptions, pairs, \
                 limits, samples and output to ignore are, as options or in a scenario; leave \
                 {option} out"
            );
        }
        let firmware = <RiscV as Simulated>::open(options, elf)?;
        let is_whole = scenario.windows.iter().all(|window| *window == WindowText::default());
        let windows = match is_whole {
            true => None,
            false => Some(Windows::find(&firmware, &scenario.windows)?),
        };
        let pair_windows = match scenario.pair_code.as_slice() {
            [] => None,
            code => Some(Windows::of_code(Code::find(&firmware, code).context("--pair-code")?)),
        };
        let AmountOptions { pairs: Pairs(most), pair_distance: distance, .. } = self.amount;
        let pairs = of_riscv::Pairs { most, distance, windows: pair_windows };
        let question = of_riscv::Question {
            firmware: &firmware,
            windows,
            lines: of_riscv::lines(&scenario.exception_names())?,
            limit: scenario.limit,
            sample: self.amount.sample,
            seed: self.amount.seed,
            ignored: &scenario.ignore_output,
            ignored_lines: &scenario.ignore_line,
            pairs: (most != Some(0)).then_some(pairs),
            cycles_max: options.cycle_limit(),
        };
        let report = question.answer(&RiscV::started(options, &firmware)?)?;
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.text())?;
        }
        if !report.complete {
            ctrl_c::cut("the campaign");
        }
        Ok(match (report.is_clean(), report.complete) {
            (false, _) => Outcome::Failed,
            (true, false) => Outcome::Interrupted,
            (true, true) => Outcome::Done,
        })
    }

    /// The whole campaign.
    fn make(
        &self,
        campaign: &Campaign<'_>,
        parts: Parts<'_>,
        started: Instant,
    ) -> anyhow::Result<Outcome> {
        let (singles, pairs) = campaign.run(&self.amount.amount());
        let complete = !ctrl_c::is_pressed();
        if !complete {
            ctrl_c::cut("the campaign");
        }
        let parts = Parts { seconds: started.elapsed().as_secs_f64(), ..parts };
        let report = parts.report(&singles, pairs.as_ref(), complete);
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.text())?;
        }
        Ok(match (report.is_clean(), complete) {
            (false, _) => Outcome::Failed,
            (true, false) => Outcome::Interrupted,
            (true, true) => Outcome::Done,
        })
    }

    /// The options, with the scenario's settings of the machine.
    fn machine_options(&self, scenario: &Scenario) -> MachineOptions {
        let mut options = self.machine.clone();
        if let Some(board) = &scenario.board {
            options.board.clone_from(board);
        }
        if scenario.inputs.is_some() {
            options.inputs.clone_from(&scenario.inputs);
        }
        options
    }

    /// `--only`: one run, with everything that the tool knows about it.
    fn replay(
        &self,
        firmware: &Firmware,
        campaign: &Campaign<'_>,
        parts: &Parts<'_>,
    ) -> anyhow::Result<Outcome> {
        let (failure, walker) = campaign.replay(&self.amount.only);
        if let Some(injection) = self.amount.only.get(failure.struck.len()) {
            let exception = failure.struck.len() + 1;
            bail!(
                "no instruction begins at {} in this run (injection {exception}), or it ends \
                 before; the firmware must be the same as when it was found",
                injection.moment
            );
        }
        let is_cut = ctrl_c::is_pressed();
        if is_cut {
            ctrl_c::cut("the run");
        }
        let report = parts.failure(&failure);
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.text())?;
            output::print(match (failure.problems.is_empty(), is_cut) {
                (true, false) => "Clean\n",
                (true, true) => "Interrupted\n",
                (false, _) => "FAILED\n",
            })?;
        }
        if failure.problems.is_empty() {
            return Ok(Outcome::Done);
        }
        if !self.json {
            for cause in failure.problems.iter().filter_map(Problem::cause) {
                output::complain(examine(firmware, &walker.machine, &cause).text().trim_end());
            }
        }
        Ok(Outcome::Failed)
    }

    /// Returns this command, for a shell, without the options that choose runs.
    fn command(&self, machine: &MachineOptions, elf: &std::path::Path) -> String {
        let mut words = vec!["quintet".to_owned(), "inject".to_owned()];
        let mut option = |name: &str, value: &str| {
            words.push(format!("--{name}"));
            words.push(quoted(value));
        };
        let path = |path: &PathBuf| path.display().to_string();
        if let Some(file) = &self.what.scenario {
            option("scenario", &path(file));
        }
        self.what.each(&mut option);
        let base = &self.machine;
        if machine.board == base.board && base.board != "lm3s6965" {
            option("board", &base.board);
        }
        if let (true, Some(file)) = (machine.inputs == base.inputs, &base.inputs) {
            option("inputs", &path(file));
        }
        if let Some(file) = &base.stdin {
            option("stdin", &path(file));
        }
        if let Some(address) = base.load {
            option("load", &format!("{address:#x}"));
        }
        base.also.iter().for_each(|file| option("also", file));
        base.process.iter().for_each(|file| option("process", &path(file)));
        if let Some(address) = base.vector_table {
            option("vector-table", &format!("{address:#x}"));
        }
        words.insert(2, quoted(&elf.display().to_string()));
        words.join(" ")
    }
}

impl What {
    fn scenario(&self) -> anyhow::Result<Scenario> {
        if let Some(file) = &self.scenario {
            return Scenario::from_file(file);
        }
        let place = |point: &Option<Point>| {
            point.as_ref().map(|point| point.place().map(str::to_owned)).transpose()
        };
        Ok(Scenario {
            windows: vec![WindowText {
                from: place(&self.from).context("--from")?,
                to: place(&self.to).context("--to")?,
                code: self.code.clone(),
            }],
            pair_code: self.pair_code.clone(),
            limit: self.limit,
            max_mask: self.max_mask,
            without: self.without.clone(),
            ignore_output: self.ignore_output.clone(),
            ignore_line: self.ignore_line.clone(),
            ..Scenario::of_exceptions(&self.exceptions)
        })
    }

    /// Passes every given option to `option`. Options that only choose places are left out if
    /// `--only` makes them idle, except the windows, which are checked.
    fn each(&self, option: &mut impl FnMut(&str, &str)) {
        let number = |value: Option<u64>| value.map(|value| value.to_string());
        let without: Vec<String> = self
            .without
            .iter()
            .filter_map(clap::ValueEnum::to_possible_value)
            .map(|value| value.get_name().to_owned())
            .collect();
        let ones = [
            ("from", self.from.as_ref().map(Point::text)),
            ("to", self.to.as_ref().map(Point::text)),
            ("limit", number(self.limit)),
            ("max-mask", number(self.max_mask)),
        ];
        let many = [
            ("code", &self.code),
            ("exception", &self.exceptions),
            ("without", &without),
            ("ignore-output", &self.ignore_output),
            ("ignore-line", &self.ignore_line),
        ];
        for (name, value) in ones {
            value.iter().for_each(|value| option(name, value));
        }
        for (name, values) in many {
            values.iter().for_each(|value| option(name, value));
        }
    }
}

impl AmountOptions {
    fn jobs(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(cores, usize::from)
    }

    fn amount(&self) -> Amount {
        Amount {
            sample: self.sample,
            pairs: self.pairs.0,
            pair_distance: self.pair_distance,
            seed: self.seed,
            jobs: self.jobs(),
        }
    }
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:,=@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_a_count_or_all() {
        assert_eq!(parse_pairs("all"), Ok(Pairs(None)));
        assert_eq!(parse_pairs("1_000"), Ok(Pairs(Some(1000))));
        assert!(parse_pairs("some").is_err());
    }

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("app::step+0x12"), "app::step+0x12");
        assert_eq!(quoted("two words"), "'two words'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted("<a as b>::c"), "'<a as b>::c'");
    }
}
