//! What the applications share: their beginning, and system calls.
#![no_std]

#[cfg_attr(not(target_has_atomic = "ptr"), path = "floats_missing.rs")]
pub mod floats;
pub mod interrupted;
#[path = "../../campaign/src/patterns.rs"]
pub mod patterns;
pub mod peers;
pub mod script;

use core::arch::{asm, naked_asm};
use core::panic::PanicInfo;

/// The first function: asks for memory, makes its stack, sets variables up, and calls `main`.
#[unsafe(no_mangle)]
#[unsafe(naked)]
#[unsafe(link_section = ".start")]
unsafe extern "C" fn start() {
    naked_asm!(
        "movs r0, #0", // memop: break
        "ldr r1, =_bss_end",
        "svc 5",
        "ldr r0, =_stack_top",
        "mov sp, r0",
        "ldr r0, =_data",
        "ldr r1, =_data_end",
        "ldr r2, =_data_from",
        "2:",
        "cmp r0, r1",
        "bhs 3f",
        "ldmia r2!, {{r3}}",
        "stmia r0!, {{r3}}",
        "b 2b",
        "3:",
        "ldr r0, =_bss",
        "ldr r1, =_bss_end",
        "movs r2, #0",
        "4:",
        "cmp r0, r1",
        "bhs 5f",
        "stmia r0!, {{r2}}",
        "b 4b",
        "5:",
        "bl main",
        "movs r0, #0",
        "movs r1, #0",
        "svc 6",
        "udf #0",
        ".ltorg",
    )
}

/// A system call of the class in the instruction. Its registers r0 to r3.
macro_rules! call {
    ($name:ident, $class:literal, $what:literal) => {
        #[doc = $what]
        pub fn $name(arguments: [u32; 4]) -> [u32; 4] {
            let [mut r0, mut r1, mut r2, mut r3] = arguments;
            // SAFETY: a system call changes r0 to r3 alone, and what was allowed.
            unsafe {
                asm!(
                    concat!("svc ", $class),
                    inout("r0") r0, inout("r1") r1, inout("r2") r2, inout("r3") r3,
                );
            }
            [r0, r1, r2, r3]
        }
    };
}

call!(subscribe, 1, "Subscribe: driver, number, function, data.");
call!(command, 2, "Command: driver, number, two arguments.");
call!(allow_read_write, 3, "Allow read-write: driver, number, address, size.");
call!(allow_read_only, 4, "Allow read-only: driver, number, address, size.");
call!(allow_readable, 7, "Allow userspace-readable: driver, number, address, size.");
call!(memory, 5, "Memory operation: which, an argument.");
call!(nobody, 200, "A class that there isn't.");

/// Yields until an upcall has run. The registers that it may change are lost.
pub fn yield_wait() {
    // SAFETY: waiting takes no further word.
    unsafe { yield_as(1, core::ptr::null_mut()) };
}

/// Yields: 0 looks whether an upcall is due, and writes to the byte whether one has run; 1 waits
/// for one. What an upcall changes, a C function may change, as this is one.
///
/// # Safety
/// A 0 needs a byte.
#[unsafe(naked)]
pub unsafe extern "C" fn yield_as(_kind: u32, _byte: *mut u8) {
    naked_asm!("push {{r4, lr}}", "svc 0", "pop {{r4, pc}}")
}

/// Ends.
pub fn exit(code: u32) -> ! {
    // SAFETY: it doesn't come back.
    unsafe { asm!("svc 6", in("r0") 0, in("r1") code, options(noreturn)) }
}

/// Starts anew.
pub fn restart() -> ! {
    // SAFETY: it doesn't come back.
    unsafe { asm!("svc 6", in("r0") 1, in("r1") 0, options(noreturn)) }
}

/// Waits for so many ticks of the alarm.
pub fn sleep(ticks: u32) {
    static mut DUE: bool = false;
    extern "C" fn due(_: u32, _: u32, _: u32, data: u32) {
        // SAFETY: the address of `DUE`.
        unsafe { (data as usize as *mut bool).write_volatile(true) };
    }
    let flag = &raw mut DUE;
    // SAFETY: one thread.
    unsafe { flag.write_volatile(false) };
    subscribe([0, 0, due as *const () as u32, flag as u32]);
    command([0, 5, ticks, 0]);
    // SAFETY: one thread.
    while !unsafe { flag.read_volatile() } {
        yield_wait();
    }
}

static mut WRITTEN: bool = false;

extern "C" fn written(_: u32, _: u32, _: u32, data: u32) {
    // SAFETY: the address of `WRITTEN`.
    unsafe { (data as usize as *mut bool).write_volatile(true) };
}

/// Writes a text to the console, and waits until it is there.
pub fn print(text: &str) {
    print_late(text, || ());
}

/// The same, with something else to do before it waits.
pub fn print_late(text: &str, first: fn()) {
    let flag = &raw mut WRITTEN;
    // SAFETY: one thread.
    unsafe { flag.write_volatile(false) };
    allow_read_only([1, 1, text.as_ptr() as u32, text.len() as u32]);
    subscribe([1, 1, written as *const () as u32, flag as u32]);
    command([1, 1, text.len() as u32, 0]);
    first();
    // SAFETY: one thread.
    while !unsafe { flag.read_volatile() } {
        yield_wait();
    }
    allow_read_only([1, 1, 0, 0]);
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    exit(101)
}
