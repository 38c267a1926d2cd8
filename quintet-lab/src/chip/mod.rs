//! A chip that is measured from outside, by any server of GDB's remote protocol.
//!
//! ```text
//!  reach(from) ── breakpoint, run, halt ──> read_counter ─┐
//!  reach(to)   ── breakpoint, run, halt ──> read_counter ─┴─ between: the cycles
//! ```
//! The breakpoint at the place where the chip stands is taken back before it runs, because servers
//! differ in how they leave a breakpoint. [`simulated`] puts the simulator behind the same client,
//! so that a column of a chip and one of the simulator are made in one way.

pub mod counter;
pub mod simulated;
mod store;

use crate::firmware::Firmware;
use crate::firmware::code::bytes_at;
use crate::gdb::client::{Breakpoint, Remote, Stop};
use crate::output;
use anyhow::{Context, bail, ensure};
use counter::Counter;
use std::collections::BTreeSet;
use std::time::Duration;

/// The first halfword of an instruction of four bytes, or larger.
const WIDE: u16 = 0xe800;

/// The register with the processor's number.
const CPUID: u32 = 0xe000_ed00;

/// The processors of [`CPUID`]'s part numbers.
const PROCESSORS: [(u32, &str); 9] = [
    (0xc20, "Cortex-M0"),
    (0xc21, "Cortex-M1"),
    (0xc60, "Cortex-M0+"),
    (0xc23, "Cortex-M3"),
    (0xc24, "Cortex-M4"),
    (0xc27, "Cortex-M7"),
    (0xd20, "Cortex-M23"),
    (0xd21, "Cortex-M33"),
    (0xd22, "Cortex-M55"),
];

/// What halting does to a count. The simulator's column has the effects of the pipeline as well.
pub const EFFECTS: [&str; 3] = [
    "the pipeline is empty at the start and drained at the end, so the count is some cycles more \
     than that of a run without halts",
    "interrupts that became pending while the chip was halted come at the start, and count: timers \
     may run on while the chip is halted",
    "buffers and caches of the flash are as the debugger left them",
];

/// How a chip is reached.
#[derive(clap::Args, Clone, Debug)]
pub struct Options {
    /// Measure a chip as well: by the server for GDB at this address, that of OpenOCD, pyOCD,
    /// J-Link or probe-rs, with breakpoints at both places and the chip's cycle counter
    #[arg(long, value_name = "HOST:PORT")]
    pub gdb_remote: Option<String>,
    /// Let the server do a command of its own before, as "reset halt". May be given several times
    #[arg(long, value_name = "COMMAND", requires = "gdb_remote")]
    pub monitor: Vec<String>,
    /// What counts on the chip
    #[arg(
        long, value_name = "COUNTER", value_enum, default_value_t = Counter::Cyccnt,
        requires = "gdb_remote"
    )]
    pub counter: Counter,
    /// So many seconds of real time may pass until the chip comes to a place
    #[arg(
        long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "10",
        requires = "gdb_remote"
    )]
    pub timeout: f64,
}

/// Seconds that a command may wait.
fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=86_400.0).contains(seconds));
    seconds.ok_or_else(|| format!("\"{text}\" is no time to wait: write seconds, 0.001 to 86400"))
}

impl Options {
    /// How long the chip may take to a place.
    pub fn time(&self) -> Duration {
        Duration::from_secs_f64(self.timeout)
    }

    /// Refuses a measurement that begins anew for each row without a command for that.
    pub fn check_reset(&self) -> anyhow::Result<()> {
        ensure!(
            !self.monitor.is_empty(),
            "each row begins at a reset: name the command by which the server resets and halts the \
             chip, as --monitor \"reset halt\" (OpenOCD, pyOCD), --monitor reset (J-Link, `quintet \
             run --gdb`) or --monitor system_reset (QEMU)"
        );
        Ok(())
    }
}

/// Where a run of the chip has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reached {
    /// At one of the places.
    Place(u32),
    /// The firmware has ended with a code.
    Ended(u32),
    /// The time was over, and the chip was here.
    Late(u32),
    /// It halted elsewhere by itself.
    Elsewhere(u32),
}

/// A halted chip.
#[derive(Debug)]
pub struct Chip {
    /// The server.
    pub remote: Remote,
    counter: Counter,
    time: Duration,
    set: Vec<Breakpoint>,
    is_counting: bool,
    is_prepared: bool,
}

impl Chip {
    /// The chip of a server.
    pub const fn new(remote: Remote, counter: Counter, time: Duration) -> Self {
        Self { remote, counter, time, set: Vec::new(), is_counting: false, is_prepared: false }
    }

    /// Lets the server do commands of its own, which may reset the chip.
    pub fn prepare(&mut self, commands: &[String]) -> anyhow::Result<()> {
        self.clear()?;
        for command in commands {
            let said = self.remote.monitor(command)?;
            // What a server says at each reset is the same.
            if !self.is_prepared {
                output::print_error_bytes(said.as_bytes());
            }
        }
        (self.is_prepared, self.is_counting) = (true, false);
        Ok(())
    }

