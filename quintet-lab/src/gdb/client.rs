//! A client of GDB's remote protocol: asks a server of OpenOCD, pyOCD, J-Link, probe-rs, QEMU or
//! this tool as GDB does.
//!
//! ```text
//!  client ── $content#sum ──> server          content with #, $ and } escaped, sum of its bytes
//!         <── + ──────────────                received; - asks for it again
//!         <── $answer#sum ────                an empty answer: the server doesn't know the packet
//!         ── + ──────────────>
//! ```
//! Each wait has an end. A server that says nothing, or nonsense, becomes an error in words.

use anyhow::{Context, bail, ensure};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// The time for a connection, and for an answer to a question.
const ANSWER_TIME: Duration = Duration::from_secs(5);

/// How often a packet is sent, or asked for, again.
const TRIES: u32 = 3;

/// No server's packet is longer.
const PACKET_MAX: usize = 1 << 16;

/// The number of the program counter among the registers.
const PC: u32 = 15;

/// No packet writes more bytes of memory: servers take packets of some hundred bytes at least.
const WRITE_MAX: usize = 128;

/// From here on is RAM, for the breakpoint unit of an ARMv7-M.
const RAM: u32 = 0x2000_0000;

/// A connection to a server, whose processor is halted.
#[derive(Debug)]
pub struct Remote {
    stream: TcpStream,
    answer_time: Duration,
    received: Vec<u8>,
    /// Where the next byte stands in `received`.
    next: usize,
    /// What the server's commands and the firmware have printed.
    pub printed: Vec<u8>,
    /// The program has ended, so that there is nothing to leave.
    pub has_ended: bool,
}

/// Why the processor is halted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// At an instruction, with this signal.
    Halted {
        /// The signal: 5 is a breakpoint.
        signal: u8,
    },
    /// The program has ended with a code.
    Ended {
        /// The code.
        code: u32,
    },
    /// The time was over. The processor was halted then.
    Timeout,
}

impl Remote {
    /// Connects to `HOST:PORT`, and makes sure that a processor is there and halted.
    pub fn connect(address: &str) -> anyhow::Result<Self> {
        Self::connect_within(address, ANSWER_TIME)
    }

    /// The same, with another time for each answer.
    pub fn connect_within(address: &str, answer_time: Duration) -> anyhow::Result<Self> {
        let form = || format!("{address} is no address: write HOST:PORT, as localhost:3333");
        let full =
            if address.starts_with(':') { format!("localhost{address}") } else { address.into() };
        let places: Vec<_> = full.to_socket_addrs().with_context(form)?.collect();
        let mut tried = None;
        let mut connect = |place| match TcpStream::connect_timeout(place, answer_time) {
            Ok(stream) => Some(stream),
            Err(error) => {
                tried = Some(error);
                None
            }
        };
        let Some(stream) = places.iter().find_map(&mut connect) else {
            let why = tried.map(|error| error.to_string()).unwrap_or_default();
            bail!(
                "no server answers at {address}: {why}; start one there, as `openocd`, \
                 `pyocd gdbserver`, `JLinkGDBServer` or `probe-rs gdb`"
            );
        };
        // Packets are small, and each waits for its answer.
        let _ = stream.set_nodelay(true);
        let (received, printed) = (Vec::new(), Vec::new());
        let mut remote = Self { stream, answer_time, received, next: 0, printed, has_ended: false };
        let hello = || format!("the server at {address} doesn't speak GDB's remote protocol");
        remote.send_bytes(b"+")?;
        remote.ask("qSupported:swbreak+;hwbreak+").with_context(hello)?;
        let state = remote.ask("?")?;
        match stop(&state) {
            Some(Stop::Halted { .. }) => Ok(remote),
            _ => bail!("the server at {address} has no halted processor: it says \"{state}\""),
        }
    }

