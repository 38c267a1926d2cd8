//! The trap: all interrupts and exceptions come here.
//!
//! ```text
//!   an interrupt of a thread    frame on the thread's stack, then main's stack   mscratch = 0
//!   an exception of a thread,   frame on main's stack                            meanwhile
//!   of main, or of a handler
//! ```
//!
//! While a thread runs, `mscratch` has the place on main's stack where handlers begin. On main's
//! stack `mscratch` is 0. So one exchange tells the two apart, and a thread's stack holds one frame
//! only, however deep interrupts nest.
//!
//! The [controller in software](software) serves the software interrupt, and the interrupts of the
//! platform that an application binds. Exceptions and other interrupts go on to the crate
//! `riscv-rt`, which calls the handlers that it has names for.
//!
//! A trap ends the reservation of an LR: routines may have stored to the word, and stores of the
//! same hart needn't end it.

use ::core::arch::{asm, naked_asm};
use ::core::sync::atomic::AtomicBool;

use super::{signal_event, software, words};

/// The bytes of a frame: the registers in the order of `riscv-rt`, `mepc`, `mstatus`, and two words
/// more, as stacks are aligned to 16 bytes. The first of the two is for the SC that ends a
/// reservation.
pub const FRAME: usize = 80;
/// The bytes of the registers that a switch saves below: s0 to s11, ra, and where to go on.
pub const CALL_FRAME: usize = 64;

/// `true` while a handler runs, or code that a handler has called.
static HANDLING: AtomicBool = AtomicBool::new(false);

/// A switch that is due: the control blocks of the thread that goes on, and of the one that is
/// suspended. Both are null if the same thread goes on.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Switch {
    /// The thread that goes on.
    pub to: *const (),
    /// The thread that is suspended.
    pub from: *const (),
}

impl Switch {
    /// No switch.
    pub const NONE: Self = Self { to: ::core::ptr::null(), from: ::core::ptr::null() };
}

unsafe extern "C" {
    /// `riscv-rt`'s function that calls the handler of a trap, by its name.
    fn _start_trap_rust(frame: *const u32);
    /// Decides which thread runs after an interrupt. The application's expansion defines this
    /// function.
    fn __quintet_after_interrupts() -> Switch;
}

/// Returns the address of the trap's code, behind its [table](table).
fn place() -> usize {
    (trap as *const () as usize).next_multiple_of(TABLE_ALIGNMENT) + TABLE
}

/// Returns `true` if all traps come here.
pub fn has_started() -> bool {
    let vector: usize;
    // SAFETY: reading has no effect.
    unsafe { asm!("csrr {}, mtvec", out(reg) vector, options(nomem, nostack, preserves_flags)) };
    // As it was written, or as a hart has made it that has tables only: the same table.
    vector / TABLE_ALIGNMENT == place() / TABLE_ALIGNMENT
}

/// Lets all traps come here. Main's stack is in use.
pub fn start() {
    let place = place();
    // SAFETY: the trap saves all that it changes, and serves or hands on whatever comes.
    unsafe {
        asm!(
            "csrw mscratch, zero", "csrw mtvec, {}", in(reg) place,
            options(nostack, preserves_flags)
        );
    }
}

/// Returns `true` in a handler.
#[inline(always)]
pub fn in_handler() -> bool {
    words::get_flag(&HANDLING)
}

/// Serves a trap. Returns the switch that is due behind it.
///
/// # Safety
/// Called by the trap, with interrupts held off; the interrupted registers are in the frame.
pub(super) unsafe extern "C" fn handle(frame: *const u32) -> Switch {
    let cause: u32;
    // SAFETY: reading has no effect.
    unsafe { asm!("csrr {}, mcause", out(reg) cause, options(nomem, nostack, preserves_flags)) };
    let was_handling = words::get_flag(&HANDLING);
    words::put_flag(&HANDLING, true);
    let mut switch = Switch::NONE;
    // SAFETY: this is the trap, with interrupts held off.
    unsafe {
        if software::accept(cause) {
            let found = software::serve();
            signal_event();
            if found == 0 && !was_handling && software::take_switch() {
                switch = __quintet_after_interrupts();
            }
        } else {
            super::guard::report(cause);
            _start_trap_rust(frame);
            // A handler may have let interrupts in, where no switch comes.
            software::renew_switch();
        }
    }
    words::put_flag(&HANDLING, was_handling);
    switch
}

