//! The firmware's output, made readable: text as it is, defmt's frames as lines.
//!
//! The bytes come from the simulator by channel. The bytes of an RTT channel named `defmt` are
//! frames. If firmware logs by other means than RTT, the other channels may have frames too, beside
//! text.

mod frames;
mod messages;
mod prefix;
mod shape;

use crate::debug::Place;
use crate::firmware::Firmware;
use frames::{Frames, Piece};
use messages::Message;
pub use messages::{Defmt, Messages};
pub use prefix::Prefixer;
use quintet_sim::machine::{Machine, Output};
use quintet_sim::rtt::Damage;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The name of an RTT channel with frames.
const DEFMT: &str = "defmt";

/// A part of the symbols of firmware that logs by semihosting, whatever its use of RTT.
const SEMIHOSTING: &str = "defmt_semihosting";

/// The most messages that are kept as data, so that a program in a loop cannot take the computer's
/// memory.
const RECORDS_MAX: usize = 100_000;

/// The most bytes of the last text that are kept, for the message of a panic.
const TAIL_MAX: usize = 2048;

/// The beginning of a panic's message.
const PANICKED: &str = "panicked at ";

/// The beginning of the panic messages of defmt's macros.
const DEFMT_PANIC: &str = "panicked at '";

/// Why messages can't be decoded where nothing of defmt is in the file.
const NO_MESSAGES: &str = "it has neither symbols nor a section .defmt, which are the table of \
                           messages; run the file that the linker made, before it is stripped or \
                           made a raw image";

/// A message of defmt, as data.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Record {
    /// The message's channel: `rtt0`, `stdout`, ..
    pub channel: String,
    /// `trace` to `error`; null for `println!`.
    pub level: Option<&'static str>,
    /// The firmware's own time, if it has one.
    pub timestamp: Option<String>,
    /// The message's place in the source; null without debug information.
    pub location: Option<Location>,
    /// The message's text.
    pub text: String,
}

/// A message's place in the source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Location {
    /// The file.
    pub file: Option<String>,
    /// The line in the file.
    pub line: Option<u32>,
    /// The modules around the line.
    pub module: Option<String>,
}

/// The firmware's message of a panic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PanicMessage {
    /// The message's text, from "panicked at" on.
    pub text: String,
    /// The place of the log call, if it is known.
    pub location: Option<Place>,
}

/// The output of one firmware in one run.
pub struct Log<'a> {
    firmware: &'a Firmware,
    /// `true` if the messages are kept as data.
    keeps: bool,
    /// The most bytes that are given in all, if there is a limit. Few bytes of frames may be much
    /// text.
    limit: Option<u64>,
    /// The number of bytes that were given.
    given: u64,
    /// `true` if there was more.
    is_cut: bool,
    /// `true` if the simulator has cut the output, perhaps within a frame.
    is_short: bool,
    channels: BTreeMap<String, Kind>,
    /// The messages, the first `RECORDS_MAX` of them.
    pub records: Vec<Record>,
    /// The number of further messages.
    pub dropped: u64,
    /// Errors of the output, in the order in which they were noticed.
    pub remarks: Vec<String>,
    damages: usize,
    panicked: Option<PanicMessage>,
    /// The end of the last text that was no frame.
    tail: Vec<u8>,
}

/// The content of a channel.
enum Kind {
    Text,
    Frames(Frames),
    /// Frames without a decoder.
    Lost,
    /// Bytes of firmware whose frames have no decoder. The bytes may be text.
    Suspect,
}

impl<'a> Log<'a> {
    /// The output of `firmware`, cut behind `limit` bytes. Messages are also kept as data if asked
    /// for.
    pub fn new(firmware: &'a Firmware, limit: Option<u64>, keeps: bool) -> Self {
        Self {
            firmware,
            keeps,
            limit,
            given: 0,
            is_cut: false,
            is_short: false,
            channels: BTreeMap::new(),
            records: Vec::new(),
            dropped: 0,
            remarks: Vec::new(),
            damages: 0,
            panicked: None,
            tail: Vec::new(),
        }
    }

