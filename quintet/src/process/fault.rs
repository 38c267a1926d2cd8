//! Faults of processes, and their consequences.

#![expect(unsafe_code, reason = "the registers of a process are read")]

use ::core::{fmt, ptr};

use super::life::Place;
use super::record::{Process, Range, Status};
use super::system::System;
use crate::arch::process::change::{is_live, live_frame};
use crate::arch::process::fault as reported;
use crate::arch::process::{
    self, Float, Frame, Onward, STACKED, class_of, onward, stack_pointer_of,
};
use crate::core::scheduler::SCHEDULER;

/// The consequence of a fault for its process.
///
/// ```
/// use quintet::process::{Cause, Fault, Policy, Process};
///
/// /// Stands behind `on_fault =` of `processes!`. A process with a fault starts again, up to 3
/// /// times. A process whose watchdog has expired is stopped at once.
/// fn on_fault(process: &Process, fault: &Fault) -> Policy {
///     if fault.cause == Cause::Watchdog || process.restarts() >= 3 {
///         Policy::Stop
///     } else {
///         Policy::Restart
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The process is stopped. Nothing else happens.
    Stop,
    /// The process starts again: at once, or as its [limit](super::RestartLimit) says.
    Restart,
    /// The whole system panics.
    Panic,
}

/// The default policy: stops the process.
#[must_use]
pub const fn stop(_process: &Process, _fault: &Fault) -> Policy {
    Policy::Stop
}

/// The cause of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The process accessed memory that isn't its own.
    Access,
    /// The process tried to execute memory that isn't its own.
    Execution,
    /// An interrupt, or a call, found no room on the process's stack.
    Stack,
    /// The bus refused an access.
    Bus,
    /// An instruction doesn't exist or can't be executed, an address is odd, or a divisor is zero.
    Instruction,
    /// The process made a call that doesn't exist.
    Call,
    /// A breakpoint.
    Breakpoint,
    /// The process took the processor for longer than its [watchdog](super::watchdog) allows.
    Watchdog,
}

/// A fault of a process. Its `Display` is a dump.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The place of the process.
    pub index: usize,
    /// The cause.
    pub cause: Cause,
    /// The address that the process accessed, if that is known.
    pub address: Option<u32>,
    /// The configurable fault status register. An ARMv6-M has none: the bits are those that an
    /// ARMv7-M would have, as far as the instruction at which the process has stopped tells them.
    /// On RISC-V: the bit of the number in `mcause`.
    pub status: u32,
    /// The process's registers: r0 to r3, r12, lr, pc and xPSR; `None` if its stack had no room for
    /// them. On RISC-V: all registers.
    pub frame: Option<Frame>,
    /// The process's stack pointer: on Cortex-M below that frame.
    pub stack_pointer: u32,
    /// The name of the process's application.
    pub name: &'static str,
    /// The process's memory.
    pub memory: Range,
    /// The end of the memory that the process says it uses.
    pub break_address: u32,
    /// The process's application in flash.
    pub flash: Range,
    /// The class of the call, if the call was the cause: the number in its instruction, or in a4.
    pub class: Option<u32>,
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
        reported::show_status(formatter, self.status)?;
        writeln!(formatter)?;
        if let Some(frame) = self.frame {
            write!(formatter, "{frame}")?;
        }
        writeln!(formatter, "  sp {:#010x}", self.stack_pointer)?;
        if let Some(class) = self.class {
            formatter.write_str("  called by ")?;
            process::show_call(formatter, class)?;
            writeln!(formatter)?;
        }
        let Self { name, memory, break_address, flash, .. } = self;
        write!(formatter, "  {name}: memory {memory}, break {break_address:#010x}, flash {flash}")
    }
}

/// Finds the cause in the status of a fault.
const fn cause(status: u32) -> Cause {
    if status & reported::STACK != 0 {
        Cause::Stack
    } else if status & reported::EXECUTION != 0 {
        Cause::Execution
    } else if status & reported::ACCESS != 0 {
        Cause::Access
    } else if status & reported::BUS != 0 {
        Cause::Bus
    } else if status & !reported::BREAKPOINT != 0 {
        Cause::Instruction
    } else {
        Cause::Breakpoint
    }
}

