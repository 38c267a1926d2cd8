//! What a process did that it must not, and what becomes of it.

#![expect(unsafe_code, reason = "the registers of a process are looked at")]

use ::core::{fmt, ptr};

use super::record::{Process, Range, Status};
use super::system::System;
use crate::arch::process::change::{is_live, live_frame};
use crate::arch::process::{self, Float, Frame, Onward, onward};
use crate::core::scheduler::SCHEDULER;

/// What becomes of a process that did what it must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// It is stopped, and nothing else.
    Stop,
    /// It starts anew: at once, or as its [limit](super::RestartLimit) says.
    Restart,
    /// The whole system panics.
    Panic,
}

/// What is done where an application says nothing: it is stopped.
#[must_use]
pub const fn stop(_process: &Process, _fault: &Fault) -> Policy {
    Policy::Stop
}

/// Why a process was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It accessed what isn't its own.
    Access,
    /// It was to execute what isn't its own.
    Execution,
    /// An interrupt, or a call, found no room on its stack.
    Stack,
    /// The bus refused an access.
    Bus,
    /// An instruction that doesn't exist or can't be executed, an access to an odd address, a
    /// division by zero.
    Instruction,
    /// It called in a way that there is none.
    Call,
    /// A breakpoint.
    Breakpoint,
    /// It took the processor for longer than its [watchdog](super::watchdog) allows.
    Watchdog,
}

/// What a process did that it must not. Its `Display` is a dump.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Which process, by its place.
    pub index: usize,
    /// Why.
    pub cause: Cause,
    /// The address that it accessed, if that is known.
    pub address: Option<u32>,
    /// The configurable fault status register.
    pub status: u32,
    /// Its registers r0 to r3, r12, lr, pc and xPSR; none if its stack had no room for them.
    pub frame: Option<Frame>,
    /// Its stack pointer, below that frame.
    pub stack_pointer: u32,
    /// The name of its application.
    pub name: &'static str,
    /// Its memory.
    pub memory: Range,
    /// The end of the memory that it says it uses.
    pub break_address: u32,
    /// Its application in flash.
    pub flash: Range,
    /// The class of the call that it made, the number in its instruction, if that was the cause.
    pub class: Option<u8>,
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Access => "accessed memory that isn't its own",
            Self::Execution => "jumped to where it may not execute",
            Self::Stack => "has a stack pointer that leaves no room in its memory",
            Self::Bus => "accessed an address where nothing is",
            Self::Instruction => "executed an instruction that can't be",
            Self::Call => "made a system call that there isn't",
            Self::Breakpoint => "came to a breakpoint",
            Self::Watchdog => "took the processor for longer than its watchdog allows",
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "process {} {}", self.index, self.cause)?;
        if let Some(address) = self.address {
            write!(formatter, ", at {address:#010x}")?;
        }
        writeln!(formatter, " (CFSR {:#010x})", self.status)?;
        if let Some(Frame { registers: [r0, r1, r2, r3], r12, lr, pc, xpsr }) = self.frame {
            writeln!(formatter, "  r0 {r0:#010x}  r1 {r1:#010x}  r2 {r2:#010x}  r3 {r3:#010x}")?;
            writeln!(
                formatter,
                " r12 {r12:#010x}  lr {lr:#010x}  pc {pc:#010x}  xPSR {xpsr:#010x}"
            )?;
        }
        writeln!(formatter, "  sp {:#010x}", self.stack_pointer)?;
        if let Some(class) = self.class {
            writeln!(formatter, "  called by `svc {class}`, with r0 to r3")?;
        }
        let Self { name, memory, break_address, flash, .. } = self;
        write!(formatter, "  {name}: memory {memory}, break {break_address:#010x}, flash {flash}")
    }
}

/// The status of an access that was refused, of which the address is known, and of nothing else.
const ACCESS_AT: u32 = 1 << 1 | 1 << 7;

/// The status of an instruction of a coprocessor, as the floating-point registers are one, and of
/// nothing else.
const NO_COPROCESSOR: u32 = 1 << 19;