    /// Takes the firmware's output, and returns it readable.
    pub fn take(&mut self, machine: &mut Machine) -> Vec<Output> {
        let output = machine.take_output();
        let is_short = machine.output_cut().is_some();
        let rtt_name = |number| machine.rtt_name(number);
        self.take_from(output, is_short, &rtt_name, machine.rtt_damages())
    }

    /// The same, of output that somebody has taken; `is_short` if some of it was cut. `rtt_name`
    /// names the up-channels of RTT, and `damages` are those of its control block.
    pub fn take_from(
        &mut self,
        output: Vec<Output>,
        is_short: bool,
        rtt_name: &dyn Fn(u8) -> Option<String>,
        damages: &[Damage],
    ) -> Vec<Output> {
        let readable = self.read(output, rtt_name);
        let new = damages.get(self.damages..).unwrap_or_default();
        self.remarks.extend(new.iter().map(ToString::to_string));
        self.damages = damages.len();
        self.is_short = is_short;
        readable
    }

    fn read(
        &mut self,
        output: Vec<Output>,
        rtt_name: &dyn Fn(u8) -> Option<String>,
    ) -> Vec<Output> {
        let mut readable = Vec::new();
        let mut fed = BTreeSet::new();
        for Output { channel, bytes } in output {
            if !self.channels.contains_key(&channel) {
                let kind = self.kind(&channel, rtt_name);
                self.channels.insert(channel.clone(), kind);
            }
            self.feed(&channel, bytes, &mut readable);
            fed.insert(channel);
        }
        // Channels without new bytes are checked again: they may have text that looked like a
        // frame's beginning.
        let frames = |(channel, kind): (&String, &Kind)| {
            let is_quiet = matches!(kind, Kind::Frames(_)) && !fed.contains(channel);
            is_quiet.then(|| channel.clone())
        };
        let streams: Vec<String> = self.channels.iter().filter_map(frames).collect();
        for channel in streams {
            self.feed(&channel, Vec::new(), &mut readable);
        }
        readable
    }

    /// Returns the rest at the end, behind the last [`take`](Self::take).
    pub fn finish(&mut self) -> Vec<Output> {
        let mut readable = Vec::new();
        let mut channels = std::mem::take(&mut self.channels);
        for (channel, kind) in &mut channels {
            let Kind::Frames(frames) = kind else { continue };
            let malformed = std::mem::take(&mut frames.malformed);
            let pieces = frames.finish();
            self.add(channel, pieces, &mut readable);
            if malformed > 0 {
                self.remarks.push(format!(
                    "{malformed} of the defmt frames on {channel} {} damaged and left out: does \
                     something else write to the channel, or over its buffer?",
                    if malformed == 1 { "was" } else { "were" }
                ));
            }
        }
        self.channels = channels;
        readable
    }

    /// Returns the limit of output if there was more, printed or readable. The rest is lost.
    pub fn cut(&self) -> Option<u64> {
        self.limit.filter(|_| self.is_cut || self.is_short)
    }

