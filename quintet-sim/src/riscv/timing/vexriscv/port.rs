//! The port for data: two commands wait, and the first of them is on the bus.
//!
//! A store is done for the program when its command waits here.

/// What a command is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// A store; `true` if a device gets it.
    Write { posted: bool },
    /// A load that passes by the cache.
    Read,
    /// The eight words of a line.
    ReadLine,
}

const WORDS: u8 = 8;

/// What the bus does in a cycle.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    /// A device gets a store.
    pub writes: bool,
    /// A load that passes by the cache is done on the bus; the core gets its word a cycle later.
    pub reads: bool,
}

/// The port.
#[derive(Clone, Debug)]
pub struct Port {
    wait_states: u64,
    waiting: Option<Command>,
    on_bus: Option<Command>,
    beat: u8,
    waited: u64,
    responds: bool,
}

impl Port {
    pub fn new(wait_states: u8) -> Self {
        let wait_states = u64::from(wait_states);
        Self { wait_states, waiting: None, on_bus: None, beat: 0, waited: 0, responds: false }
    }

    /// Returns `true` if a command can come.
    pub fn is_ready(&self) -> bool {
        self.waiting.is_none()
    }

    /// Returns `true` if a word comes from the bus in this cycle.
    pub fn responds(&self) -> bool {
        self.responds
    }

    fn acknowledges(&self) -> bool {
        self.on_bus.is_some() && self.waited == self.wait_states
    }

    /// Returns what the bus does in this cycle.
    pub fn done(&self) -> Done {
        let acknowledged = self.acknowledges();
        Done {
            writes: acknowledged && self.on_bus == Some(Command::Write { posted: true }),
            reads: acknowledged && self.on_bus == Some(Command::Read),
        }
    }

    /// Does the work of a cycle, in which a command may come.
    pub fn clock(&mut self, command: Option<Command>) {
        let acknowledged = self.acknowledges();
        let is_read = matches!(self.on_bus, Some(Command::Read | Command::ReadLine));
        self.waited = if self.on_bus.is_some() && !acknowledged { self.waited + 1 } else { 0 };
        let mut is_free = self.on_bus.is_none();
        if acknowledged {
            self.beat += 1;
            if self.on_bus != Some(Command::ReadLine) || self.beat == WORDS {
                self.beat = 0;
                is_free = true;
            }
        }
        self.responds = acknowledged && is_read;
        if is_free {
            self.on_bus = self.waiting.take().or(command);
        } else if self.waiting.is_none() {
            self.waiting = command;
        }
    }

    /// Returns `true` if nothing waits and nothing is on the bus.
    pub fn is_quiet(&self) -> bool {
        self.waiting.is_none() && self.on_bus.is_none() && !self.responds
    }
}