    /// Lets the chip run to one of some places. It must not stand at one of them.
    pub fn reach(&mut self, places: &[u32]) -> anyhow::Result<Reached> {
        self.clear()?;
        let places: BTreeSet<u32> = places.iter().copied().collect();
        for place in &places {
            let bytes = self.remote.read(*place, 2)?;
            let first = bytes.iter().rev().fold(0, |half, byte| half << 8 | u16::from(*byte));
            let length = if first < WIDE { 2 } else { 4 };
            self.set.push(self.remote.add_breakpoint(*place, length)?);
        }
        let stop = self.remote.run(self.time)?;
        if let Stop::Ended { code } = stop {
            return Ok(Reached::Ended(code));
        }
        let pc = self.remote.pc()?;
        Ok(match stop {
            _ if places.contains(&pc) => Reached::Place(pc),
            Stop::Timeout => Reached::Late(pc),
            _ => Reached::Elsewhere(pc),
        })
    }

    /// Reads the counter. The first time it is started: what the firmware does with a counter is
    /// known where it has come so far.
    pub fn read_counter(&mut self) -> anyhow::Result<u32> {
        if !self.is_counting {
            self.clear()?;
            self.counter.start(&mut self.remote)?;
            self.is_counting = true;
        }
        self.counter.read(&mut self.remote)
    }

    /// Returns the cycles between two readings.
    pub const fn between(&self, began: u32, ended: u32) -> u64 {
        self.counter.between(began, ended)
    }

    /// How long the chip may take to a place.
    pub const fn time(&self) -> Duration {
        self.time
    }

    /// Takes the breakpoints back.
    pub fn clear(&mut self) -> anyhow::Result<()> {
        let set = std::mem::take(&mut self.set);
        if self.remote.has_ended {
            return Ok(());
        }
        set.iter().try_for_each(|breakpoint| self.remote.remove_breakpoint(breakpoint))
    }

    /// Leaves the chip, which runs on, whatever the result is, and says what has been printed.
    pub fn leave<T>(mut self, measured: anyhow::Result<T>) -> anyhow::Result<T> {
        let cleared = self.clear();
        output::print_error_bytes(&std::mem::take(&mut self.remote.printed));
        let left = if self.remote.has_ended { Ok(()) } else { self.remote.detach() };
        // The error before is the one to tell.
        let measured = measured?;
        cleared?;
        if let Err(error) = left {
            output::complain(&format!("the chip may stay halted: {}", output::in_words(&error)));
        }
        Ok(measured)
    }

    /// Writes a word of a device. Where what a debugger writes to devices has no effect, the
    /// processor stores it.
    pub fn write_device(&mut self, address: u32, value: u32) -> anyhow::Result<()> {
        self.clear()?;
        store::device(&mut self.remote, address, value)
    }

    /// The processor's name and revision.
    pub fn processor(&mut self) -> anyhow::Result<String> {
        let number = self.remote.word(CPUID)?;
        let part = number >> 4 & 0xfff;
        let (variant, revision) = (number >> 20 & 15, number & 15);
        let name = PROCESSORS.iter().find(|(known, _)| *known == part);
        let name = name.map_or("a processor that is not known here", |(_, name)| name);
        Ok(format!("{name} r{variant}p{revision} (CPUID {number:#010x})"))
    }
}

/// Refuses a chip that has other code at a place than the file.
pub fn check_code(
    remote: &mut Remote,
    firmware: &Firmware,
    (name, address): (&str, u32),
) -> anyhow::Result<()> {
    let Some(wanted) = bytes_at::<4>(&firmware.image, address) else {
        bail!("{name} ({address:#x}) is in no code of the firmware");
    };
    let there = remote.read(address, wanted.len()).context("the chip's code can't be compared")?;
    ensure!(
        there == wanted,
        "the chip has other code at {name} ({address:#x}) than {}: program the chip with this file \
         first",
        firmware.path.display()
    );
    Ok(())
}

/// Says why the chip didn't come to a place. A halt elsewhere is an error.
pub fn why(
    reached: Reached,
    place: &str,
    time: Duration,
    describe: &dyn Fn(u32) -> String,
) -> anyhow::Result<String> {
    let here = |pc: u32| format!("{pc:#010x} ({})", describe(pc));
    Ok(match reached {
        Reached::Place(pc) => format!("the chip came to {}", here(pc)),
        Reached::Ended(code) => format!("the firmware ended with code {code}"),
        Reached::Late(pc) => {
            let here = here(pc);
            format!("the chip didn't come to {place} within {time:?}, and was at {here}")
        }
        Reached::Elsewhere(pc) => bail!(
            "the chip halted at {} on the way to {place}: at a BKPT, a fault, or for semihosting, \
             which the server must serve (OpenOCD: --monitor 'arm semihosting enable')",
            here(pc)
        ),
    })
}
