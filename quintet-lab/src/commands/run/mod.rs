//! `quintet run`: runs firmware, prints its output, and exits with its code.

mod embedded_test;
mod gdb;
mod riscv;

use super::options::{MAX_CYCLES, MachineOptions};
use crate::coverage::{Recorder, gathered};
use crate::debug::Place;
use crate::exit::{self, Outcome};
use crate::firmware::Firmware;
use crate::log::Record;
use crate::main_stack::Overflow;
use crate::output;
use crate::report::death::{Cause, PostMortem};
use crate::report::first_fault::{self, FirstFault};
use crate::report::panic;
use crate::report::polling::{self, Wait};
use crate::report::process_fault::Teller;
use crate::report::stuck;
use crate::report::thread::{overflow_advice, whereabouts};
use crate::report::waiting::started_advice;
use crate::simulation::{Advance, Simulation, Sink};
use quintet_sim::machine::Machine;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The most bytes of output that are kept for an object of JSON, which is printed at the end.
const KEPT_MAX: u64 = 64 << 20;

const EXAMPLES: &str = "\
Examples:
  quintet run app                              until it ends, or for 1 000 000 000 cycles
  quintet run app --board stm32f100 --max-cycles 0
  quintet run firmware.hex                     Intel HEX, S-record or UF2
  quintet run firmware.bin --load 0x08000000 --board stm32f100
  quintet run app --also boot.elf              with a bootloader, which starts first
  quintet run app -- one two                   a semihosting command line
  quintet run app --stdin data.txt             what it reads by semihosting or RTT
  quintet run app --inputs buttons.toml        press buttons, send bytes
  quintet run app --for 5s                     5 simulated seconds, which is a good end
  quintet run app --pins                       and each change of a pin, as of a LED
  quintet run app --svd chip.svd               with names of registers and fields in reports
  quintet run app --gdb                        wait for GDB: target remote :3333
  quintet run app --json                       output, end, registers as one object

What firmware prints by semihosting, UART, ITM and RTT is shown, messages of defmt
decoded, with level and place (debug = 2 in its profile).

As a runner of cargo, in .cargo/config.toml:

  [target.thumbv7m-none-eabi]
  runner = \"quintet run --board lm3s6965\"

With QUINTET_COVERAGE=DIRECTORY in the environment, each run or test leaves there a
file for quintet coverage --merge DIRECTORY.

With the runner, `cargo run` runs firmware, and `cargo test` runs tests written with the
crate embedded-test, each in a fresh machine; --list, --exact, --ignored,
--include-ignored, --skip and names work as usual. Behind the ELF, options that
quintet does not know belong to the firmware, as does everything behind --.";

/// Run firmware: print what it prints, exit with its code
#[derive(clap::Args, Debug)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", exit::HELP))]
pub struct Arguments {
    /// The firmware: ELF, Intel HEX, S-record or UF2, or a raw image with --load
    elf: PathBuf,
    /// Wait for GDB on PORT (3333 when none is named, 0: any free one), which then runs the
    /// firmware, without limits
    #[arg(
        long, value_name = "PORT", num_args = 0..=1, require_equals = true,
        default_missing_value = "3333", conflicts_with = "json"
    )]
    gdb: Option<u16>,
    /// End after so much simulated time, with the exit code 0, as firmware for a board that never
    /// ends by itself: 5s, 500ms, 250us. (Tests of embedded-test end by their own timeouts)
    #[arg(
        long = "for", value_name = "TIME", value_parser = parse_time, conflicts_with = "gdb"
    )]
    time: Option<Microseconds>,
    /// Write which lines were executed, as a file of this directory: of each test, if the firmware
    /// has tests. `quintet coverage --merge` adds these files up
    #[arg(long, env = "QUINTET_COVERAGE", value_name = "DIRECTORY")]
    coverage: Option<PathBuf>,
    /// Arguments of the firmware, which it reads by semihosting
    #[arg(last = true, value_name = "ARGUMENTS")]
    firmware_arguments: Vec<String>,
    /// Print each change of a pin too: the time, the pin, its new level
    #[arg(long, conflicts_with = "gdb", conflicts_with = "json")]
    pins: bool,
    /// Print one JSON object at the end instead of the firmware's output
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineOptions,
}

