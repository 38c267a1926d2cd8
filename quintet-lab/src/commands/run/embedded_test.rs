//! Tests written with the crate `embedded-test`: found in the ELF file, each run in a fresh
//! machine.
//!
//! A [table] in the file lists the tests, or the program itself does when [asked](told). The target
//! asks for its command line by semihosting, gets the command of a test, and ends by semihosting:
//! code 0 is success.

mod table;
mod told;

use crate::commands::options::MachineOptions;
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::input;
use crate::main_stack::Overflow;
use crate::output;
use crate::report::death::Cause;
use crate::simulation::{Advance, Simulation, Sink};
use anyhow::Context;
use clap::Parser;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use table::Table;

/// The seconds of simulated time that a test without a limit of its own may take.
const TIMEOUT_SECONDS: u64 = 60;

/// The result of a test that Ctrl-C has cut. Those behind it don't run.
const CUT: &str = "interrupted";

/// How tests are run.
pub struct How<'a> {
    /// The machine.
    pub options: &'a MachineOptions,
    /// Where to write which lines each test has executed.
    pub directory: Option<&'a Path>,
    /// Print JSON.
    pub json: bool,
}

/// The tests of a test binary.
pub struct Tests {
    tests: Vec<Test>,
}

#[derive(Clone)]
struct Test {
    name: String,
    /// The command line that runs the test.
    command: String,
    ignored: bool,
    should_panic: bool,
    timeout: u64,
}

/// A test in JSON.
#[derive(Deserialize)]
struct Declaration {
    name: String,
    #[serde(default)]
    ignored: bool,
    #[serde(default)]
    should_panic: bool,
    timeout: Option<u64>,
}

impl Declaration {
    /// The test, by its whole name and the command that runs it.
    fn test(self, name: String, command: String) -> Test {
        Test {
            name,
            command,
            ignored: self.ignored,
            should_panic: self.should_panic,
            timeout: self.timeout.unwrap_or(TIMEOUT_SECONDS),
        }
    }
}

/// The arguments that cargo and editors pass to a test binary.
#[derive(Parser, Debug, Default)]
#[command(no_binary_name = true, disable_help_flag = true, name = "the tests' arguments")]
struct Selection {
    filters: Vec<String>,
    #[arg(long)]
    exact: bool,
    #[arg(long)]
    ignored: bool,
    #[arg(long)]
    include_ignored: bool,
    #[arg(long)]
    skip: Vec<String>,
    #[arg(long)]
    list: bool,
    #[arg(long, short)]
    quiet: bool,
    // The following change nothing here: tests run one after the other, output of failures is
    // shown.
    #[arg(long)]
    nocapture: bool,
    #[arg(long)]
    no_capture: bool,
    #[arg(long)]
    show_output: bool,
    #[arg(long)]
    test: bool,
    #[arg(long)]
    test_threads: Option<usize>,
    #[arg(long)]
    format: Option<String>,
    #[arg(long)]
    color: Option<String>,
    #[arg(short = 'Z')]
    unstable: Vec<String>,
}

#[derive(Serialize)]
struct TestReport {
    name: String,
    result: &'static str,
    cycles: u64,
    instructions: u64,
    output: BTreeMap<String, String>,
    message: Option<String>,
}

impl Tests {
    /// Finds the tests of firmware; `None` if it is not a test binary of this kind.
    pub fn find(firmware: &Firmware, options: &MachineOptions) -> anyhow::Result<Option<Self>> {
        let path = firmware.path.display();
        let bytes = input::firmware(&firmware.path)?;
        let damaged = || format!("the tests of {path} cannot be run");
        let mut tests = match table::read(&bytes).with_context(damaged)? {
            None => return Ok(None),
            Some(Table::Tests(tests)) => tests,
            Some(Table::AskProgram) => told::ask(firmware, options).with_context(damaged)?,
        };
        tests.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(Some(Self { tests }))
    }

    /// Runs the selected tests, or lists them.
    pub fn run(
        &self,
        firmware: &Firmware,
        how: &How<'_>,
        arguments: &[String],
    ) -> anyhow::Result<Outcome> {
        let json = how.json;
        let selection = Selection::try_parse_from(arguments)
            .map_err(|error| anyhow::anyhow!("{}", error.to_string().trim_end()))?;
        let selected: Vec<&Test> =
            self.tests.iter().filter(|test| selection.selects(test)).collect();
        if selection.list {
            return list(&selected, &selection, json);
        }
        let mut reports = Vec::new();
        if !json {
            output::print(&format!("\nrunning {} tests\n", selected.len()))?;
        }
        for test in selected {
            let report = if test.ignored && !selection.ignored && !selection.include_ignored {
                TestReport::ignored(test)
            } else {
                test.run(firmware, how)?
            };
            if !json {
                output::print(&format!("test {} ... {}\n", report.name, report.result))?;
            }
            let is_cut = report.result == CUT;
            reports.push(report);
            if is_cut {
                break;
            }
        }
        let failed = reports.iter().filter(|report| report.result == "FAILED").count();
        if json {
            output::print_json(&reports)?;
        } else {
            summarise(&reports, self.tests.len())?;
        }
        // 101 is what cargo expects of a test binary that failed.
        Ok(if failed > 0 { Outcome::Firmware(101) } else { Outcome::Done })
    }
}

impl Selection {
    fn selects(&self, test: &Test) -> bool {
        let matches = |pattern: &String| {
            if self.exact { test.name == *pattern } else { test.name.contains(pattern.as_str()) }
        };
        (self.filters.is_empty() || self.filters.iter().any(matches))
            && !self.skip.iter().any(matches)
            && (test.ignored || !self.ignored)
    }
}