    /// Sends a packet and returns the answer. An answer of an error is an error.
    pub fn ask(&mut self, content: &str) -> anyhow::Result<String> {
        let answer = self.exchange(content)?;
        let is_error = answer.len() == 3 && answer.starts_with('E') || answer.starts_with("E.");
        ensure!(!is_error, "the server refuses \"{content}\": error {}", &answer[1..]);
        Ok(answer)
    }

    fn exchange(&mut self, content: &str) -> anyhow::Result<String> {
        self.send(content)?;
        let end = Instant::now() + self.answer_time;
        match self.answer(end)? {
            Some(answer) => Ok(answer),
            None => bail!("the server didn't answer \"{content}\" within {:?}", self.answer_time),
        }
    }

    /// Reads bytes of memory.
    pub fn read(&mut self, address: u32, length: usize) -> anyhow::Result<Vec<u8>> {
        let answer = self.ask(&format!("m{address:x},{length:x}"))?;
        let bytes = bytes(&answer).filter(|bytes| bytes.len() == length);
        bytes.with_context(|| {
            format!("{length} bytes at {address:#010x} can't be read: \"{answer}\"")
        })
    }

    /// Reads a word.
    pub fn word(&mut self, address: u32) -> anyhow::Result<u32> {
        let bytes = self.read(address, 4)?;
        Ok(bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)))
    }

    /// Writes a word.
    pub fn write_word(&mut self, address: u32, value: u32) -> anyhow::Result<()> {
        let answer = self.ask(&format!("M{address:x},4:{}", digits(&value.to_le_bytes())))?;
        ensure!(answer == "OK", "the word at {address:#010x} can't be written: \"{answer}\"");
        Ok(())
    }

    /// Writes bytes of memory, in as many packets as it takes.
    pub fn write(&mut self, address: u32, bytes: &[u8]) -> anyhow::Result<()> {
        for (at, piece) in (address..).step_by(WRITE_MAX).zip(bytes.chunks(WRITE_MAX)) {
            let length = piece.len();
            let answer = self.ask(&format!("M{at:x},{length:x}:{}", digits(piece)))?;
            ensure!(answer == "OK", "{length} bytes at {at:#010x} can't be written: \"{answer}\"");
        }
        Ok(())
    }

    /// Reads the program counter.
    pub fn pc(&mut self) -> anyhow::Result<u32> {
        Ok(self.register(PC)? & !1)
    }

    /// Reads one of the registers R0 to R15.
    pub fn register(&mut self, number: u32) -> anyhow::Result<u32> {
        let answer = self.ask("g")?;
        let at = 8 * number as usize;
        let value = bytes(answer.get(at..at + 8).unwrap_or_default());
        let value = value.and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
        let what = if number == PC { "program counter".to_owned() } else { format!("R{number}") };
        let value = value.with_context(|| format!("no {what} is among the registers: {answer}"))?;
        Ok(u32::from_le_bytes(value))
    }

    /// Writes one of the registers R0 to R15.
    pub fn set_register(&mut self, number: u32, value: u32) -> anyhow::Result<()> {
        let packet = format!("P{number:x}={}", digits(&value.to_le_bytes()));
        let mut answer = self.ask(&packet)?;
        if answer.is_empty() {
            // QEMU knows single registers for those alone who have asked for their description.
            self.exchange("qXfer:features:read:target.xml:0,ffb")?;
            answer = self.ask(&packet)?;
        }
        ensure!(answer == "OK", "R{number} can't be written: \"{answer}\"");
        Ok(())
    }

    /// Sets a breakpoint: of the hardware where the server has those, and in RAM, which the
    /// comparators of most processors don't reach, one of software. `length` is that of the
    /// instruction.
    pub fn add_breakpoint(&mut self, address: u32, length: usize) -> anyhow::Result<Breakpoint> {
        for kind in if address < RAM { [1, 0] } else { [0, 1] } {
            let place = format!("{kind},{address:x},{length}");
            match self.ask(&format!("Z{place}"))?.as_str() {
                "OK" => return Ok(Breakpoint { place }),
                "" => continue,
                answer => bail!("no breakpoint can be set at {address:#010x}: \"{answer}\""),
            }
        }
        bail!("the server has no breakpoints (it knows neither Z1 nor Z0)")
    }

    /// Takes a breakpoint back.
    pub fn remove_breakpoint(&mut self, breakpoint: &Breakpoint) -> anyhow::Result<()> {
        self.ask(&format!("z{}", breakpoint.place)).map(drop)
    }

    /// Lets the processor run until it halts. Halts it if that takes longer than `time`.
    pub fn run(&mut self, time: Duration) -> anyhow::Result<Stop> {
        self.send("c")?;
        if let Some(stop) = self.halted(Instant::now() + time)? {
            return Ok(stop);
        }
        self.send_bytes(&[3])?;
        let Some(stop) = self.halted(Instant::now() + self.answer_time)? else {
            bail!("the processor runs, and the server doesn't halt it");
        };
        Ok(if matches!(stop, Stop::Ended { .. }) { stop } else { Stop::Timeout })
    }

    fn halted(&mut self, end: Instant) -> anyhow::Result<Option<Stop>> {
        let Some(answer) = self.answer(end)? else { return Ok(None) };
        if let Some(stop) = stop(&answer) {
            self.has_ended = matches!(stop, Stop::Ended { .. });
            return Ok(Some(stop));
        }
        ensure!(
            !answer.starts_with('F'),
            "the firmware asks GDB for a file (\"{answer}\"), which is not served: let the server \
             serve semihosting"
        );
        bail!("the server lets the processor run and answers \"{answer}\"")
    }

    /// Lets the server do a command of its own, as `monitor` of GDB does. Returns what it prints.
    pub fn monitor(&mut self, command: &str) -> anyhow::Result<String> {
        let before = self.printed.len();
        let answer = self.ask(&format!("qRcmd,{}", digits(command.as_bytes())));
        let answer = answer.with_context(|| format!("`monitor {command}`"))?;
        ensure!(!answer.is_empty(), "the server has no command `monitor {command}`");
        let mut text = self.printed.split_off(before);
        text.extend(bytes(&answer).filter(|_| answer != "OK").unwrap_or_default());
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Leaves the processor, which then runs.
    pub fn detach(&mut self) -> anyhow::Result<()> {
        self.exchange("D").map(drop)
    }

    /// Ends the program, and the session. No answer comes.
    pub fn kill(&mut self) -> anyhow::Result<()> {
        self.send_bytes(b"$k#6b")
    }

    /// Sends a packet until the server has it.
    fn send(&mut self, content: &str) -> anyhow::Result<()> {
        let sum = content.bytes().fold(0_u8, u8::wrapping_add);
        let packet = format!("${content}#{sum:02x}");
        let end = Instant::now() + self.answer_time;
        for _ in 0..TRIES {
            self.send_bytes(packet.as_bytes())?;
            loop {
                match self.byte(end)? {
                    Some(b'+') => return Ok(()),
                    Some(b'-') => break,
                    // The rest of something that nobody has waited for.
                    Some(_) => {}
                    None => {
                        bail!("the server didn't take \"{content}\" within {:?}", self.answer_time)
                    }
                }
            }
        }
        bail!("the server says {TRIES} times that \"{content}\" came damaged")
    }

    /// Waits for a packet that is no output. Returns `None` when the time is over.
    fn answer(&mut self, end: Instant) -> anyhow::Result<Option<String>> {
        loop {
            let Some(content) = self.packet(end)? else { return Ok(None) };
            // OK is an answer, and O with digits is output.
            match content.strip_prefix('O').filter(|rest| *rest != "K").and_then(bytes) {
                Some(output) => self.printed.extend(output),
                None => return Ok(Some(content)),
            }
        }
    }

    fn packet(&mut self, end: Instant) -> anyhow::Result<Option<String>> {
        for _ in 0..TRIES {
            loop {
                match self.byte(end)? {
                    Some(b'$') => break,
                    Some(_) => {}
                    None => return Ok(None),
                }
            }
            let mut content = Vec::new();
            let mut sum = 0_u8;
            loop {
                let Some(byte) = self.byte(end)? else { return Ok(None) };
                if byte == b'#' {
                    break;
                }
                ensure!(content.len() < PACKET_MAX, "the server's packet has no end");
                sum = sum.wrapping_add(byte);
                content.push(byte);
            }
            let (Some(high), Some(low)) = (self.byte(end)?, self.byte(end)?) else {
                return Ok(None);
            };
            let told =
                std::str::from_utf8(&[high, low]).ok().map(|text| u8::from_str_radix(text, 16));
            if told == Some(Ok(sum)) {
                self.send_bytes(b"+")?;
                return Ok(Some(String::from_utf8_lossy(&expanded(&content)).into_owned()));
            }
            self.send_bytes(b"-")?;
        }
        bail!("the server's answer came damaged {TRIES} times: its checksum is wrong")
    }

    /// Sends to the server. The error is in words alone: a pipe that broke would be taken for the
    /// reader of standard output.
    fn send_bytes(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.stream
            .write_all(bytes)
            .map_err(|error| anyhow::anyhow!("the server has gone: {error}"))
    }

    /// Returns the next byte, or `None` when the time is over.
    fn byte(&mut self, end: Instant) -> anyhow::Result<Option<u8>> {
        if let Some(byte) = self.received.get(self.next) {
            self.next += 1;
            return Ok(Some(*byte));
        }
        let rest = end.saturating_duration_since(Instant::now());
        if rest.is_zero() {
            return Ok(None);
        }
        self.stream.set_read_timeout(Some(rest))?;
        self.received.resize(PACKET_MAX, 0);
        self.next = 0;
        let count = match self.stream.read(&mut self.received) {
            Ok(0) => bail!("the server has closed the connection"),
            Ok(count) => count,
            Err(error) if is_timeout(error.kind()) => 0,
            Err(error) => bail!("the server has gone: {error}"),
        };
        self.received.truncate(count);
        if count == 0 {
            return Ok(None);
        }
        self.next = 1;
        Ok(self.received.first().copied())
    }
}