#[derive(Serialize)]
struct Report {
    file: String,
    also: Vec<String>,
    board: String,
    outcome: &'static str,
    exit_code: Option<u32>,
    vector_table: TableReport,
    cycles: u64,
    instructions: u64,
    output: BTreeMap<String, String>,
    /// After how many bytes the output was cut.
    output_cut: Option<u64>,
    /// How often each pin changed.
    pin_changes: BTreeMap<String, u64>,
    log: Vec<Record>,
    log_dropped: u64,
    remarks: Vec<String>,
    post_mortem: Option<PostMortem>,
    ended_in: Option<String>,
    panic_called_from: Option<Place>,
    /// The fault in whose handler firmware has ended by itself.
    first_fault: Option<FirstFault>,
    /// The variables that the main stack overwrote; null if the stack has stayed above its end.
    main_stack: Option<Overflow>,
    /// The register that firmware polls which ran on to the end that was asked for; null where it
    /// polls none, or where the post-mortem tells.
    waits_for: Option<Wait>,
    advice: Option<String>,
}

/// The vector table from which the processor started.
#[derive(Serialize)]
struct TableReport {
    address: u32,
    found: String,
}

/// The remarks about an end.
#[derive(Default)]
pub struct Remarks {
    /// The code of firmware that ended by itself.
    exit_code: Option<u32>,
    /// Of firmware that died.
    post_mortem: Option<PostMortem>,
    /// The thread that ran, if firmware with threads ended by itself with a code other than 0.
    ended_in: Option<String>,
    /// The firmware's own line that led to a panic in other code.
    panic_called_from: Option<Place>,
    /// Of firmware that ended by itself, but not with 0, in the handler of a fault: that fault.
    first_fault: Option<FirstFault>,
    /// The overflow of the main stack, however the firmware ended.
    main_stack: Option<Overflow>,
    /// The advice for an overflow.
    advice: Option<String>,
    /// Of firmware that ran on to the end that was asked for: the register that it polls.
    waits_for: Option<Wait>,
    /// Of firmware that ran on and printed nothing: what its pins did.
    silence: Option<String>,
}

impl Arguments {
    /// Runs the firmware.
    pub fn run(&self) -> anyhow::Result<Outcome> {
        if let Some(firmware) = riscv::find(self)? {
            return riscv::run(self, &firmware);
        }
        let firmware = self.machine.open(&self.elf)?;
        if let Some(port) = self.gdb {
            return gdb::serve(&firmware, &self.machine, &self.command_line(&firmware), port);
        }
        if let Some(tests) = embedded_test::Tests::find(&firmware, &self.machine)? {
            let (options, directory) = (&self.machine, self.coverage.as_deref());
            let how = embedded_test::How { options, directory, json: self.json };
            return tests.run(&firmware, &how, &self.firmware_arguments);
        }
        let sink = if self.json { Sink::Keep(BTreeMap::new()) } else { Sink::Print };
        let (mut machine, end) = self.with_end()?;
        if self.json && machine.max_output == 0 {
            machine.max_output = KEPT_MAX;
        }
        let mut simulation = Simulation::<Machine>::new(&firmware, &machine, sink)?;
        simulation.machine.set_command_line(&self.command_line(&firmware));
        simulation.watch_pins(self.pins);
        let advance = advance(&firmware, &mut simulation, None, self.coverage.as_deref())?;
        let (outcome, mut remarks) = match &advance {
            Advance::Ended(Cause::CycleLimit(limit))
                if Some(*limit) == end && !is_in_fault(&simulation.machine) =>
            {
                time_is_over(&firmware, &simulation)
            }
            advance => remarks(&firmware, &simulation, advance),
        };
        if remarks.advice.is_none() {
            remarks.advice = started_advice(&simulation.machine);
        }
        if self.json {
            self.print_json(&firmware, simulation, (outcome, remarks))?;
            return Ok(outcome);
        }
        let is_silent = !self.pins && !simulation.has_printed;
        let is_told = match outcome {
            Outcome::Limit | Outcome::Asleep => true,
            // An end that was asked for, and a good one.
            Outcome::Done => simulation.pins.have_changed(),
            _ => false,
        };
        if is_silent && is_told {
            remarks.silence = Some(simulation.pins.silence());
        }
        remarks.say(outcome);
        Ok(outcome)
    }

    /// Returns the options, and the cycle at which the time of `--for` is over, unless another
    /// limit comes first.
    fn with_end(&self) -> anyhow::Result<(MachineOptions, Option<u64>)> {
        let mut machine = self.machine.clone();
        let Some(Microseconds(time)) = self.time else { return Ok((machine, None)) };
        let end = machine.board()?.cycles_of(time).max(1);
        let is_first = [0, MAX_CYCLES].contains(&machine.max_cycles) || end <= machine.max_cycles;
        if is_first {
            machine.max_cycles = end;
        }
        Ok((machine, is_first.then_some(end)))
    }

