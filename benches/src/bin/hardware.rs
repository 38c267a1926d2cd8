//! Group `hardware`: what the processor's own mechanisms cost.
//!
//! The programs of "Overhead analysis of the RTFM framework", written again and compiled now. Each
//! is an interrupt handler; `main` pends them one after the other. The marks stand where the
//! document has its BKPTs.

#![no_std]
#![no_main]

use core::arch::{asm, naked_asm};
use core::cell::{Cell, RefCell};

use cortex_m_rt::entry;
use quintet_bench_common::device::{NVIC_ISPR, start_cycle_counter};
use quintet_bench_common::{exit, mark, mark_text, pend};

/// A vector of the table.
type Handler = unsafe extern "C" fn();

/// The interrupts that start a program, in the order of their numbers.
const PROGRAMS: [Handler; 13] = [
    nop,
    call,
    call_with_prologue,
    preemption,
    preemption_with_prologue,
    tail_chaining,
    tail_chaining_with_prologue,
    basepri_section,
    primask_section,
    cell_increment,
    refcell_increment,
    refcell_empty,
    refcell_borrow_twice,
];
/// The interrupts that the programs pend.
const PREEMPTING: usize = 16;
const PREEMPTING_WITH_PROLOGUE: usize = 17;
const CHAINED: usize = 18;
const CHAINED_WITH_PROLOGUE: usize = 19;
const UNCHECKED: usize = 20;
const INTERRUPTS: usize = 21;

/// The interrupts' part of the vector table.
#[unsafe(link_section = ".vector_table.interrupts")]
#[unsafe(no_mangle)]
#[used]
static __INTERRUPTS: [Handler; INTERRUPTS] = {
    let mut table: [Handler; INTERRUPTS] = [unexpected; INTERRUPTS];
    let mut number = 0;
    while number < PROGRAMS.len() {
        table[number] = PROGRAMS[number];
        number += 1;
    }
    table[PREEMPTING] = preempting;
    table[PREEMPTING_WITH_PROLOGUE] = preempting_with_prologue;
    table[CHAINED] = chained;
    table[CHAINED_WITH_PROLOGUE] = chained_with_prologue;
    table[UNCHECKED] = refcell_unchecked;
    table
};

const NVIC_ISER: *mut u32 = 0xe000_e100 as *mut u32;
const NVIC_IPR: *mut u8 = 0xe000_e400 as *mut u8;

/// The priorities of the document's P1 and P2, for any board with three priority bits.
const P1: u8 = 0xe0;
const P2: u8 = 0xc0;

#[entry]
fn main() -> ! {
    start_cycle_counter();
    // SAFETY: the registers exist on every Cortex-M3, and nothing else uses them.
    unsafe {
        for number in 0..INTERRUPTS {
            let preempts = number == PREEMPTING || number == PREEMPTING_WITH_PROLOGUE;
            NVIC_IPR.add(number).write_volatile(if preempts { P2 } else { P1 });
        }
        NVIC_ISER.write_volatile((1 << INTERRUPTS) - 1);
        for number in (0..PROGRAMS.len()).chain([UNCHECKED]) {
            (NVIC_ISPR as *mut u32).write_volatile(1 << number);
            asm!("dsb", "isb", options(nostack, preserves_flags));
        }
    }
    exit(0)
}

unsafe extern "C" fn unexpected() {
    exit(102)
}

unsafe extern "C" fn nop() {
    mark!("nop_before");
    // SAFETY: it does nothing.
    unsafe { asm!("nop", options(nomem, nostack, preserves_flags)) };
    mark!("nop_after");
}

unsafe extern "C" fn call() {
    mark!("call_before");
    callee();
    mark!("call_after");
}

/// Functions without a prologue are written in assembly: the compiler gives every function a frame
/// on this target.
#[unsafe(naked)]
extern "C" fn callee() {
    naked_asm!(mark_text!("call_inside"), "bx lr");
}

unsafe extern "C" fn call_with_prologue() {
    mark!("call_prologue_before");
    callee_with_prologue();
    mark!("call_prologue_after");
}

#[inline(never)]
fn callee_with_prologue() {
    mark!("call_prologue_entered");
    use_six_registers();
    mark!("call_prologue_leaving");
}

/// Makes the function around it save registers.
#[inline(always)]
fn use_six_registers() {
    // SAFETY: there is no instruction.
    unsafe {
        asm!(
            "/* {0} {1} {2} {3} {4} {5} */",
            in(reg) 0, in(reg) 1, in(reg) 2, in(reg) 3, in(reg) 4, in(reg) 5,
            options(nostack, preserves_flags)
        );
    }
}

unsafe extern "C" fn preemption() {
    pend!("preemption_pend", "preemption_back", PREEMPTING);
}

#[unsafe(naked)]
unsafe extern "C" fn preempting() {
    naked_asm!(mark_text!("preemption_inside"), "bx lr");
}

