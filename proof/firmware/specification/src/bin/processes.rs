//! The interpreter of a kernel with processes. The applications make the calls that scripts say
//! (`proof/firmware/process-apps/src/script.rs`); two threads, interrupts and idle bring them
//! upcalls, write to what they have lent, and stop, end and restart them.
//!
//! The harness writes `CALLS`, `ACTS` and `POLICIES` when the program has come to `ready`,
//! pends
//! interrupts, and reads `LOG` when everything sleeps. What the numbers mean is written in
//! `proof/src/specification/processes/`.
#![no_std]
#![no_main]

use campaign::{handlers, lines};
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use cortex_m::peripheral::NVIC;
use lm3s6965::Interrupt;
use quintet::process::{
    Answer, Cause, Client, Clients, Driver, ErrorCode, Fault, Found, Policy, Process, Slots, Status,
};
use quintet::thread::{CurrentThread, Thread};

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static LOW, priority = 1, stack = 1024, entry = run::<3>);
quintet::thread!(static HIGH, priority = 3, stack = 1024, entry = run::<4>);

/// The processes: the first contexts. One is as urgent as the first thread, two are as each other.
const COUNT: usize = 3;
/// The contexts: processes, threads, idle, interrupts, one that comes last.
const CONTEXTS: usize = 10;
/// The first thread.
const THREAD: usize = 3;
const IDLE: usize = 5;
const LENGTH: usize = 16;
/// The words of a call.
const CALL: usize = 5;
/// What is behind the last call: a process ends.
const END: [u32; CALL] = [6, 0, 99, 0, 0];

/// What is logged of: a process has begun, made a call, or heard of an upcall.
const HEARD: u32 = 3;
/// Its drivers forget it; it did what it must not; somebody has acted.
const FORGOT: u32 = 4;
const FAULT: u32 = 5;
const ACT: u32 = 6;

quintet::processes!(
    static PROCESSES,
    count = COUNT,
    priority = [1, 2, 2],
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [&DESK, &BELL],
    upcalls = 3,
    on_fault = on_fault,
);

static DESK: Desk = Desk { clients: Clients::new([(); COUNT]) };
static BELL: Bell = Bell { clients: Clients::new([(); COUNT]) };

/// Words that the harness writes or reads while nothing runs.
#[repr(transparent)]
struct Words<const N: usize>(UnsafeCell<[u32; N]>);

// SAFETY: each word has one writer.
unsafe impl<const N: usize> Sync for Words<N> {}

impl<const N: usize> Words<N> {
    fn get(&self, index: usize) -> u32 {
        // SAFETY: inside, as the caller's index is below `N`.
        unsafe { self.0.get().cast::<u32>().add(index).read_volatile() }
    }

    fn put(&self, index: usize, word: u32) {
        // SAFETY: the same.
        unsafe { self.0.get().cast::<u32>().add(index).write_volatile(word) }
    }
}

/// What processes call: the class, and one more, so that 0 is the end; r0 to r3.
#[unsafe(no_mangle)]
static CALLS: Words<{ COUNT * LENGTH * CALL }> = Words(UnsafeCell::new([0; COUNT * LENGTH * CALL]));
/// What others do.
#[unsafe(no_mangle)]
static ACTS: Words<{ CONTEXTS * LENGTH }> = Words(UnsafeCell::new([0; CONTEXTS * LENGTH]));
/// What becomes of processes that do what they must not.
#[unsafe(no_mangle)]
static POLICIES: Words<COUNT> = Words(UnsafeCell::new([0; COUNT]));
/// Where the memory and the flash of each process begin and end.
#[unsafe(no_mangle)]
static PLACES: Words<{ COUNT * 4 }> = Words(UnsafeCell::new([0; COUNT * 4]));
/// What was logged: the context and what happened, and five words.
#[unsafe(no_mangle)]
static LOG: Words<1536> = Words(UnsafeCell::new([0; 1536]));
#[unsafe(no_mangle)]
static LOGGED: AtomicUsize = AtomicUsize::new(0);

static POSITIONS: [AtomicUsize; CONTEXTS] = [const { AtomicUsize::new(0) }; CONTEXTS];

/// Where the harness writes scripts.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn ready() {
    cortex_m::asm::nop();
}

/// The place of the next thing that a context does.
fn next(context: usize) -> usize {
    let position = POSITIONS[context].load(Ordering::Relaxed);
    POSITIONS[context].store((position + 1).min(LENGTH - 1), Ordering::Relaxed);
    position
}

/// Logs what has happened to a context. Nobody comes in between.
fn log(context: usize, what: u32, words: [u32; 5]) {
    cortex_m::interrupt::free(|_| {
        let position = LOGGED.load(Ordering::Relaxed).min(255);
        LOGGED.store(position + 1, Ordering::Relaxed);
        LOG.put(6 * position, (context as u32) << 16 | what);
        for (index, word) in words.into_iter().enumerate() {
            LOG.put(6 * position + 1 + index, word);
        }
    });
}