    /// Returns the program's name and its arguments, as a debugger passes them.
    fn command_line(&self, firmware: &Firmware) -> String {
        let mut words = vec![quoted(&firmware.path.display().to_string())];
        words.extend(self.firmware_arguments.iter().map(|argument| quoted(argument)));
        words.join(" ")
    }

    fn print_json(
        &self,
        firmware: &Firmware,
        simulation: Simulation<'_>,
        (outcome, remarks): (Outcome, Remarks),
    ) -> anyhow::Result<()> {
        let table = simulation.machine.found_table();
        output::print_json(&Report {
            file: firmware.path.display().to_string(),
            also: self.machine.also.clone(),
            vector_table: TableReport { address: table.address, found: table.found.to_string() },
            board: self.machine.board.clone(),
            outcome: outcome.word(),
            exit_code: remarks.exit_code,
            cycles: simulation.machine.cycle(),
            instructions: simulation.machine.instructions(),
            output_cut: simulation.log.cut(),
            pin_changes: simulation.pins.into_counts(),
            log: simulation.log.records,
            log_dropped: simulation.log.dropped,
            remarks: simulation.log.remarks,
            output: simulation.sink.into_texts(),
            post_mortem: remarks.post_mortem,
            ended_in: remarks.ended_in,
            panic_called_from: remarks.panic_called_from,
            first_fault: remarks.first_fault,
            main_stack: remarks.main_stack,
            waits_for: remarks.waits_for,
            advice: remarks.advice,
        })
    }
}

/// Runs to the end. With a directory, writes there what was executed, by the test if there is one.
fn advance(
    firmware: &Firmware,
    simulation: &mut Simulation<'_>,
    test: Option<&str>,
    directory: Option<&Path>,
) -> anyhow::Result<Advance> {
    let Some(directory) = directory else { return advance_telling(firmware, simulation) };
    let mut recorder = Recorder::default();
    let end = simulation.advance_stepwise(|machine, from| recorder.look(machine, from))?;
    let mut coverage = recorder.coverage(&simulation.machine, firmware, false);
    coverage.is_partial = simulation.is_cut();
    // What ended the run is told, although nothing can be written.
    gathered::store(directory, firmware, test, &coverage).inspect_err(|_| {
        simulation.tell_death(&end);
    })?;
    Ok(end)
}

/// Runs to the end, and tells the faults of processes.
fn advance_telling(
    firmware: &Firmware,
    simulation: &mut Simulation<'_>,
) -> anyhow::Result<Advance> {
    let mut teller = Teller::new(firmware);
    loop {
        let advance = simulation.advance(&teller.addresses)?;
        if !matches!(advance, Advance::Reached(_)) {
            return Ok(advance);
        }
        simulation.log.remarks.extend(teller.tell(firmware, &simulation.machine));
    }
}

impl Remarks {
    /// Says them on standard error.
    fn say(self, outcome: Outcome) {
        self.texts(outcome).iter().for_each(|text| output::complain(text));
    }

    /// The texts for people, one for each thing that is said.
    pub fn texts(self, outcome: Outcome) -> Vec<String> {
        let mut texts = Vec::new();
        if let Some(report) = self.post_mortem {
            texts.push(report.text().trim_end().to_owned());
        } else if let Some(stack) = &self.main_stack {
            texts.push(stack.text());
        }
        if let (Some(place), Outcome::Firmware(code)) = (self.ended_in, outcome) {
            texts.push(format!("ended with code {code} {place}"));
        }
        if let Some(fault) = self.first_fault {
            texts.push(format!("it ended in the handler of a fault {}", fault.text()));
        }
        if let Some(place) = self.panic_called_from {
            texts.push(format!("the panic was called from {}", place.text()));
        }
        texts.extend(self.advice);
        texts.extend(self.silence);
        texts
    }
}