/// Looks at a process whose calls aren't served, in SVCall: a fault was noted, or the process
/// changes.
#[cold]
#[inline(never)]
pub fn look(system: &'static System, process: &'static Process, frame: *mut Frame) -> Onward {
    if process.is_changing() {
        // SAFETY: after the fault, and the process doesn't run.
        let (status, _address) = unsafe { process::take_fault(process.address(), frame) };
        // A process that is entered while it changes has a fault. Without one, this is the second
        // look at the call that has noted the change.
        return if status == 0 { onward(frame) } else { process.step(frame) };
    }
    look_at_call(system, process, frame)
}

/// Handles a fault of the running process, in SVCall: a fault was noted, or the frame of its call
/// is invalid. Does nothing if a change of the process is noted.
#[cold]
#[inline(never)]
pub fn look_at_call(
    system: &'static System,
    process: &'static Process,
    frame: *mut Frame,
) -> Onward {
    // SAFETY: after the fault, and the process doesn't run.
    let (status, address) = unsafe { process::take_fault(process.address(), frame) };
    if process.is_changing() {
        return onward(frame);
    }
    if reported::is_access(status)
        && address.is_some_and(|address| process.turn_to_address(address))
    {
        // The frame was stored, as nothing else has failed.
        process.open();
        return onward(frame);
    }
    let float = if reported::lacks_registers(status) { process.float(frame) } else { Float::Never };
    if let Float::With(frame) = float {
        process.open();
        return onward(frame);
    }
    let is_inside = process.has_frame(frame.addr() as u32);
    let has_room = float != Float::NoRoom && (is_inside || status != 0);
    let cause = if has_room { cause(status) } else { Cause::Stack };
    let fault = dump(process, cause, (status, address), frame);
    go_on(process, frame, settle(system, process, &fault, Place::Call))
}

/// Handles a call of the running process that doesn't exist.
#[cold]
#[inline(never)]
pub fn bad_call(system: &'static System, process: &'static Process, frame: *mut Frame) -> Onward {
    let fault = dump(process, Cause::Call, (0, None), frame);
    go_on(process, frame, settle(system, process, &fault, Place::Call))
}

/// Returns the frame with which a process continues after its fault.
fn go_on(process: &Process, frame: *mut Frame, closes: bool) -> Onward {
    onward(if closes { process.close_for_change() } else { frame })
}

/// Handles the expiry of a process's watchdog, in the switch.
pub fn judge(system: &'static System, process: &'static Process) {
    let is_live = is_live() && SCHEDULER.runs(process.control());
    let frame = if is_live { live_frame() } else { process.frame() };
    let fault = dump(process, Cause::Watchdog, (0, None), frame);
    settle(system, process, &fault, Place::Elsewhere);
}

/// Collects the facts about a process that has stored its registers at `frame`, if there was room.
fn dump(
    process: &Process,
    cause: Cause,
    (status, address): (u32, Option<u32>),
    frame: *mut Frame,
) -> Fault {
    let place = frame.addr() as u32;
    let is_inside = STACKED == 0 || process.may_write(place, STACKED);
    let has_frame = is_inside && place.is_multiple_of(4) && cause != Cause::Stack;
    // SAFETY: inside the process's memory, or its record.
    let stored = has_frame.then(|| unsafe { *frame });
    let called = stored.filter(|_| cause == Cause::Call);
    // SAFETY: the frame is a copy of the process's, which may return to its own flash only.
    let class = called
        .and_then(|frame| unsafe { class_of(&raw const frame, |to| process.may_return_to(to)) });
    // SAFETY: the frame is the process's.
    let stack_pointer = unsafe { stack_pointer_of(frame) };
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

/// Applies the application's policy to a fault. Returns `true` if the call must close the process.
/// `quintet run` knows this function by its name, and tells the fault.
#[cold]
#[inline(never)]
fn settle(system: &'static System, process: &'static Process, fault: &Fault, place: Place) -> bool {
    process.close();
    match (system.on_fault)(process, fault) {
        Policy::Stop => process.end(Status::Faulted, place),
        Policy::Restart => process.restart_itself(place),
        Policy::Panic => panic!("{fault}"),
    }
}

/// Panics, for a fault of the system itself.
///
/// # Panics
/// Always.
///
/// # Safety
/// A thread runs, or idle beside threads.
pub unsafe extern "C" fn system_fault() -> ! {
    // SAFETY: the system stops here.
    let (status, address) = unsafe { process::take_fault(ptr::null(), ptr::null()) };
    panic!(
        "a fault that isn't a process's, in `{}` or in what interrupted it: {} {status:#010x}, \
         address {address:#010x?}",
        SCHEDULER.name(),
        reported::REGISTER
    )
}
