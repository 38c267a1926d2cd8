//! One run of what was dropped on the page, slice by slice.

use anyhow::Context;
use quintet_lab::commands::options;
use quintet_lab::commands::run::remarks;
use quintet_lab::exit::Outcome;
use quintet_lab::firmware::Firmware;
use quintet_lab::profile::{Profile, flame_graph};
use quintet_lab::report::death::Cause;
use quintet_lab::simulation::{Advance, Limits, Simulation, Sink, Slice, TOOL};
use quintet_lab::trace::page;
use quintet_lab::trace::units::Application;
use quintet_sim::machine::Output;
use quintet_sim::semihosting::OUTPUT_MAX;
use serde::{Deserialize, Serialize};

use crate::files::{self, File, Opened};
use crate::follower::Follower;
use crate::texts::Texts;

/// What somebody has chosen.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// A built-in board; a board among the files goes before it.
    pub board: String,
    /// After so many cycles the run ends; 0: it goes on until it is stopped.
    pub max_cycles: u64,
    /// What the firmware reads from its standard input.
    pub stdin: String,
    /// Whether the timeline is recorded.
    pub timeline: bool,
    /// Whether the profile is.
    pub profile: bool,
}

/// What has happened since the last report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Report {
    /// What was printed, in order.
    pub output: Vec<Piece>,
    /// The cycle since reset.
    pub cycle: u64,
    /// The instructions since reset.
    pub instructions: u64,
    /// Cycles a second on the board.
    pub clock_hz: u64,
    /// How the run ended; null while it goes on.
    pub end: Option<End>,
}

/// Something that was printed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Piece {
    /// `stdout`, `stderr`, `uart0`, `rtt0`, ..; `quintet` for what the tool says.
    pub channel: String,
    /// The text.
    pub text: String,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct End {
    /// `exit`, `died`, `limit`, `asleep` or `interrupted`.
    pub outcome: &'static str,
    /// Of firmware that ended by itself: its code.
    pub code: Option<u32>,
    /// What is said of it: the post-mortem, the advice.
    pub texts: Vec<String>,
}

/// A run.
pub struct Session {
    simulation: Simulation<'static>,
    firmware: &'static Firmware,
    follower: Follower,
    title: String,
    texts: Texts,
    has_ended: bool,
}

impl Session {
    /// Opens the files; nothing has run yet.
    ///
    /// The firmware stays in memory for good: a worker of the page has one session in its life.
    ///
    /// # Errors
    /// What is wrong with the files, in the words of the command `quintet run`.
    pub fn new(files: &[File], options: &Options) -> anyhow::Result<Self> {
        let Opened { firmware, facts, board, inputs } = files::open(files, &options.board)?;
        let title = format!("{} on {}", firmware.path.display(), board.name);
        let firmware: &'static Firmware = Box::leak(Box::new(firmware));
        let (mut machine, elsewhere) = options::loaded(firmware, &board, None)?;
        machine.set_output_limit(Some(OUTPUT_MAX));
        if let Some(inputs) = inputs {
            machine.set_script(inputs);
        }
        if !options.stdin.is_empty() {
            machine.set_input(options.stdin.as_bytes());
        }
        options::start(firmware, &mut machine);
        let application = options
            .timeline
            .then(|| Application::find(firmware, facts.as_deref(), &[]).with_instances())
            .map(|application| &*Box::leak(Box::new(application)));
        let follower = Follower::new(firmware, application, options.profile, &mut machine);
        let limits = Limits {
            cycles: (options.max_cycles > 0).then_some(options.max_cycles),
            instructions: None,
            output: Some(OUTPUT_MAX),
        };
        let said = elsewhere.map(|text| Output {
            channel: TOOL.to_owned(),
            bytes: format!("{text}\n").into_bytes(),
        });
        let sink = Sink::Gather(said.into_iter().collect());
        let simulation = Simulation::of(firmware, machine, limits, sink);
        Ok(Self {
            simulation,
            firmware,
            follower,
            title,
            texts: Texts::default(),
            has_ended: false,
        })
    }

    /// Goes on for a slice: some tens of milliseconds, or a few hundred where the run is followed.
    ///
    /// # Errors
    /// None that a browser can have.
    pub fn slice(&mut self) -> anyhow::Result<Report> {
        if self.has_ended {
            return Ok(self.report(None));
        }
        let advance = if self.follower.is_needed() {
            match self.simulation.follow_a_slice(&mut self.follower)? {
                Slice::Ended(advance) => Some(advance),
                Slice::Goes | Slice::Left => None,
            }
        } else {
            self.simulation.advance_a_slice(&[])?
        };
        Ok(self.report(advance))
    }

    /// Ends the run where it is, as Ctrl-C ends the command.
    pub fn stop(&mut self) -> Report {
        let advance = (!self.has_ended).then_some(Advance::Ended(Cause::Interrupted));
        self.report(advance)
    }