/// Returns how the firmware ended, with remarks.
pub fn remarks(
    firmware: &Firmware,
    simulation: &Simulation<'_>,
    end: &Advance,
) -> (Outcome, Remarks) {
    let machine = &simulation.machine;
    let main_stack = Overflow::find(firmware, machine);
    match end {
        // The firmware may have ended well by chance only.
        Advance::Exit(0) => {
            let is_harmful = main_stack.as_ref().is_some_and(|stack| stack.is_harmful);
            let outcome = if is_harmful { Outcome::Died } else { Outcome::Firmware(0) };
            let advice = main_stack.as_ref().map(Overflow::advice);
            let exit_code = Some(0);
            (outcome, Remarks { exit_code, main_stack, advice, ..Remarks::default() })
        }
        // The panic handler has printed the message, but neither the place nor advice.
        Advance::Exit(code) => {
            let ended_in = whereabouts(&firmware.image, machine);
            let advice = main_stack.as_ref().map(Overflow::advice);
            let advice = advice.or_else(|| overflow_advice(&firmware.image, machine));
            let panic_called_from = panic::caller(firmware, machine);
            let first_fault = fault_handled(firmware, machine);
            let remarks = Remarks {
                exit_code: Some(*code),
                post_mortem: None,
                ended_in,
                panic_called_from,
                first_fault,
                main_stack,
                advice,
                waits_for: None,
                silence: None,
            };
            (Outcome::Firmware(*code), remarks)
        }
        Advance::Reached(_) => (Outcome::Done, Remarks::default()),
        Advance::Ended(cause) => {
            let post_mortem = Some(simulation.examine(cause));
            (cause.outcome(), Remarks { post_mortem, main_stack, ..Remarks::default() })
        }
    }
}

/// Returns `true` if the handler of a fault runs: nobody has handled the fault.
pub(crate) fn is_in_fault(machine: &Machine) -> bool {
    let history = first_fault::relevant(machine, false);
    history.is_some_and(|it| it.first.handler == Some(machine.processor.registers.ipsr))
}

/// The end that `--for` asks for. As at any other end, the main stack may have gone below its end,
/// and a driver may wait for what never comes.
fn time_is_over(firmware: &Firmware, simulation: &Simulation<'_>) -> (Outcome, Remarks) {
    let main_stack = Overflow::find(firmware, &simulation.machine);
    let is_harmful = main_stack.as_ref().is_some_and(|stack| stack.is_harmful);
    let outcome = if is_harmful { Outcome::Died } else { Outcome::Done };
    let advice = main_stack.as_ref().map(Overflow::advice);
    let waits_for = polling::find(firmware, &simulation.machine);
    let stuck = || stuck::advice(firmware, &simulation.machine, waits_for.as_ref());
    let advice = advice.or_else(stuck);
    (outcome, Remarks { main_stack, advice, waits_for, ..Remarks::default() })
}

/// A simulated time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Microseconds(u64);

/// A time as people write it: `5s`, `500ms`, `250us`.
fn parse_time(text: &str) -> Result<Microseconds, String> {
    let units = [("us", 1), ("ms", 1000), ("s", 1_000_000)];
    let of_unit = |(unit, scale): (&str, u64)| {
        let number = text.strip_suffix(unit)?.replace('_', "");
        number.parse::<u64>().ok()?.checked_mul(scale)
    };
    match units.into_iter().find_map(of_unit) {
        Some(0) => Err("0 leaves nothing to run: write 5s, 500ms or 250us".into()),
        Some(time) => Ok(Microseconds(time)),
        None => Err(format!("\"{text}\" is no time: write 5s, 500ms or 250us")),
    }
}

/// The fault that is being handled, where one is.
fn fault_handled(firmware: &Firmware, machine: &Machine) -> Option<FirstFault> {
    let history = first_fault::relevant(machine, false)?;
    is_in_fault(machine).then(|| FirstFault::of(firmware, machine, &history.first))
}

/// An argument as C libraries take the command line apart: at spaces that no quotes enclose.
fn quoted(argument: &str) -> String {
    let spaced = argument.is_empty() || argument.contains(char::is_whitespace);
    match (spaced, argument.contains('"')) {
        (false, _) => argument.to_owned(),
        (true, false) => format!("\"{argument}\""),
        (true, true) => format!("'{argument}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Microseconds, parse_time, quoted};

    #[test]
    fn times_have_a_unit() {
        for (text, time) in [("5s", 5_000_000), ("500ms", 500_000), ("1_000us", 1000)] {
            assert_eq!(parse_time(text), Ok(Microseconds(time)));
        }
        let none = "\"5\" is no time: write 5s, 500ms or 250us";
        assert_eq!(parse_time("5").unwrap_err(), none);
        assert!(parse_time("0s").unwrap_err().starts_with("0 leaves nothing to run"));
        assert!(parse_time("99999999999999999s").is_err());
    }

    #[test]
    fn arguments_with_spaces_are_quoted() {
        let line = ["one", "two words", "", "say \"no\" now"].map(quoted).join(" ");
        assert_eq!(line, "one \"two words\" \"\" 'say \"no\" now'");
    }
}
