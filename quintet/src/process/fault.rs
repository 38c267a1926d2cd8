//! What a process did that it must not, and what becomes of it.

#![expect(unsafe_code, reason = "the registers of a process are looked at")]

use ::core::fmt;

use super::record::{Process, Status};
use super::system::System;
use crate::arch::process::{self, Frame, Onward, anew, onward};
use crate::core::lock::kernel;
use crate::core::scheduler::SCHEDULER;

/// What becomes of a process that did what it must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// It is stopped, and nothing else.
    Stop,
    /// It starts anew, at once.
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
        write!(formatter, "  sp {:#010x}", self.stack_pointer)
    }
}

/// The status of an access that was refused, of which the address is known, and of nothing else.
const ACCESS_AT: u32 = 1 << 1 | 1 << 7;

/// Finds the cause in the status of a fault.
const fn cause(status: u32) -> Cause {
    const EXECUTION: u32 = 1;
    const ACCESS: u32 = 1 << 1;
    // Of the protection unit, and of the bus.
    const UNSTACKING: u32 = 1 << 3 | 1 << 11;
    const STACKING: u32 = 1 << 4 | 1 << 12;
    const BUS: u32 = 0xff << 8;
    if status & (STACKING | UNSTACKING) != 0 {
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
/// its call can't be.
pub fn look(system: &'static System, process: &'static Process, frame: *mut Frame) -> Onward {
    // SAFETY: behind the fault, with the process left alone.
    let (status, address) = unsafe { process::take_fault() };
    if status == ACCESS_AT && address.is_some_and(|address| process.turn_to_address(address)) {
        // The frame was stored, as nothing else has failed.
        process.open();
        return onward(frame);
    }
    let is_inside = process.may_write(frame.addr() as u32, size_of::<Frame>() as u32);
    let cause = if is_inside || status != 0 { cause(status) } else { Cause::Stack };
    let has_frame = is_inside && cause != Cause::Stack;
    // SAFETY: inside its memory.
    let stored = has_frame.then(|| unsafe { *frame });
    settle(system, process, cause, (status, address), stored, frame)
}

/// The process that runs has made a call that there isn't.
pub fn bad_call(system: &'static System, process: &'static Process, frame: *mut Frame) -> Onward {
    // SAFETY: the frame of its call was checked.
    let stored = Some(unsafe { *frame });
    settle(system, process, Cause::Call, (0, None), stored, frame)
}

/// Does what the application says of it.
fn settle(
    system: &'static System,
    process: &'static Process,
    cause: Cause,
    (status, address): (u32, Option<u32>),
    frame: Option<Frame>,
    stack_pointer: *mut Frame,
) -> Onward {
    let fault = Fault {
        index: process.index(),
        cause,
        address,
        status,
        frame,
        stack_pointer: stack_pointer.addr() as u32,
    };
    process.close();
    match (system.on_fault)(process, &fault) {
        Policy::Stop => system.end(process, Status::Faulted),
        Policy::Restart => return system.restart(process),
        Policy::Panic => panic!("{fault}"),
    }
    onward(stack_pointer)
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

impl System {
    /// Starts the process that runs anew, in SVCall.
    pub(super) fn restart(&'static self, process: &'static Process) -> Onward {
        self.forget(process);
        process.restarts.set(process.restarts.get().wrapping_add(1));
        let begun = super::load::begin(process);
        kernel(|_| process.set_status(Status::Alive));
        anew(begun)
    }
}