/// The next call of a process: its class, r0 to r3.
fn next_call(index: usize) -> [u32; CALL] {
    let first = CALL * (LENGTH * index + next(index));
    let [class, r0, r1, r2, r3] = core::array::from_fn(|place| CALLS.get(first + place));
    if class == 0 { END } else { [class - 1, r0, r1, r2, r3] }
}

/// The driver that has the scripts.
struct Desk {
    clients: Clients<COUNT, (), 3, 2, 2, 1>,
}

impl Driver for Desk {
    const NUMBER: u32 = 0x8000_0005;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    /// Logs what the cell at an address says, and puts the next call there if that is asked for.
    fn command(&'static self, client: Client, command: u32, cell: u32, takes: u32) -> Answer {
        if command == 0 || command > HEARD {
            return Answer::Failure(ErrorCode::NoSupport);
        }
        let (index, cell) = (client.index(), cell as usize as *mut u32);
        // SAFETY: the application has its cell there, and waits for the answer.
        let words: [u32; 6] =
            core::array::from_fn(|place| unsafe { cell.add(place).read_volatile() });
        let [class, r0, r1, r2, r3, flag] = words;
        cortex_m::interrupt::free(|_| {
            self.clients.note(client);
            let last = if command == HEARD { class } else { flag };
            log(index, command, [r0, r1, r2, r3, last]);
            if takes != 0 {
                for (place, word) in next_call(index).into_iter().enumerate() {
                    // SAFETY: as above.
                    unsafe { cell.add(place).write_volatile(word) };
                }
            }
        });
        Answer::Success
    }

    fn forget(&'static self, client: Client) {
        let lengths = [
            client.read_only_len(0),
            client.read_only_len(1),
            client.read_write_len(0),
            client.read_write_len(1),
            client.readable(0).len(),
        ];
        log(client.index(), FORGOT, lengths.map(|length| length as u32));
    }
}

/// A driver that answers in all ways, and rings.
struct Bell {
    clients: Clients<COUNT, (), 1, 0, 1>,
}

impl Driver for Bell {
    const NUMBER: u32 = 0x8000_0006;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn exists(&'static self, _: Client) -> Answer {
        Answer::Word(3)
    }

    fn command(&'static self, client: Client, command: u32, first: u32, second: u32) -> Answer {
        self.clients.note(client);
        let double = u64::from(second) << 32 | u64::from(first);
        match command {
            1 => Answer::Success,
            2 => Answer::Failure(ErrorCode::Busy),
            3 => Answer::FailureWord(ErrorCode::Off, first),
            4 => Answer::FailureWords(ErrorCode::Size, first, second),
            5 => Answer::FailureDouble(ErrorCode::Cancel, double),
            6 => Answer::Word(first),
            7 => Answer::Words(first, second),
            8 => Answer::ThreeWords(first, second, 7),
            9 => Answer::Double(double),
            10 => Answer::WordDouble(7, double),
            12 => {
                let [first, second, third] = act(first);
                Answer::ThreeWords(first, second, third)
            }
            _ => Answer::Failure(ErrorCode::NoSupport),
        }
    }
}

/// The process at a place, as a driver sees it, if it has begun.
fn client(index: usize, is_of_bell: bool) -> Option<Client> {
    let desk = DESK.clients.noted().find(|client| client.index() == index)?;
    if is_of_bell {
        BELL.clients.noted().find(|client| client.index() == index)
    } else {
        Some(desk)
    }
}

/// What nobody says else: the process has not begun.
const UNKNOWN: u32 = 100;

/// What anybody may do: `word` is its number, the process, what of that, and a byte.
fn act(word: u32) -> [u32; 3] {
    let [number, index, what, byte] = word.to_le_bytes();
    let (index, what) = (usize::from(index), usize::from(what));
    let process = || &PROCESSES.processes()[index];
    let one = |result| [result, 0, 0];
    let life = |result: Result<(), _>| one(result.map_or_else(|error| error as u32 + 1, |()| 0));
    match number {
        1 => one(ring(index, what, byte)),
        2 => life(process().stop()),
        3 => life(process().start()),
        4 => life(process().terminate()),
        5 => life(process().restart()),
        6 => cortex_m::interrupt::free(|_| look(process())),
        7 => one(length(index, what)),
        8 => {
            [&LOW, &HIGH][index].unpark();
            one(0)
        }
        9 => one(fill(index, what, byte)),
        10 => read(index, what),
        _ => one(UNKNOWN),
    }
}

/// Lets an upcall become due.
fn ring(index: usize, upcall: usize, byte: u8) -> u32 {
    let Some(client) = client(index, upcall >= 3) else { return UNKNOWN };
    let upcall = if upcall >= 3 { upcall - 3 } else { upcall };
    let word = u32::from(byte);
    client.upcall(upcall, [word, word << 8, !word]).map_or_else(|error| error as u32, |()| 0)
}

