//! Does what it must not, whatever comes to mind, for ever: a sequence of random numbers, which the
//! kernel goes on with in its next life, says what.
#![no_std]
#![no_main]

use core::arch::asm;
#[cfg(target_has_atomic = "ptr")]
use core::arch::naked_asm;

use process_apps::{
    allow_read_only, allow_read_write, allow_readable, command, memory, nobody, restart, subscribe,
};

/// The driver that has the random numbers.
const JUDGE: u32 = 0x8000_0003;
/// The drivers of the kernel, and some that there aren't.
const DRIVERS: [u32; 12] =
    [0, 1, 2, 3, 4, 8, 0x40001, 0x60000, 0x10000, JUDGE, 0x8000_0001, 0x1234_5678];
/// Addresses where something begins or ends that isn't its own.
const PLACES: [u32; 19] = [
    0,
    0x0000_0100,
    0x0002_0000,
    0x0004_0000,
    0x2000_0000,
    0x2000_1000,
    0x2000_4000,
    0x2000_c000,
    0x2000_e000,
    0x2000_f000,
    0x2001_0000,
    0x2200_0000,
    0x4000_c000,
    0x4200_0000,
    0xe000_e010,
    0xe000_e100,
    0xe000_ed00,
    0xe000_ed90,
    0xffff_fff0,
];

/// Random halfwords, which the command writes: many are instructions.
#[unsafe(no_mangle)]
#[used]
static JUNK: [u32; 1024] = [0xde00_de00; 1024];
/// Whether there are floating-point registers: the command writes that.
#[unsafe(no_mangle)]
#[used]
static FLOATS: u32 = 0;
/// Lent to drivers.
static mut BUFFER: [u32; 64] = [0; 64];

/// Random numbers (xorshift).
struct Random(u32);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    fn below(&mut self, limit: u32) -> u32 {
        (self.next() >> 8) % limit
    }

    fn one_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    /// One of its own addresses, or of somebody else's.
    fn address(&mut self) -> u32 {
        let near = self.next() & 0x7f;
        match self.below(8) {
            0 => PLACES[self.below(PLACES.len() as u32) as usize].wrapping_add(near),
            1 => PLACES[self.below(PLACES.len() as u32) as usize].wrapping_sub(near),
            2 => self.next(),
            3 => memory([3, 0, 0, 0])[1].wrapping_sub(64).wrapping_add(near),
            4 => memory([4 + self.below(2), 0, 0, 0])[1].wrapping_sub(64).wrapping_add(near),
            5 if self.one_in(8) => memory([2, 0, 0, 0])[1] + (self.next() & 0x7ff),
            _ => (&raw const BUFFER) as u32 + near,
        }
    }

    /// An argument: small, at a boundary, an address, or anything.
    fn argument(&mut self) -> u32 {
        match self.below(8) {
            0..4 => self.below(12),
            4 => self.address(),
            5 => self.below(16).wrapping_neg(),
            6 => 1 << self.below(32),
            _ => self.next(),
        }
    }

    fn driver(&mut self) -> u32 {
        if self.one_in(32) { self.next() } else { DRIVERS[self.below(12) as usize] }
    }

    /// The address of a function that an upcall calls: its own, or any.
    fn function(&mut self) -> u32 {
        match self.below(8) {
            0..5 => upcall as *const () as u32,
            5 => self.place_of_code(),
            6 => 0,
            _ => self.address(),
        }
    }

    /// Somewhere in the random instructions.
    fn place_of_code(&mut self) -> u32 {
        ((&raw const JUNK) as u32 + 2 * self.below(2000)) | 1
    }

    /// A size: often one that fits, or just does not.
    fn size(&mut self) -> u32 {
        match self.below(4) {
            0 => self.argument(),
            1 => 32 << self.below(4),
            _ => self.below(64),
        }
    }
}

/// What drivers call.
extern "C" fn upcall(_: u32, _: u32, _: u32, data: u32) {
    core::hint::black_box(data);
    if data & 3 == 3 {
        memory([1, data, 0, 0]);
    }
}

/// An ordinary call, with anything for its arguments.
fn call(random: &mut Random) {
    let (driver, number) = (random.driver(), random.argument());
    match random.below(16) {
        0..5 => drop(command([driver, number, random.argument(), random.argument()])),
        5..7 => drop(subscribe([driver, random.below(4), random.function(), random.argument()])),
        7 => drop(subscribe([driver, number, random.function(), random.argument()])),
        8..10 => drop(allow_read_write([driver, random.below(3), random.address(), random.size()])),
        10 => drop(allow_read_only([driver, random.below(3), random.address(), random.size()])),
        11 => drop(allow_readable([driver, random.below(3), random.address(), random.size()])),
        12 => drop(memory([random.below(14), random.address(), number, driver])),
        13 => drop(memory([1, random.next() % 512, number, driver])),
        14 => wait(random),
        _ if random.one_in(64) => drop(nobody([driver, number, 0, 0])),
        _ => drop(memory([1, random.below(256).wrapping_neg(), number, driver])),
    }
}

