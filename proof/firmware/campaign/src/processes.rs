//! Programs of processes: how they begin, and the driver by which processes tell what is wrong.
//!
//! The applications are in `proof/firmware/process-apps`; each asks for its role. Upcalls are
//! numbered here as they are accepted, and say in which life of the process that was.

use portable_atomic::{AtomicBool, Ordering};

use quintet::process::{Answer, Client, Clients, Driver, ErrorCode, Found, Process, Slots, System};
use quintet::thread::Thread;

use crate::{Count, lines, threads};

/// How many processes there can be.
pub const COUNT: usize = 3;
/// How many upcalls the driver has for each.
pub const LINES: usize = 7;

/// What a process does in a life.
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub enum Role {
    /// It ends.
    None = 0,
    /// It makes calls of each class.
    Calls = 1,
    /// It lives until it is told to end.
    Lives = 2,
    /// It does what it must not.
    Faults = 3,
    /// It serves another process.
    Serves = 4,
    /// It asks another process.
    Shares = 5,
    /// It takes turns with another process.
    TakesTurns = 6,
    /// It comes between those.
    ComesBetween = 7,
    /// It asks a task and a thread.
    Asks = 8,
    /// It uses floating-point registers late, and again in each life.
    Floats = 10,
    /// It waits for alarms.
    AwaitsAlarms = 11,
}

/// The driver of the campaign's processes.
pub struct Desk {
    clients: Clients<COUNT, (), LINES, 1, 1, 1>,
    roles: [Role; COUNT],
    /// What else a process says, as it wants; what it is answered.
    say: fn(&'static Process, u32, u32) -> u32,
    /// By process and line, how many upcalls were accepted.
    rung: [[Count; LINES]; COUNT],
    /// By process, how often it was forgotten.
    forgotten: [Count; COUNT],
}

/// Whether [`begin`](crate::begin) was called.
static BEGUN: AtomicBool = AtomicBool::new(false);

impl Desk {
    /// With these roles.
    #[must_use]
    pub const fn new(roles: [Role; COUNT], say: fn(&'static Process, u32, u32) -> u32) -> Self {
        Self {
            clients: Clients::new([(); COUNT]),
            roles,
            say,
            rung: [const { [const { Count::new() }; LINES] }; COUNT],
            forgotten: [const { Count::new() }; COUNT],
        }
    }

    /// The process at a place, once it has asked for its role.
    fn client(&self, index: usize) -> Option<Client> {
        self.clients.noted().find(|client| client.index() == index)
    }

    /// Lets an upcall of a process become due, with its number, its life and a word. Whether there
    /// was room. For interrupts and commands: each has lines of its own.
    pub fn ring(&self, index: usize, line: usize, word: u32) -> bool {
        let Some(client) = self.client(index) else { return false };
        let rung = &self.rung[index][line];
        let life = client.process().restarts();
        let accepted = client.upcall(line, [rung.get(), life, word]).is_ok();
        if accepted {
            rung.add();
        }
        accepted
    }

    /// The same in a thread, where the process must not begin anew in the middle.
    pub fn ring_in_thread(&self, index: usize, line: usize, word: u32) -> bool {
        cortex_m::interrupt::free(|_| self.ring(index, line, word))
    }

    /// How many upcalls of a line were accepted.
    #[must_use]
    pub fn rung(&self, index: usize, line: usize) -> u32 {
        self.rung[index][line].get()
    }

    /// How often a process was forgotten.
    #[must_use]
    pub fn forgotten(&self, index: usize) -> u32 {
        self.forgotten[index].get()
    }

    /// Writes to what a process has lent.
    pub fn write(&self, index: usize, bytes: &[u8]) {
        if let Some(client) = self.client(index) {
            client.write(0, 0, bytes);
        }
    }
}

impl Driver for Desk {
    const NUMBER: u32 = 0x8000_0004;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, command: u32, first: u32, second: u32) -> Answer {
        match command {
            1 => {
                self.clients.note(client);
                return Answer::Word(self.roles[client.index()] as u32);
            }
            2 if !BEGUN.swap(true, Ordering::Relaxed) => crate::begin(),
            2 => {}
            3 => threads::over(),
            4 => panic!("process {}: in line {first}, {second:#x} is wrong", client.index()),
            5 if self.ring(client.index(), first as usize, 0) => {}
            5 => return Answer::Failure(ErrorCode::NoMemory),
            6 => return Answer::Word((self.say)(client.process(), first, second)),
            _ => return Answer::Failure(ErrorCode::NoSupport),
        }
        Answer::Success
    }

    fn forget(&'static self, client: Client) {
        self.forgotten[client.index()].add();
    }
}

/// Starts processes and threads, and lets them run until [`over`](threads::over) was called and
/// none can any more. Then judges.
pub fn run(system: &'static System, all: &[&'static Thread], judge: fn()) -> ! {
    // SAFETY: `main` calls this first: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    lines::enable_four();
    for thread in all {
        assert!(thread.start().is_ok());
    }
    // SAFETY: the linker's arguments leave these places to the processes.
    unsafe { system.start(|found| assert!(matches!(found, Found::Process(..)), "{found}")) };
    threads::wait_until_over(judge, || ())
}