/// How a process stands.
fn look(process: &Process) -> [u32; 3] {
    let status = match process.status() {
        Status::Empty => 0,
        Status::Alive => 1,
        Status::Exited(code) => 2 | code << 8,
        Status::Faulted => 3,
        Status::Terminated => 4,
        Status::Restarting => 5,
        Status::HeldOff => 6,
    };
    let marks = u32::from(process.is_waiting()) | u32::from(process.is_stopped()) << 1;
    [status, marks, process.restarts() | u32::from(process.dropped_upcalls()) << 16]
}

/// Of which kind a buffer of `DESK` is, and its number: two to read from, two to write to, one that
/// the process reads.
fn length(index: usize, buffer: usize) -> u32 {
    let Some(client) = client(index, false) else { return UNKNOWN };
    let length = match buffer {
        0 | 1 => client.read_only_len(buffer),
        2 | 3 => client.read_write_len(buffer - 2),
        _ => client.readable(buffer - 4).len(),
    };
    length as u32
}

/// Writes up to 16 bytes to a buffer. How many had room.
fn fill(index: usize, buffer: usize, byte: u8) -> u32 {
    let Some(client) = client(index, false) else { return UNKNOWN };
    let bytes = [byte; 16];
    let count = match buffer {
        2 | 3 => client.write(buffer - 2, 4, &bytes),
        _ => client.readable(0).write(4, &bytes),
    };
    count as u32
}

/// Reads up to 16 bytes of a buffer: how many there were, and what.
fn read(index: usize, buffer: usize) -> [u32; 3] {
    let Some(client) = client(index, false) else { return [UNKNOWN, 0, 0] };
    let mut bytes = [0; 16];
    let count = match buffer {
        0 | 1 => client.read(buffer, 4, &mut bytes),
        _ => client.readable(0).read(4, &mut bytes),
    };
    let word =
        |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    [count as u32, word(0), word(12)]
}

/// What becomes of a process that did what it must not.
fn on_fault(process: &Process, fault: &Fault) -> Policy {
    let address = if fault.cause == Cause::Access { fault.address.unwrap_or(1) } else { 0 };
    log(process.index(), FAULT, [fault.cause as u32, address, 0, 0, 0]);
    if POLICIES.get(process.index()) == 0 { Policy::Stop } else { Policy::Restart }
}

/// The next act of a context's script; 0 behind the last one.
fn next_act(context: usize) -> u32 {
    ACTS.get(LENGTH * context + next(context))
}

/// One act of a context that can't wait, if there is one.
fn once(context: usize) -> bool {
    let word = next_act(context);
    if word != 0 {
        let [first, second, third] = act(word);
        log(context, ACT, [word, first, second, third, 0]);
    }
    word != 0
}

/// What a thread does.
fn run<const CONTEXT: usize>(this: &CurrentThread<'_>) {
    const { assert!(CONTEXT >= THREAD && CONTEXT < IDLE) };
    loop {
        let word = next_act(CONTEXT);
        let result = match word & 0xff {
            0 => return,
            11 => {
                this.park();
                [0; 3]
            }
            12 => {
                this.yield_now();
                [0; 3]
            }
            _ => act(word),
        };
        log(CONTEXT, ACT, [word, result[0], result[1], result[2], 0]);
    }
}

handlers! {
    GPIOA {
        once(6);
    }
    GPIOB {
        once(7);
    }
    GPIOC {
        once(8);
    }
    // The last of all.
    GPIOD {
        while once(9) {}
    }
    // The first of all.
    GPIOE {
        for thread in [&LOW, &HIGH] as [&'static Thread; 2] {
            assert!(thread.start().is_ok());
        }
        static FOUND: AtomicU32 = AtomicU32::new(0);
        // SAFETY: the linker's arguments leave these places to the processes.
        unsafe {
            PROCESSES.start(|found| {
                let Found::Process(process, ..) = found else { panic!("{found}") };
                let (memory, flash) = (process.memory(), process.flash());
                let words = [memory.begin, memory.end, flash.begin, flash.end];
                for (place, word) in words.into_iter().enumerate() {
                    PLACES.put(4 * process.index() + place, word);
                }
                FOUND.store(process.index() as u32 + 1, Ordering::Relaxed);
            });
        }
        assert!(FOUND.load(Ordering::Relaxed) == COUNT as u32, "applications are missing");
        // No switch comes before the end of an interrupt: so all begin at once behind this.
        ready();
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    for (line, priority) in [
        (Interrupt::GPIOA, 0xc0),
        (Interrupt::GPIOB, 0x80),
        (Interrupt::GPIOC, 0x40),
        (Interrupt::GPIOD, 0xc0),
        (Interrupt::GPIOE, 0x40),
    ] {
        lines::enable(line, priority);
    }
    NVIC::pend(Interrupt::GPIOE);
    cortex_m::asm::isb();
    while once(IDLE) {}
    loop {
        cortex_m::asm::wfi();
    }
}