/// Lends something to one driver, subscribes to it, and lets it work: what was lent, or is to be
/// called, may be anywhere.
fn use_driver(random: &mut Random) {
    let driver = DRIVERS[random.below(10) as usize];
    for number in 0..2 {
        let (address, size) = (random.address(), 4 << random.below(5));
        match random.below(3) {
            0 => allow_read_only([driver, number, address, size]),
            1 => allow_readable([driver, number, address, size]),
            _ => allow_read_write([driver, number, address, size]),
        };
        subscribe([driver, number, random.function(), random.argument()]);
    }
    for _ in 0..3 {
        command([driver, 1 + random.below(9), random.below(48), random.below(8)]);
    }
    // A read-only buffer, and one that is filled, of the console and of the source of randomness.
    command([driver, 1 + random.below(2), 1 + random.below(32), 0]);
    wait(random);
}

/// Yields in each of the ways, most often in that which does not wait.
fn wait(random: &mut Random) {
    let how = if random.one_in(4) { random.below(4) } else { 0 };
    let (first, second) = match how {
        2 => (random.driver(), random.below(4)),
        _ => (random.address(), random.argument()),
    };
    if how == 1 {
        // Something comes then, most often.
        subscribe([0, 0, upcall as *const () as u32, 0]);
        command([0, 5, 2, 0]);
    }
    // SAFETY: upcalls are C functions.
    unsafe {
        asm!("svc 0", inout("r0") how => _, inout("r1") first => _, inout("r2") second => _,
            clobber_abi("C"));
    }
}

/// Calls of any class with anything in the registers, on any stack pointer.
fn call_on(random: &mut Random) -> ! {
    let (stack, class) = (random.address() & !3, random.below(8));
    let (r0, r1, r2, r3) =
        (random.argument(), random.argument(), random.address(), random.argument());
    #[cfg(not(target_has_atomic = "ptr"))]
    macro_rules! on {
        ($class:literal) => {
            asm!("mov sp, r4", concat!("svc ", $class), "ldr r4, 2f", "bx r4", ".p2align 2",
                "2: .word {main}", main = sym main, in("r4") stack, in("r0") r0, in("r1") r1,
                in("r2") r2, in("r3") r3, options(noreturn))
        };
    }
    #[cfg(target_has_atomic = "ptr")]
    macro_rules! on {
        ($class:literal) => {
            asm!("mov sp, r12", concat!("svc ", $class), "b {main}", main = sym main,
                in("r12") stack, in("r0") r0, in("r1") r1, in("r2") r2, in("r3") r3,
                options(noreturn))
        };
    }
    // SAFETY: none: it may go on anyhow.
    unsafe {
        match class {
            0 => on!("0"),
            1 => on!("1"),
            2 => on!("2"),
            3 => on!("3"),
            4 => on!("4"),
            5 => on!("5"),
            6 => on!("7"),
            _ => on!("255"),
        }
    }
}

/// Goes on anywhere, with anything in the registers: in random instructions most often.
fn jump(random: &mut Random) -> ! {
    const RETURNS: [u32; 6] =
        [0xffff_fff1, 0xffff_fff9, 0xffff_fffd, 0xffff_ffe1, 0xffff_ffff, 0xffff_fff0];
    let to = match random.below(16) {
        0 => random.address() | 1,
        1 => RETURNS[random.below(6) as usize],
        2 => random.next(),
        3 => memory([4, 0, 0, 0])[1].wrapping_add(0x80 + 2 * random.below(1500)) | 1,
        _ => random.place_of_code(),
    };
    let words: [u32; 6] = core::array::from_fn(|_| random.argument());
    // SAFETY: none: it does not come back.
    #[cfg(not(target_has_atomic = "ptr"))]
    unsafe {
        asm!("mov lr, r2", "mov r12, r5", "ldmia r4!, {{r0-r3, r5}}", "ldr r4, [r4]", "bx r12",
            in("r4") &raw const words, in("r5") to, in("r2") random.place_of_code(),
            options(noreturn))
    }
    // SAFETY: none: it does not come back.
    #[cfg(target_has_atomic = "ptr")]
    unsafe {
        asm!("ldmia r12, {{r0-r5}}", "mov lr, r10", "bx r11", in("r12") &raw const words,
            in("r11") to, in("r10") random.place_of_code(), options(noreturn))
    }
}