unsafe extern "C" fn preemption_with_prologue() {
    pend!("preemption_prologue_pend", "preemption_prologue_back", PREEMPTING_WITH_PROLOGUE);
}

unsafe extern "C" fn preempting_with_prologue() {
    mark!("preemption_prologue_entered");
    use_six_registers();
    mark!("preemption_prologue_leaving");
}

/// Pends an interrupt of the same priority, which follows behind this one.
#[unsafe(naked)]
unsafe extern "C" fn tail_chaining() {
    naked_asm!(
        "ldr r0, ={register}",
        "ldr r1, ={bit}",
        "str r1, [r0]",
        mark_text!("tail_before"),
        "bx lr",
        register = const NVIC_ISPR,
        bit = const 1 << CHAINED,
    );
}

#[unsafe(naked)]
unsafe extern "C" fn chained() {
    naked_asm!(mark_text!("tail_inside"), "bx lr");
}

/// The same, where the other one has a prologue.
#[unsafe(naked)]
unsafe extern "C" fn tail_chaining_with_prologue() {
    naked_asm!(
        "ldr r0, ={register}",
        "ldr r1, ={bit}",
        "str r1, [r0]",
        mark_text!("tail_prologue_before"),
        "bx lr",
        register = const NVIC_ISPR,
        bit = const 1 << CHAINED_WITH_PROLOGUE,
    );
}

unsafe extern "C" fn chained_with_prologue() {
    mark!("tail_prologue_entered");
    use_six_registers();
}

unsafe extern "C" fn basepri_section() {
    let ceiling = u32::from(P2);
    let previous: u32;
    // SAFETY: raising BASEPRI and restoring it; the previous value is put back.
    unsafe {
        asm!("/* {0} */", in(reg) ceiling, options(nostack, preserves_flags));
        mark!("basepri_before");
        asm!(
            "mrs {previous}, BASEPRI",
            "msr BASEPRI_MAX, {ceiling}",
            previous = out(reg) previous,
            ceiling = in(reg) ceiling,
            options(nostack, preserves_flags)
        );
        mark!("basepri_inside");
        asm!("msr BASEPRI, {0}", in(reg) previous, options(nostack, preserves_flags));
    }
    mark!("basepri_after");
}

unsafe extern "C" fn primask_section() {
    let previous: u32;
    mark!("primask_before");
    // SAFETY: masking interrupts and unmasking them where they were unmasked.
    unsafe {
        asm!("mrs {0}, PRIMASK", "cpsid i", out(reg) previous, options(nostack, preserves_flags));
        mark!("primask_inside");
        if previous & 1 == 0 {
            asm!("cpsie i", options(nostack, preserves_flags));
        }
    }
    mark!("primask_after");
}

/// A static of one handler.
struct Local<T>(T);

// SAFETY: each is used by one handler, and no handler preempts itself.
unsafe impl<T> Sync for Local<T> {}

// `#[used]` keeps the compiler from proving that nobody else borrows them, and leaving the checks
// out.
#[used]
static CELL: Local<Cell<u32>> = Local(Cell::new(0));
#[used]
static REFCELL: Local<RefCell<u32>> = Local(RefCell::new(0));
#[used]
static EMPTY: Local<RefCell<()>> = Local(RefCell::new(()));
#[used]
static TWICE: Local<RefCell<u32>> = Local(RefCell::new(0));
#[used]
static UNCHECKED_CELL: Local<RefCell<u32>> = Local(RefCell::new(0));

/// What a `RefCell` takes beyond its contents: a row of the table reads it.
#[unsafe(no_mangle)]
#[used]
static REFCELL_OVERHEAD_BYTES: u32 = (size_of::<RefCell<u32>>() - size_of::<u32>()) as u32;

unsafe extern "C" fn cell_increment() {
    mark!("cell_before");
    CELL.0.set(CELL.0.get().wrapping_add(1));
    mark!("cell_after");
}

unsafe extern "C" fn refcell_increment() {
    mark!("refcell_before");
    *REFCELL.0.borrow_mut() += 1;
    mark!("refcell_after");
}

unsafe extern "C" fn refcell_empty() {
    mark!("refcell_empty_before");
    drop(EMPTY.0.borrow_mut());
    mark!("refcell_empty_after");
}

unsafe extern "C" fn refcell_borrow_twice() {
    mark!("refcell_twice_before");
    let current = *TWICE.0.borrow();
    *TWICE.0.borrow_mut() = current + 1;
    mark!("refcell_twice_after");
}

unsafe extern "C" fn refcell_unchecked() {
    mark!("refcell_unchecked_before");
    match UNCHECKED_CELL.0.try_borrow_mut() {
        Ok(mut counter) => *counter += 1,
        // SAFETY: this handler alone borrows it, here alone.
        Err(_) => unsafe { core::hint::unreachable_unchecked() },
    }
    mark!("refcell_unchecked_after");
}
