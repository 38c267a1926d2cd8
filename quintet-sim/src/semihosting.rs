//! Semihosting: the services that a program asks of its debugger with BKPT 0xAB (Arm IHI 0102 and
//! DUI 0471).
//!
//! The program puts the operation's number in R0 and its argument in R1, mostly the address of a
//! block of words; the result comes back in R0.
//!
//! The only files are the console `:tt` (opened for reading, writing or appending: standard input,
//! output, error) and `:semihosting-features`. A program reaches no other part of the computer, so
//! you can run any image safely. The clock is derived from the machine's cycle, so that every run
//! is the same.
//!
//! A service takes no time, so that printing disturbs no measurement, but the computer's work and
//! memory have bounds all the same: the first [`FREE_BYTES`] of a call are free, each byte beyond
//! them is a cycle, and of all output the first [`OUTPUT_MAX`] bytes are kept, or the number in
//! [`Host::set_output_limit`].

mod program;

pub use program::Program;
use program::{bytes, heap_and_stack, put, string, word};

/// The content of `:semihosting-features`: its magic bytes, SH_EXT_EXIT_EXTENDED and
/// SH_EXT_STDOUT_STDERR.
const FEATURES: [u8; 5] = [b'S', b'H', b'F', b'B', 0b11];

/// The number that an operation returns when it fails.
const FAILED: u32 = u32::MAX;

/// SYS_EXIT's reason for an ordinary end.
const APPLICATION_EXIT: u32 = 0x2_0026;

/// The most open files, so that a program in a loop cannot take the computer's memory.
const FILES_MAX: usize = 64;

/// The longest string or buffer that a program can pass.
const STRING_MAX: u32 = 1 << 20;

/// The longest name of a file that is looked at: all that exist are shorter.
const NAME_MAX: u32 = 256;

/// The bytes that a call moves in no time. Each further byte takes a cycle. So a program that
/// prints all the time costs the computer not much more than a program that computes.
pub const FREE_BYTES: u32 = 4096;

/// The bytes of output that are kept by default.
pub const OUTPUT_MAX: u64 = 16 << 20;

/// The operations, named as in the standard without their SYS_.
mod operation {
    pub const OPEN: u32 = 0x01;
    pub const CLOSE: u32 = 0x02;
    pub const WRITEC: u32 = 0x03;
    pub const WRITE0: u32 = 0x04;
    pub const WRITE: u32 = 0x05;
    pub const READ: u32 = 0x06;
    pub const READC: u32 = 0x07;
    pub const ISERROR: u32 = 0x08;
    pub const ISTTY: u32 = 0x09;
    pub const SEEK: u32 = 0x0a;
    pub const FLEN: u32 = 0x0c;
    pub const CLOCK: u32 = 0x10;
    pub const TIME: u32 = 0x11;
    pub const ERRNO: u32 = 0x13;
    pub const GET_CMDLINE: u32 = 0x15;
    pub const HEAPINFO: u32 = 0x16;
    pub const EXIT: u32 = 0x18;
    pub const EXIT_EXTENDED: u32 = 0x20;
    pub const ELAPSED: u32 = 0x30;
    pub const TICKFREQ: u32 = 0x31;
    /// An operation of the user's range, by which the crate embedded-test up to 0.6 lists the
    /// tests.
    pub const TEST_LIST: u32 = 0x100;
}

/// The values of SYS_ERRNO: the numbers of POSIX.
mod error {
    pub const NO_ENTRY: u32 = 2;
    pub const BAD_HANDLE: u32 = 9;
    pub const BAD_ADDRESS: u32 = 14;
    pub const INVALID: u32 = 22;
    pub const TOO_MANY_FILES: u32 = 24;
    pub const NO_SEEK: u32 = 29;
    pub const NOT_IMPLEMENTED: u32 = 38;
}

/// A channel of a program's output.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Channel {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
    /// A UART, by its number among the board's devices.
    Device(usize),
    /// A stimulus port of the ITM.
    Itm(u8),
    /// An up-channel of RTT.
    Rtt(u8),
}