/// A breakpoint that was set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breakpoint {
    place: String,
}

const fn is_timeout(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// The meaning of an answer to `?` and `c`; `None` if it is no such answer.
fn stop(answer: &str) -> Option<Stop> {
    let number = |digits: &str| u32::from_str_radix(digits, 16).ok();
    let pair = |from: usize| answer.get(from..from + 2).and_then(number);
    match answer.bytes().next()? {
        b'T' | b'S' => Some(Stop::Halted { signal: pair(1)? as u8 }),
        b'W' | b'X' => Some(Stop::Ended { code: pair(1)? }),
        _ => None,
    }
}

/// Bytes as hexadecimal digits.
fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of hexadecimal digits.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).ok().filter(|text| text.len() == 2)?;
        u8::from_str_radix(text, 16).ok()
    };
    pairs.map(byte).collect()
}

/// The content without escapes (`}`) and repetitions (`*`).
fn expanded(content: &[u8]) -> Vec<u8> {
    let mut whole: Vec<u8> = Vec::new();
    let mut all = content.iter();
    while let Some(byte) = all.next() {
        match (byte, whole.last()) {
            (b'}', _) => whole.extend(all.next().map(|escaped| escaped ^ 0x20)),
            (b'*', Some(last)) => {
                let count = all.next().map_or(0, |count| usize::from(count.saturating_sub(29)));
                let last = *last;
                whole.extend(std::iter::repeat_n(last, count));
            }
            (byte, _) => whole.push(*byte),
        }
    }
    whole
}

#[cfg(test)]
mod tests;
