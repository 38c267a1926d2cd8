//! The behaviours in the RTFM document besides cycles: the instructions that complete before an
//! exception, and the words that the hardware leaves on the stack.

use anyhow::{Result, ensure};

use super::report::Behaviour;
use super::vectors::{Document, read_word, run_to_breakpoint};
use crate::debugger::{Debugger, Halted};

const LIMIT: u64 = 10_000;

/// The program in which t2 preempts t1, which preempted idle.
const SHARED_STACK: &str = "shared stack";
const T1_BREAKPOINT: u32 = 0x0800_0330;
const T2_BREAKPOINT: u32 = 0x0800_0344;
/// The stack pointers that the document shows at the two BKPTs.
const T1_STACK: u32 = 0x2000_1fd4;
const T2_STACK: u32 = 0x2000_1fb0;
/// The return address and the xPSR, counted in words from a frame's start.
const FRAME_PC: u32 = 4 * 6;
const FRAME_XPSR: u32 = 4 * 7;
/// The alignment bit of a stacked xPSR (B1.5.7).
const REALIGNED: u32 = 1 << 9;

/// Runs a program of the document. An error names the difference from the document.
type Check = fn(&Document) -> Result<()>;

/// Checks all of them.
pub fn run(document: &Document) -> Vec<Behaviour> {
    let checks: [(&str, Check); 5] = [
        ("pend_store_one_more_instruction", one_more_instruction),
        ("pend_store_before_bkpt", before_breakpoint),
        ("idle_pend_then_wfi", wait_completes),
        ("frame_word_order", frame_word_order),
        ("setup_cost_per_task", setup_cost),
    ];
    let outcome = |(name, check): (_, Check)| Behaviour {
        name,
        result: check(document).map_err(|error| format!("{error:#}")),
    };
    checks.into_iter().map(outcome).collect()
}

fn halt_at(debugger: &mut Debugger, address: u32) -> Result<()> {
    let halted = debugger.resume(LIMIT);
    ensure!(
        matches!(halted, Halted::Breakpoint) && debugger.pc() == address,
        "halted at {:#010x} instead of {address:#010x} ({halted:?})",
        debugger.pc()
    );
    Ok(())
}

fn expect(debugger: &Debugger, address: u32, expected: u32) -> Result<()> {
    let found = read_word(debugger, address)?;
    ensure!(found == expected, "{address:#010x} holds {found:#010x} instead of {expected:#010x}");
    Ok(())
}

/// Exactly one instruction completes after the store that pends a more urgent interrupt.
fn one_more_instruction(document: &Document) -> Result<()> {
    let mut debugger = document.at_idle(SHARED_STACK)?;
    halt_at(&mut debugger, T1_BREAKPOINT)?;
    halt_at(&mut debugger, T2_BREAKPOINT)?;
    expect(&debugger, T2_STACK + 4 + FRAME_PC, 0x0800_033a)
}

/// A BKPT behind that store does not halt before the exception is taken.
fn before_breakpoint(document: &Document) -> Result<()> {
    let mut debugger = document.at_idle("preemption")?;
    halt_at(&mut debugger, 0x0800_032a)?;
    halt_at(&mut debugger, 0x0800_0336)?;
    expect(&debugger, debugger.machine().processor.registers.r[13] + FRAME_PC, 0x0800_0332)
}

/// The one more instruction may be a WFI, which completes.
fn wait_completes(document: &Document) -> Result<()> {
    let mut debugger = document.at_idle(SHARED_STACK)?;
    halt_at(&mut debugger, T1_BREAKPOINT)?;
    expect(&debugger, T1_STACK + 4 + FRAME_PC, 0x0800_03e4)?;
    expect(&debugger, T1_STACK + 4 + FRAME_XPSR, 0x6100_0000)
}

/// Order and size of the frames of two suspended tasks, all words of them.
fn frame_word_order(document: &Document) -> Result<()> {
    let mut debugger = document.at_idle(SHARED_STACK)?;
    halt_at(&mut debugger, T1_BREAKPOINT)?;
    halt_at(&mut debugger, T2_BREAKPOINT)?;
    let stack = debugger.machine().processor.registers.r[13];
    ensure!(stack == T2_STACK, "SP is {stack:#010x} instead of {T2_STACK:#010x}");
    let t1 = [0x2a, 0x80, 0, 0xd100, 0x40, 0xffff_fff9, 0x0800_033a, 0x2100_0016];
    let idle = [0xe000_1000, 0xd200, 0, 0xd100, 0x40, 0x0800_038d, 0x0800_03e4, 0x6100_0000];
    let expected = [0x18].into_iter().chain(t1).chain([0x2a]).chain(idle);
    for (address, word) in (T2_STACK..).step_by(4).zip(expected) {
        expect(&debugger, address, word)?;
    }
    let xpsr = read_word(&debugger, T2_STACK + 4 + FRAME_XPSR)?;
    ensure!(xpsr & REALIGNED == 0, "the frame was realigned (CCR.STKALIGN is 0 on this part)");
    Ok(())
}

/// A further task costs four to six cycles of set-up.
fn setup_cost(document: &Document) -> Result<()> {
    let one = cycles_between(document, "setup of one task", 0x0800_038c, 0x0800_0332)?;
    let two = cycles_between(document, "setup of two tasks", 0x0800_0384, 0x0800_0328)?;
    let cost = i64::from(two) - i64::from(one);
    ensure!((4..=6).contains(&cost), "a further task costs {cost} cycles, not 4 to 6");
    Ok(())
}

fn cycles_between(document: &Document, program: &str, start: u32, end: u32) -> Result<u32> {
    let mut debugger = document.at_idle(program)?;
    let registers = &mut debugger.machine_mut().processor.registers;
    registers.r[4] = 0; // PRIMASK before the section, which the program has saved here
    registers.r[15] = start;
    let before = debugger.cycle_counter();
    run_to_breakpoint(&mut debugger, end)?;
    Ok(debugger.cycle_counter().wrapping_sub(before))
}
