//! Faults of processes, and their consequences.

#![expect(unsafe_code, reason = "the registers of a process are read")]

use ::core::{fmt, ptr};

use super::life::Place;
use super::record::{Process, Range, Status};
use super::system::System;
use crate::arch::process::change::{is_live, live_frame};
use crate::arch::process::{self, Float, Frame, Onward, onward};
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
    pub status: u32,
    /// The process's registers r0 to r3, r12, lr, pc and xPSR; `None` if its stack had no room for
    /// them.
    pub frame: Option<Frame>,
    /// The process's stack pointer, below that frame.
    pub stack_pointer: u32,
    /// The name of the process's application.
    pub name: &'static str,
    /// The process's memory.
    pub memory: Range,
    /// The end of the memory that the process says it uses.
    pub break_address: u32,
    /// The process's application in flash.
    pub flash: Range,
    /// The class of the call, which is the number in its instruction, if the call was the cause.
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
        if process::HAS_STATUS {
            writeln!(formatter, " (CFSR {:#010x})", self.status)?;
        } else {
            writeln!(formatter, " (by its instruction)")?;
        }
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

/// The status of a refused access whose address is known, with no other fault.
const ACCESS_AT: u32 = 1 << 1 | 1 << 7;

/// The status of a coprocessor instruction, as a floating-point instruction is one, with no other
/// fault.
const NO_COPROCESSOR: u32 = 1 << 19;

/// Finds the cause in the status of a fault.
const fn cause(status: u32) -> Cause {
    const EXECUTION: u32 = 1;
    const ACCESS: u32 = 1 << 1;
    // Bits of the protection unit, and of the bus.
    const UNSTACKING: u32 = 1 << 3 | 1 << 11;
    const STACKING: u32 = 1 << 4 | 1 << 12;
    // Bits for the part of a frame that is stored lazily.
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
    let kept = process.saved_stack_pointer() as usize;
    let frame = if is_live { live_frame() } else { ptr::with_exposed_provenance_mut(kept) };
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
    let stack_pointer = frame.addr() as u32;
    let is_inside = process.may_write(stack_pointer, size_of::<Frame>() as u32);
    let has_frame = is_inside && stack_pointer.is_multiple_of(4) && cause != Cause::Stack;
    // SAFETY: inside the process's memory.
    let stored = has_frame.then(|| unsafe { *frame });
    let called = stored.filter(|frame| cause == Cause::Call && process.may_return_to(frame.pc));
    // SAFETY: in the process's flash: the instruction that has called.
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
        "a fault that isn't a process's, in `{}` or in what interrupted it: CFSR {status:#010x}, \
         address {address:#010x?}",
        SCHEDULER.name()
    )
}