/// Does the work of a call or a fault of a process, which ends at the lowest level. Returns the
/// switch that is due behind it.
///
/// # Safety
/// Called by the trap of a process, with interrupts held off, which they are when `work` has ended.
#[cfg(processes)]
pub(super) unsafe fn handle_exception(work: impl FnOnce()) -> Switch {
    words::put_flag(&HANDLING, true);
    work();
    let mut switch = Switch::NONE;
    if software::take_switch() {
        // SAFETY: the caller's: no section and no other handler was interrupted.
        switch = unsafe { __quintet_after_interrupts() };
    }
    words::put_flag(&HANDLING, false);
    switch
}

/// The registers that a function may change, at their places in a frame at sp. The highest is
/// first: where a stack ends, its guard is reached before anything below.
#[rustfmt::skip]
macro_rules! each_of_frame {
    ($instruction:literal) => {
        ::core::concat!(
            $instruction, " a7, 60(sp)\n",
            $instruction, " a6, 56(sp)\n",
            $instruction, " a5, 52(sp)\n",
            $instruction, " a4, 48(sp)\n",
            $instruction, " a3, 44(sp)\n",
            $instruction, " a2, 40(sp)\n",
            $instruction, " a1, 36(sp)\n",
            $instruction, " a0, 32(sp)\n",
            $instruction, " t6, 28(sp)\n",
            $instruction, " t5, 24(sp)\n",
            $instruction, " t4, 20(sp)\n",
            $instruction, " t3, 16(sp)\n",
            $instruction, " t2, 12(sp)\n",
            $instruction, " t1, 8(sp)\n",
            $instruction, " t0, 4(sp)\n",
            $instruction, " ra, 0(sp)\n",
        )
    };
}

/// The registers that a function keeps, at their places in a call's frame at sp. The highest is
/// first.
#[rustfmt::skip]
macro_rules! each_of_call {
    ($instruction:literal) => {
        ::core::concat!(
            $instruction, " ra, 48(sp)\n",
            $instruction, " s11, 44(sp)\n",
            $instruction, " s10, 40(sp)\n",
            $instruction, " s9, 36(sp)\n",
            $instruction, " s8, 32(sp)\n",
            $instruction, " s7, 28(sp)\n",
            $instruction, " s6, 24(sp)\n",
            $instruction, " s5, 20(sp)\n",
            $instruction, " s4, 16(sp)\n",
            $instruction, " s3, 12(sp)\n",
            $instruction, " s2, 8(sp)\n",
            $instruction, " s1, 4(sp)\n",
            $instruction, " s0, 0(sp)\n",
        )
    };
}
pub(super) use each_of_call;

/// Makes a frame on the stack, with the registers that the trap hasn't changed yet.
macro_rules! push_frame {
    () => {
        ::core::concat!(
            "addi sp, sp, -{frame}\n",
            each_of_frame!("sw"),
            "
            csrr t0, mepc
            csrr t1, mstatus
            sw t0, 64(sp)
            sw t1, 68(sp)
            "
        )
    };
}

/// Ends a reservation, by an SC to a word of the frame at sp.
#[cfg(target_has_atomic = "32")]
macro_rules! end_reservation {
    () => {
        "
        addi t0, sp, 72
        .option push
        .option arch, +a
        sc.w zero, zero, (t0)
        .option pop
        "
    };
}

/// There is no reservation.
#[cfg(not(target_has_atomic = "32"))]
macro_rules! end_reservation {
    () => {
        ""
    };
}

/// Switches from a1 to a0: suspends the thread in a1, or idle, whose frame is at sp. The switch of
/// threads defines the symbol.
macro_rules! switch_behind_frame {
    () => {
        ::core::concat!(
            "addi sp, sp, -{call}\n",
            each_of_call!("sw"),
            "
            la t0, 3b                         # where it goes on: it leaves the trap
            sw t0, 52(sp)
            sw sp, 0(a1)                      # it is suspended
            tail __quintet_resume             # a0 continues
            "
        )
    };
}