fn list(tests: &[&Test], selection: &Selection, json: bool) -> anyhow::Result<Outcome> {
    if json {
        output::print_json(&tests.iter().map(|test| &test.name).collect::<Vec<_>>())?;
        return Ok(Outcome::Done);
    }
    for test in tests {
        output::print(&format!("{}: test\n", test.name))?;
    }
    if selection.format.as_deref() != Some("terse") {
        output::print(&format!("\n{} tests, 0 benchmarks\n", tests.len()))?;
    }
    Ok(Outcome::Done)
}

impl Test {
    /// Runs the test in a fresh machine.
    fn run(&self, firmware: &Firmware, how: &How<'_>) -> anyhow::Result<TestReport> {
        let sink = Sink::Keep(BTreeMap::new());
        let mut options = how.options.clone();
        let clock = options.board()?.clock_hz;
        let timeout = self.timeout.saturating_mul(clock).max(1);
        options.max_cycles = options.cycle_limit().map_or(timeout, |limit| limit.min(timeout));
        let mut simulation =
            Simulation::<quintet_sim::machine::Machine>::new(firmware, &options, sink)?;
        simulation.machine.set_command_line(&self.command);
        let advance = super::advance(firmware, &mut simulation, Some(&self.name), how.directory)?;
        let mut panicked = false;
        let (failed, message) = match &advance {
            Advance::Exit(0) => (false, None),
            Advance::Exit(code) => {
                (true, Some(format!("the firmware ended with code {code}: a panic, or an Err\n")))
            }
            Advance::Reached(_) => (true, None),
            Advance::Ended(cause) => {
                let mut report = simulation.examine(cause);
                panicked = report.is_panic;
                if *cause == Cause::CycleLimit(timeout) {
                    report.advice = vec![self.timeout_advice()];
                }
                (true, Some(report.text()))
            }
        };
        // A panic ends by exit, or in a trap. Firmware that dies in another way has not panicked.
        let ended = matches!(advance, Advance::Exit(_)) || panicked;
        // If the main stack was written over variables, no end means anything.
        let overflow = Overflow::find(firmware, &simulation.machine);
        let overflow = overflow.filter(|stack| ended && stack.is_harmful);
        let success = if self.should_panic { failed && ended } else { !failed };
        let success = success && overflow.is_none();
        let unexpected = !success && self.should_panic && ended;
        let message =
            if unexpected { Some("the test did not panic as expected\n".into()) } else { message };
        let message = overflow.map(|stack| format!("{}\n", stack.text())).or(message);
        Ok(TestReport {
            name: self.title(),
            result: match (simulation.is_cut(), success) {
                (true, _) => CUT,
                (false, true) => "ok",
                (false, false) => "FAILED",
            },
            cycles: simulation.machine.cycle(),
            instructions: simulation.machine.instructions(),
            output: simulation.sink.into_texts(),
            message,
        })
    }

    fn timeout_advice(&self) -> String {
        format!(
            "that is the test's timeout of {} s at the board's clock; #[timeout(SECONDS)] above \
             the test changes it, else the backtrace shows where it loops",
            self.timeout
        )
    }

    fn title(&self) -> String {
        let suffix = if self.should_panic { " - should panic" } else { "" };
        format!("{}{suffix}", self.name)
    }
}

impl TestReport {
    fn ignored(test: &Test) -> Self {
        Self {
            name: test.title(),
            result: "ignored",
            cycles: 0,
            instructions: 0,
            output: BTreeMap::new(),
            message: None,
        }
    }
}

/// The failures with their output, and the counts.
fn summarise(reports: &[TestReport], total: usize) -> anyhow::Result<()> {
    let count = |result| reports.iter().filter(|report| report.result == result).count();
    let failed = count("FAILED");
    let mut text = String::new();
    if failed > 0 {
        text.push_str("\nfailures:\n");
    }
    for report in reports.iter().filter(|report| report.result == "FAILED") {
        text.push_str(&format!("\n---- {} ----\n", report.name));
        for output in report.output.values() {
            text.push_str(output.trim_end());
            text.push('\n');
        }
        if let Some(message) = &report.message {
            text.push_str(message);
        }
    }
    let verdict = if failed == 0 { "ok" } else { "FAILED" };
    text.push_str(&format!(
        "\ntest result: {verdict}. {} passed; {failed} failed; {} ignored; 0 measured; {} filtered \
         out\n\n",
        count("ok"),
        count("ignored"),
        total - reports.len()
    ));
    output::print(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(name: &str, ignored: bool) -> Test {
        Test {
            name: name.into(),
            command: "run_addr 1".into(),
            ignored,
            should_panic: false,
            timeout: 1,
        }
    }

    fn select(arguments: &[&str]) -> Selection {
        Selection::try_parse_from(arguments).unwrap()
    }

    #[test]
    fn tests_are_selected_as_by_libtest() {
        let (add, sub) = (test("math::add", false), test("math::sub", true));
        assert!(select(&[]).selects(&add) && select(&[]).selects(&sub));
        assert!(select(&["add"]).selects(&add) && !select(&["add"]).selects(&sub));
        assert!(!select(&["--exact", "add"]).selects(&add));
        assert!(select(&["--exact", "math::add"]).selects(&add));
        assert!(!select(&["--skip", "math"]).selects(&add));
        assert!(!select(&["--ignored"]).selects(&add) && select(&["--ignored"]).selects(&sub));
        assert!(select(&["--nocapture", "--test-threads=1", "-Zunstable-options"]).selects(&add));
        assert!(Selection::try_parse_from(["--bogus"]).is_err());
    }
}