/// Finds the cause in the status of a fault.
const fn cause(status: u32) -> Cause {
    const EXECUTION: u32 = 1;
    const ACCESS: u32 = 1 << 1;
    // Of the protection unit, and of the bus.
    const UNSTACKING: u32 = 1 << 3 | 1 << 11;
    const STACKING: u32 = 1 << 4 | 1 << 12;
    // Of the part of a frame that was put off.
    const LAZY_STACKING: u32 = 1 << 5 | 1 << 13;
    const BUS: u32 = 0xff << 8;
    if status & (STACKING | LAZY_STACKING | UNSTACKING) != 0 {
        Cause::Stack
    } else if status & EXECUTION != 0 {
        Cause::Execution
    } else if status & ACCESS != 0 {
        Cause::Access
    } else if status & BUS != 0 {
        Cause::Bus
    } else if status != 0 {
        Cause::Instruction
    } else {
        Cause::Breakpoint
    }
}

/// Looks at what the process that runs did, in SVCall: a fault of its was noted, or the frame of
/// its call can't be. Nothing, if something else is to become of it.
#[cold]
#[inline(never)]
pub fn look(system: &'static System, process: &'static Process, frame: *mut Frame) -> Onward {
    // SAFETY: behind the fault, with the process left alone.
    let (status, address) = unsafe { process::take_fault() };
    if process.is_changing() {
        return onward(frame);
    }
    if status == ACCESS_AT && address.is_some_and(|address| process.turn_to_address(address)) {
        // The frame was stored, as nothing else has failed.
        process.open();
        return onward(frame);
    }
    let float = if status == NO_COPROCESSOR { process.float(frame) } else { Float::Never };
    if let Float::With(frame) = float {
        process.open();
        return onward(frame);
    }
    let is_inside = process.may_write(frame.addr() as u32, size_of::<Frame>() as u32);
    let has_room = float != Float::NoRoom && (is_inside || status != 0);
    let cause = if has_room { cause(status) } else { Cause::Stack };
    settle(system, process, &dump(process, cause, (status, address), frame));
    onward(frame)
}

/// The process that runs has made a call that there isn't.
#[cold]
#[inline(never)]
pub fn bad_call(system: &'static System, process: &'static Process, frame: *mut Frame) -> Onward {
    settle(system, process, &dump(process, Cause::Call, (0, None), frame));
    onward(frame)
}

/// The watchdog of a process has come: in the switch.
pub fn judge(system: &'static System, process: &'static Process) {
    let is_live = is_live() && SCHEDULER.runs(process.control());
    let kept = process.saved_stack_pointer() as usize;
    let frame = if is_live { live_frame() } else { ptr::with_exposed_provenance_mut(kept) };
    settle(system, process, &dump(process, Cause::Watchdog, (0, None), frame));
}

/// What is known of a process that has stored its registers at `frame`, if it had room there.
fn dump(
    process: &Process,
    cause: Cause,
    (status, address): (u32, Option<u32>),
    frame: *mut Frame,
) -> Fault {
    let stack_pointer = frame.addr() as u32;
    let is_inside = process.may_write(stack_pointer, size_of::<Frame>() as u32);
    let has_frame = is_inside && stack_pointer.is_multiple_of(4) && cause != Cause::Stack;
    // SAFETY: inside its memory.
    let stored = has_frame.then(|| unsafe { *frame });
    let called = stored.filter(|frame| cause == Cause::Call && process.may_return_to(frame.pc));
    // SAFETY: in its flash: the instruction that has called.
    let class = called.map(|frame| unsafe { (frame.pc as usize as *const u8).sub(2).read() });
    Fault {
        index: process.index(),
        cause,
        address,
        status,
        frame: stored,
        stack_pointer,
        name: process.name(),
        memory: process.memory(),
        break_address: process.break_.get(),
        flash: process.flash(),
        class,
    }
}

/// Does what the application says of it.
fn settle(system: &'static System, process: &'static Process, fault: &Fault) {
    process.close();
    match (system.on_fault)(process, fault) {
        Policy::Stop => process.end(Status::Faulted),
        Policy::Restart => process.restart_itself(),
        Policy::Panic => panic!("{fault}"),
    }
}

/// A fault of the system's: panics.
///
/// # Panics
/// Always.
pub extern "C" fn system_fault() -> ! {
    // SAFETY: nothing goes on.
    let (status, address) = unsafe { process::take_fault() };
    panic!(
        "a fault that isn't a process's, in `{}` or in what interrupted it: CFSR {status:#010x}, \
         address {address:#010x?}",
        SCHEDULER.name()
    )
}