/// The bytes of a table of traps, and the alignment of one: Ibex's.
const TABLE: usize = 128;
const TABLE_ALIGNMENT: usize = 256;

/// A table of traps, in front of a trap's code, whose symbol is `$trap`.
///
/// `mtvec` gets the address of the code, and most harts jump there. An Ibex has tables only: it
/// clears the lower 8 bits, and so finds the table, whose entry for exceptions is the first one,
/// and that for the interrupt n the one behind n others.
macro_rules! table {
    ($trap:literal) => {
        ::core::concat!(
            "
            .p2align 8
            .option push
            .option norvc
            .rept 32
            j ",
            $trap,
            "
            .endr
            .option pop
            "
        )
    };
}
#[cfg(processes)]
pub(super) use table;

/// The trap. `mtvec` wants it at a multiple of 4.
#[unsafe(naked)]
unsafe extern "C" fn trap() {
    naked_asm!(
        table!("__quintet_trap"),
        ".global __quintet_trap",
        "__quintet_trap:",
        "csrrw sp, mscratch, sp",             // sp = main's, if a thread was interrupted
        "bnez sp, 1f",                        // or 0
        ".global __quintet_trap_of_main",     // the trap of processes has done this much, too
        "__quintet_trap_of_main:",
        "csrrw sp, mscratch, sp",             // sp as it was, mscratch = 0
        push_frame!(),
        "mv a0, sp",
        "call {handle}",
        "beqz a0, 3f",                        // nobody else goes on
        "addi t0, sp, -{call}",               // from idle to a thread:
        "csrw mscratch, t0",                  // handlers begin below what idle saves
        "j 2f",
        "3:",                                 // leaves the trap by the frame at sp
        end_reservation!(),
        "lw t0, 64(sp)",
        "lw t1, 68(sp)",
        "csrw mepc, t0",
        "csrw mstatus, t1",
        each_of_frame!("lw"),
        "addi sp, sp, {frame}",
        "mret",
        "1:",                                 // from a thread: sp = main's
        "sw t0, -4(sp)",                      // t0 is kept below
        "csrr t0, mcause",
        "bgez t0, 4f",                        // an exception
        "lw t0, -4(sp)",
        "csrrw sp, mscratch, sp",             // sp as it was, mscratch = main's
        push_frame!(),
        "mv a0, sp",
        "csrrw sp, mscratch, zero",           // on main's stack
        "addi sp, sp, -16",
        "sw a0, 0(sp)",
        "call {handle}",
        "lw t0, 0(sp)",                       // t0 = the thread's frame
        "addi sp, sp, 16",
        "csrw mscratch, sp",                  // where handlers begin while a thread runs
        "mv sp, t0",
        "beqz a0, 3b",                        // the same thread
        "2:",
        switch_behind_frame!(),
        "4:",                                 // of a thread, whose stack may be at its end
        "lw t0, -4(sp)",
        push_frame!(),                        // on main's stack
        "csrrw t0, mscratch, zero",
        "sw t0, 76(sp)",                      // its sp
        "mv a0, sp",
        "call {handle}",                      // nobody else goes on behind an exception
        "lw t0, 76(sp)",
        "csrw mscratch, t0",
        end_reservation!(),
        "lw t0, 64(sp)",
        "lw t1, 68(sp)",
        "csrw mepc, t0",
        "csrw mstatus, t1",
        each_of_frame!("lw"),
        "addi sp, sp, {frame}",
        "csrrw sp, mscratch, sp",             // sp as it was, mscratch = main's
        "mret",
        handle = sym handle,
        frame = const FRAME,
        call = const CALL_FRAME,
    )
}

/// Defines that no thread runs after an interrupt, in an application without threads.
#[doc(hidden)]
#[macro_export]
macro_rules! __without_switches {
    () => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[inline(always)]
        extern "C" fn __quintet_after_interrupts() -> $crate::export::Switch {
            $crate::export::Switch::NONE
        }
    };
}
