//! A kernel with a policy: it knows two applications, whose digests the test writes into its flash,
//! and how strict it is.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use cortex_m_rt::entry;
use lm3s6965 as _;
use quintet::process::console::Console;
use quintet::process::identity::{Candidate, Known, Verdict, digest, format};
use quintet::process::{Process, Status};
use semihosting::{print, println};

quintet::kernel!(hardware_priority = 0x20);
quintet::systick_timer!(Clock, 12_000_000);

static CONSOLE: Console<4> = Console::new(|| ());

quintet::processes!(
    static PROCESSES,
    count = 4,
    priority = 1,
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [&CONSOLE],
);

/// No application has this digest.
const NONE: [u8; 32] = digest("0123456789abcdefABCDEF6789abcdef0123456789abcdef0123456789abcdef");

/// The digests of `hello` and of `trespass`. The test writes them.
#[unsafe(no_mangle)]
static DIGESTS: [[u8; 32]; 2] = [NONE; 2];

/// Which policy: 0 reserves the names, 1 allows the known applications only, and 2 those that are
/// as their credential says.
#[unsafe(no_mangle)]
static POLICY: u32 = 0;

fn check(candidate: &Candidate<'_>) -> Verdict {
    // SAFETY: they live.
    let (digests, policy) =
        unsafe { ((&raw const DIGESTS).read_volatile(), (&raw const POLICY).read_volatile()) };
    let known = Known([("hello", digests[0]), ("trespass", digests[1])]);
    let count = candidate.credentials().filter(|one| one.format == format::SHA_256).count();
    println!("{} has {count} credentials", candidate.name());
    match policy {
        0 => known.reserve(candidate),
        1 => known.allow(candidate),
        _ if candidate.is_intact() => Verdict::Run,
        _ => Verdict::Refuse("it isn't intact"),
    }
}

/// Tells of a process that has an identity.
fn tell(process: &Process) {
    if let Some(id) = process.short_id() {
        println!("{} has the identity {id}", process.name());
    }
}

#[entry]
fn main() -> ! {
    let peripherals = cortex_m::Peripherals::take().expect("taken once");
    // SAFETY: nothing of the kernel was used before; the linker script leaves `flash` and `memory`
    // to the processes.
    unsafe {
        quintet::thread::initialise();
        Clock::start(peripherals.SYST);
        PROCESSES.start_checked(check, |found| println!("{found}"));
    }
    PROCESSES.processes().iter().for_each(tell);
    while let Some(byte) = CONSOLE.next_byte() {
        print!("{}", char::from(byte));
    }
    for process in PROCESSES.processes() {
        if process.status() != Status::Empty {
            println!("{} is loaded", process.name());
        }
    }
    semihosting::process::exit(0)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    println!("{info}");
    semihosting::process::exit(1)
}