/// A load or a store, anywhere.
fn access(random: &mut Random) {
    let address = random.address();
    // SAFETY: none: the unit must refuse what isn't its own.
    unsafe {
        match random.below(6) {
            0 => drop((address as usize as *const u8).read_volatile()),
            1 => (address as usize as *mut u8).write_volatile(0x5a),
            2 => (((address & !3) as usize) as *mut u32).write_volatile(random.next()),
            #[cfg(not(target_has_atomic = "ptr"))]
            3 => asm!("ldmia r0!, {{r1-r4}}", inout("r0") address & !3 => _, out("r1") _,
                out("r2") _, out("r3") _, out("r4") _),
            #[cfg(not(target_has_atomic = "ptr"))]
            4 => asm!("stmia r0!, {{r1-r4}}", inout("r0") address & !3 => _),
            #[cfg(target_has_atomic = "ptr")]
            3 => asm!("ldmia {}, {{r4, r5, r8, r9}}", in(reg) address & !3, out("r4") _,
                out("r5") _, out("r8") _, out("r9") _),
            #[cfg(target_has_atomic = "ptr")]
            4 => asm!("stmia {}, {{r4, r5, r8, r9}}", in(reg) address & !3),
            _ => drop((((address & !3) as usize) as *const u32).read_volatile()),
        }
    }
}

/// Writes registers that only the kernel may write.
fn write_special(random: &mut Random) {
    let word = random.argument();
    // SAFETY: without effect on the process.
    unsafe {
        match random.below(8) {
            0 => asm!("msr CONTROL, {}", "isb", in(reg) word),
            // An ARMv6-M has neither these nor FAULTMASK.
            #[cfg(target_has_atomic = "ptr")]
            1 => asm!("msr BASEPRI, {}", in(reg) word),
            2 => asm!("msr PRIMASK, {}", in(reg) word),
            #[cfg(target_has_atomic = "ptr")]
            3 => asm!("msr FAULTMASK, {}", in(reg) word),
            4 => asm!("msr PSP, {}", in(reg) word),
            5 => asm!("msr MSP, {}", in(reg) word),
            #[cfg(target_has_atomic = "ptr")]
            6 => asm!("cpsid i", "cpsid f"),
            #[cfg(not(target_has_atomic = "ptr"))]
            _ => asm!("cpsid i"),
            #[cfg(target_has_atomic = "ptr")]
            _ => asm!("msr BASEPRI_MAX, {}", in(reg) word),
        }
    }
}

/// An ARMv6-M has no floating-point registers.
#[cfg(not(target_has_atomic = "ptr"))]
unsafe extern "C" fn fill_floats(_word: u32) {}

/// Has something of its own in each floating-point register.
#[cfg(target_has_atomic = "ptr")]
#[unsafe(naked)]
unsafe extern "C" fn fill_floats(_word: u32) {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "lsls r1, r0, #28",
        "orrs r1, r1, #0x400000",
        "vmsr FPSCR, r1",
        ".irp number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        "vmov s\\number, r0",
        "adds r0, #1",
        ".endr",
        ".irp number, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "vmov s\\number, r0",
        "adds r0, #1",
        ".endr",
        "bx lr",
    )
}

#[unsafe(no_mangle)]
extern "C" fn main() {
    let mut random = Random(command([JUDGE, 1, 0, 0])[1] | 1);
    // SAFETY: it is a static.
    let floats = unsafe { (&raw const FLOATS).read_volatile() } != 0;
    loop {
        if floats && random.one_in(16) {
            // SAFETY: a function, for a processor that has the registers.
            unsafe { fill_floats(random.next()) };
        }
        match random.below(64) {
            0 => call_on(&mut random),
            1..3 => jump(&mut random),
            3..5 => access(&mut random),
            5..7 => write_special(&mut random),
            // SAFETY: none.
            7 if random.one_in(8) => unsafe { asm!("bkpt #0xab") },
            // SAFETY: none.
            8 if random.one_in(8) => unsafe { asm!("udf #0") },
            9 if random.one_in(8) => restart(),
            10 if random.one_in(8) => process_apps::exit(random.next()),
            11 if random.one_in(16) => loop {
                core::hint::spin_loop();
            },
            12..20 => use_driver(&mut random),
            _ => call(&mut random),
        }
    }
}