/// The machine's next action after a service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Served {
    /// The program goes on.
    Continue,
    /// The program has ended.
    Exit {
        /// The program's code, 0 for success.
        code: u32,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum File {
    Input,
    Output,
    Error,
    Features { position: u32 },
}

/// The host's side: the program's open files, output and input.
#[derive(Clone, Debug)]
pub struct Host {
    files: Vec<Option<File>>,
    command_line: Vec<u8>,
    input: Vec<u8>,
    input_read: usize,
    output: Vec<(Channel, Vec<u8>)>,
    /// The most bytes of output that are kept in all.
    output_limit: Option<u64>,
    printed: u64,
    /// The bytes that the present call has moved.
    moved: u32,
    expects_tests: bool,
    tests: Option<Vec<u8>>,
    last_error: u32,
    clock_hz: u64,
}

/// The result of an operation: the value for R0, or the error.
type Answer = Result<u32, u32>;

impl Host {
    /// A host of a machine whose clock runs at `clock_hz`.
    pub fn new(clock_hz: u64) -> Self {
        Self {
            files: Vec::new(),
            command_line: Vec::new(),
            input: Vec::new(),
            input_read: 0,
            output: Vec::new(),
            output_limit: Some(OUTPUT_MAX),
            printed: 0,
            moved: 0,
            expects_tests: false,
            tests: None,
            last_error: 0,
            clock_hz,
        }
    }

    /// Sets the answer to SYS_GET_CMDLINE.
    pub fn set_command_line(&mut self, text: &str) {
        self.command_line = text.as_bytes().to_vec();
    }

    /// Sets the content of standard input.
    pub fn set_input(&mut self, bytes: &[u8]) {
        self.input = bytes.to_vec();
        self.input_read = 0;
    }

    /// Keeps this many bytes of output in all; `None` keeps all.
    pub fn set_output_limit(&mut self, bytes: Option<u64>) {
        self.output_limit = bytes;
    }

    /// Returns the limit of output if the program has printed more. The bytes beyond the limit are
    /// lost.
    pub fn output_cut(&self) -> Option<u64> {
        self.output_limit.filter(|limit| self.printed > *limit)
    }

    /// Lets the program list its tests (operation 0x100), which is refused otherwise.
    pub fn expect_tests(&mut self) {
        self.expects_tests = true;
    }

    /// Takes the tests that the program has told.
    pub fn take_tests(&mut self) -> Option<Vec<u8>> {
        self.tests.take()
    }

    /// Notes bytes that a program has printed.
    pub fn print(&mut self, channel: Channel, bytes: &[u8]) {
        let room = self.output_limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.printed));
        self.printed = self.printed.saturating_add(bytes.len() as u64);
        let kept = usize::try_from(room).unwrap_or(usize::MAX).min(bytes.len());
        let bytes = &bytes[..kept];
        match self.output.last_mut() {
            Some((last, printed)) if *last == channel => printed.extend_from_slice(bytes),
            _ if bytes.is_empty() => {}
            _ => self.output.push((channel, bytes.to_vec())),
        }
    }

    /// Takes the output since the last call, in order.
    pub fn take_output(&mut self) -> Vec<(Channel, Vec<u8>)> {
        std::mem::take(&mut self.output)
    }

    /// Serves the request in the program's registers.
    pub fn serve(&mut self, program: &mut impl Program) -> Served {
        let [operation, argument] = program.request();
        match operation {
            operation::EXIT => {
                let code = u32::from(argument != APPLICATION_EXIT);
                return Served::Exit { code };
            }
            operation::EXIT_EXTENDED => {
                let reason = word(program, argument);
                let code = match (reason, word(program, argument.wrapping_add(4))) {
                    (Ok(APPLICATION_EXIT), Ok(code)) => code,
                    _ => 1,
                };
                return Served::Exit { code };
            }
            _ => {}
        }
        self.moved = 0;
        let answer = self.answer(operation, argument, program);
        program.wait(u64::from(self.moved.saturating_sub(FREE_BYTES)));
        program.answer(answer.unwrap_or_else(|error| {
            self.last_error = error;
            FAILED
        }));
        Served::Continue
    }

    fn answer(&mut self, operation: u32, argument: u32, program: &mut impl Program) -> Answer {
        let cycle = program.cycle();
        let field = |index: u32| word(program, argument.wrapping_add(4 * index));
        match operation {
            operation::OPEN => {
                let length = field(2)?;
                if length > NAME_MAX {
                    return Err(error::NO_ENTRY);
                }
                let name = bytes(program, field(0)?, length)?;
                self.open(&name, field(1)?)
            }
            operation::CLOSE => self.close(field(0)?),
            operation::WRITEC => {
                let byte = bytes(program, argument, 1)?;
                self.print(Channel::Output, &byte);
                Ok(0)
            }
            operation::WRITE0 => {
                let text = string(program, argument)?;
                self.moved = text.len() as u32;
                self.print(Channel::Output, &text);
                Ok(0)
            }
            operation::WRITE => {
                let [handle, buffer, length] = [field(0)?, field(1)?, field(2)?];
                self.write(handle, buffer, length, program)
            }
            operation::READ => {
                let [handle, buffer, length] = [field(0)?, field(1)?, field(2)?];
                self.read(handle, buffer, length, program)
            }
            operation::READC => {
                Ok(self.read_input(1).first().map_or(FAILED, |byte| u32::from(*byte)))
            }
            // Returns 1 for error codes, which are negative.
            operation::ISERROR => Ok(u32::from((field(0)? as i32) < 0)),
            operation::ISTTY => {
                Ok(u32::from(!matches!(*self.file(field(0)?)?, File::Features { .. })))
            }
            operation::SEEK => self.seek(field(0)?, field(1)?),
            operation::FLEN => match self.file(field(0)?)? {
                File::Features { .. } => Ok(FEATURES.len() as u32),
                _ => Ok(0),
            },
            operation::CLOCK => Ok(self.time(cycle, 100)),
            operation::TIME => Ok(self.time(cycle, 1)),
            operation::ERRNO => Ok(self.last_error),
            operation::GET_CMDLINE => self.command_line_to(argument, program),
            operation::HEAPINFO => heap_and_stack(program, argument),
            operation::ELAPSED => {
                put(program, argument, &cycle.to_le_bytes())?;
                Ok(0)
            }
            operation::TICKFREQ => Ok(self.clock_hz as u32),
            operation::TEST_LIST if self.expects_tests => {
                self.tests = Some(bytes(program, field(0)?, field(1)?)?);
                Ok(0)
            }
            _ => Err(error::NOT_IMPLEMENTED),
        }
    }

    /// Returns how many intervals of `1 / per_second` have passed.
    fn time(&self, cycle: u64, per_second: u64) -> u32 {
        (u128::from(cycle) * u128::from(per_second) / u128::from(self.clock_hz.max(1))) as u32
    }

    fn file(&mut self, handle: u32) -> Result<&mut File, u32> {
        let index = (handle as usize).wrapping_sub(1);
        self.files.get_mut(index).and_then(Option::as_mut).ok_or(error::BAD_HANDLE)
    }

    /// Handles count from 1, because 0 is not one.
    fn open(&mut self, name: &[u8], mode: u32) -> Answer {
        let file = match (name, mode) {
            (b":tt", 0..=3) => File::Input,
            (b":tt", 4..=7) => File::Output,
            (b":tt", 8..=11) => File::Error,
            (b":semihosting-features", 0..=1) => File::Features { position: 0 },
            (_, 0..=11) => return Err(error::NO_ENTRY),
            _ => return Err(error::INVALID),
        };
        let free = self.files.iter().position(Option::is_none);
        let index = match free {
            Some(index) => index,
            None if self.files.len() < FILES_MAX => {
                self.files.push(None);
                self.files.len() - 1
            }
            None => return Err(error::TOO_MANY_FILES),
        };
        self.files[index] = Some(file);
        Ok(index as u32 + 1)
    }

    fn close(&mut self, handle: u32) -> Answer {
        self.file(handle)?;
        self.files[handle as usize - 1] = None;
        Ok(0)
    }

    /// Returns how many bytes were not written.
    fn write(&mut self, handle: u32, buffer: u32, length: u32, program: &impl Program) -> Answer {
        let channel = match self.file(handle)? {
            File::Output => Channel::Output,
            File::Error => Channel::Error,
            File::Input | File::Features { .. } => return Ok(length),
        };
        let data = bytes(program, buffer, length)?;
        self.moved = length;
        self.print(channel, &data);
        Ok(0)
    }

    /// Returns how many bytes of the buffer were not filled.
    fn read(
        &mut self,
        handle: u32,
        buffer: u32,
        length: u32,
        program: &mut impl Program,
    ) -> Answer {
        let data = match self.file(handle)? {
            File::Input => self.read_input(length),
            File::Features { position } => {
                let rest = FEATURES.get(*position as usize..).unwrap_or(&[]);
                let data = rest[..rest.len().min(length as usize)].to_vec();
                *position += data.len() as u32;
                data
            }
            File::Output | File::Error => Vec::new(),
        };
        self.moved = data.len() as u32;
        put(program, buffer, &data)?;
        Ok(length - data.len() as u32)
    }

    /// Returns `true` if standard input has bytes left.
    pub(crate) fn has_input(&self) -> bool {
        self.input_read < self.input.len()
    }

    /// Takes this many bytes of standard input, or all that are left.
    pub(crate) fn read_input(&mut self, length: u32) -> Vec<u8> {
        let rest = self.input.get(self.input_read..).unwrap_or(&[]);
        let data = rest[..rest.len().min(length as usize)].to_vec();
        self.input_read += data.len();
        data
    }

    fn seek(&mut self, handle: u32, to: u32) -> Answer {
        match self.file(handle)? {
            File::Features { position } if to as usize <= FEATURES.len() => {
                *position = to;
                Ok(0)
            }
            _ => Err(error::NO_SEEK),
        }
    }

    fn command_line_to(&mut self, block: u32, program: &mut impl Program) -> Answer {
        let buffer = word(program, block)?;
        let room = word(program, block.wrapping_add(4))?;
        let length = self.command_line.len() as u32;
        if length >= room {
            return Err(error::INVALID);
        }
        let mut text = self.command_line.clone();
        text.push(0);
        put(program, buffer, &text)?;
        put(program, block.wrapping_add(4), &length.to_le_bytes())?;
        Ok(0)
    }
}

#[cfg(test)]
mod tests;