    fn report(&mut self, advance: Option<Advance>) -> Report {
        let end = advance.map(|advance| self.end(&advance));
        let mut output = Vec::new();
        if let Sink::Gather(pieces) = &mut self.simulation.sink {
            for Output { channel, bytes } in std::mem::take(pieces) {
                let text = self.texts.add(&channel, &bytes);
                output.push(Piece { channel, text });
            }
        }
        if end.is_some() {
            let rest = self.texts.finish().into_iter();
            output.extend(rest.map(|(channel, text)| Piece { channel, text }));
        }
        let machine = &self.simulation.machine;
        Report {
            output,
            cycle: machine.cycle(),
            instructions: machine.instructions(),
            clock_hz: machine.board().clock_hz,
            end,
        }
    }

    fn end(&mut self, advance: &Advance) -> End {
        self.has_ended = true;
        let (outcome, remarks) = remarks(self.firmware, &self.simulation, advance);
        let code = match outcome {
            Outcome::Firmware(code) => Some(code),
            _ => None,
        };
        End { outcome: outcome.word(), code, texts: remarks.texts(outcome) }
    }

    /// The timeline as a page of its own, which `quintet trace` writes too; `None` where none was
    /// asked for.
    pub fn timeline(&mut self) -> Option<String> {
        let recording = self.follower.recording(&mut self.simulation.machine)?;
        Some(page::text(recording, &self.title))
    }

    /// Where the cycles went; `None` where nobody has asked.
    pub fn profile(&self) -> Option<Profile> {
        self.follower.profile(self.firmware)
    }

    /// The same as a picture, SVG.
    ///
    /// # Errors
    /// A profile with nothing in it.
    pub fn flame_graph(&self, profile: &Profile) -> anyhow::Result<String> {
        let bytes = flame_graph(profile, &self.title)?;
        String::from_utf8(bytes).context("the flame graph is no text")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Firmware in Intel HEX for a Cortex-M3: prints "hi" and ends, or goes on for ever.
    fn firmware(name: &str, endless: bool) -> File {
        let begin: u16 = if endless { 0xe7fe } else { 0x2004 };
        // r0 and r1 are loaded, and a breakpoint asks for the service.
        let code = [begin, 0x4903, 0xbeab, 0x2018, 0x4902, 0xbeab, 0xe7fe, 0xbf00];
        let mut bytes = [0x2000_1000_u32, 9].map(u32::to_le_bytes).concat();
        bytes.extend(code.map(u16::to_le_bytes).concat());
        bytes.extend([0x20_u32, 0x2_0026].map(u32::to_le_bytes).concat());
        bytes.extend(b"hi\n\0");
        let mut record = vec![u8::try_from(bytes.len()).unwrap(), 0, 0, 0];
        record.extend(bytes);
        let sum = record.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
        record.push(sum.wrapping_neg());
        let digits: String = record.iter().map(|byte| format!("{byte:02X}")).collect();
        let text = format!(":{digits}\n:00000001FF\n");
        File { name: name.to_owned(), bytes: text.into_bytes() }
    }

    /// Firmware that ends with success.
    pub fn hello() -> File {
        firmware("hello.hex", false)
    }

    fn options() -> Options {
        Options {
            board: "lm3s6965".to_owned(),
            max_cycles: 3_000_000,
            stdin: String::new(),
            timeline: true,
            profile: true,
        }
    }

    #[test]
    fn a_run_is_reported_to_its_end_with_timeline_and_profile() {
        let mut session = Session::new(&[hello()], &options()).unwrap();
        let report = session.slice().unwrap();
        let hi = Piece { channel: "stdout".to_owned(), text: "hi\n".to_owned() };
        assert_eq!(report.output, [hi]);
        let end = End { outcome: "exit", code: Some(0), texts: Vec::new() };
        assert_eq!(report.end, Some(end));
        // Breakpoints that ask for a service are none.
        assert_eq!(report.instructions, 4);
        // The end is told once.
        assert_eq!((session.slice().unwrap().end, session.stop().end), (None, None));
        let profile = session.profile().unwrap();
        assert_eq!(profile.cycles, report.cycle);
        assert!(session.flame_graph(&profile).unwrap().contains("hello.hex on lm3s6965"));
        assert!(session.timeline().unwrap().contains("hello.hex on lm3s6965"));
    }

    #[test]
    fn a_run_goes_on_slice_by_slice_to_its_limit_or_until_it_is_stopped() {
        for is_followed in [false, true] {
            let options = Options { timeline: is_followed, profile: is_followed, ..options() };
            let endless = firmware("endless.hex", true);
            let mut session = Session::new(std::slice::from_ref(&endless), &options).unwrap();
            let mut slices = 0;
            let report = loop {
                let report = session.slice().unwrap();
                slices += 1;
                if report.end.is_some() {
                    break report;
                }
            };
            let end = report.end.unwrap();
            assert_eq!((end.outcome, end.code), ("limit", None));
            assert!(slices > 3 && report.cycle >= options.max_cycles, "{slices}");
            assert_eq!(session.timeline().is_some(), is_followed);
            assert_eq!(session.profile().is_some(), is_followed);

            let options = Options { max_cycles: 0, ..options };
            let mut session = Session::new(&[endless], &options).unwrap();
            assert_eq!(session.slice().unwrap().end, None);
            assert_eq!(session.stop().end.unwrap().outcome, "interrupted");
        }
    }
}