    /// Returns how many bytes may still be given.
    fn room(&self) -> u64 {
        self.limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.given))
    }

    /// Returns the firmware's last message of a panic.
    pub fn panicked(&self) -> Option<PanicMessage> {
        if self.panicked.is_some() {
            return self.panicked.clone();
        }
        let text = String::from_utf8_lossy(&self.tail);
        let text = text.get(text.rfind(PANICKED)?..)?.trim_end().to_owned();
        Some(PanicMessage { text, location: None })
    }

    /// Returns the content of a channel that prints for the first time.
    fn kind(&mut self, channel: &str, rtt_name: &dyn Fn(u8) -> Option<String>) -> Kind {
        let number = channel.strip_prefix("rtt").and_then(|number| number.parse().ok());
        if let Some(number) = number {
            if rtt_name(number).as_deref() != Some(DEFMT) {
                return Kind::Text;
            }
            let why = match self.firmware.debug.defmt() {
                Defmt::Messages(_) => return Kind::Frames(Frames::new(true)),
                Defmt::Unusable(why) => why.clone(),
                Defmt::Absent => NO_MESSAGES.into(),
            };
            self.cannot_decode(&why);
            return Kind::Lost;
        }
        if channel == "stderr" || !self.may_log_elsewhere() {
            return Kind::Text;
        }
        match self.firmware.debug.defmt() {
            Defmt::Messages(_) => Kind::Frames(Frames::new(false)),
            Defmt::Unusable(_) => Kind::Suspect,
            Defmt::Absent => Kind::Text,
        }
    }

    /// Returns `true` if frames may come by other means than RTT.
    fn may_log_elsewhere(&self) -> bool {
        let image = &self.firmware.image;
        image.symbol("_SEGGER_RTT").is_none()
            || image.symbols.iter().any(|symbol| symbol.name.contains(SEMIHOSTING))
    }

    fn cannot_decode(&mut self, why: &str) {
        let name = self.firmware.path.display();
        self.remarks.push(format!("the defmt messages of {name} cannot be decoded: {why}"));
    }

    fn feed(&mut self, channel: &str, bytes: Vec<u8>, readable: &mut Vec<Output>) {
        if self.is_cut {
            return;
        }
        let is_binary = bytes.contains(&0);
        let room = self.room();
        let pieces = match (self.channels.get_mut(channel), self.firmware.debug.defmt()) {
            (Some(Kind::Frames(frames)), Defmt::Messages(messages)) => {
                frames.feed(messages, &bytes, room)
            }
            (Some(Kind::Lost), _) => return,
            (Some(kind @ Kind::Suspect), Defmt::Unusable(why)) if is_binary => {
                *kind = Kind::Text;
                self.cannot_decode(why);
                vec![Piece::Bytes(bytes)]
            }
            _ => vec![Piece::Bytes(bytes)],
        };
        self.add(channel, pieces, readable);
    }

    fn add(&mut self, channel: &str, pieces: Vec<Piece>, readable: &mut Vec<Output>) {
        for piece in pieces {
            if self.is_cut {
                return;
            }
            let is_message = matches!(piece, Piece::Message(_));
            let mut bytes = match piece {
                Piece::Message(message) => self.message(channel, message).into_bytes(),
                Piece::Bytes(bytes) => {
                    self.tail.extend_from_slice(&bytes);
                    self.tail.drain(..self.tail.len().saturating_sub(TAIL_MAX));
                    bytes
                }
            };
            let room = self.room();
            if bytes.len() as u64 > room {
                self.is_cut = true;
                // Half a message is useless, but half a text is not.
                bytes.truncate(if is_message { 0 } else { usize::try_from(room).unwrap_or(0) });
            }
            self.given += bytes.len() as u64;
            match readable.last_mut() {
                Some(last) if last.channel == channel => last.bytes.extend_from_slice(&bytes),
                _ if bytes.is_empty() => {}
                _ => readable.push(Output { channel: channel.to_owned(), bytes }),
            }
        }
    }

    /// Returns a message's line, and keeps the message as data.
    fn message(&mut self, channel: &str, message: Message) -> String {
        let Message { level, timestamp, text, index } = message;
        let location = self.firmware.debug.defmt_location(index);
        let mut line = String::new();
        line.extend(timestamp.iter().flat_map(|time| [time, " "]));
        if let Some(level) = level {
            line.push_str(&format!("{:5} {text}", level.to_uppercase()));
            line.extend(location.iter().map(|place| format!(" ({})", at(place))));
        } else {
            line.push_str(&text);
        }
        line.push('\n');
        // defmt's own message is the best. A second panic follows it.
        let is_said = self.panicked.as_ref().is_some_and(|said| said.text.starts_with(DEFMT_PANIC));
        if text.starts_with(PANICKED) && !is_said {
            let location = location.clone();
            self.panicked = Some(PanicMessage { text: text.clone(), location });
        }
        if line.len() as u64 > self.room() {
            return line;
        }
        if self.keeps && self.records.len() < RECORDS_MAX {
            let channel = channel.to_owned();
            let location = location.map(|Place { function: module, file, line, .. }| Location {
                file,
                line,
                module,
            });
            self.records.push(Record { channel, level, timestamp, location, text });
        } else if self.keeps {
            self.dropped += 1;
        }
        line
    }
}

/// File and line.
pub fn at(place: &Place) -> String {
    let place = Place { function: None, ..place.clone() };
    place.text()
}
