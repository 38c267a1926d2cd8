//! System calls, which SVCall serves for the running process.
//!
//! Source: TRD 104 of Tock, "System Calls".

#![expect(unsafe_code, reason = "the frame of a process is read and written")]

use ::core::ptr;

use super::life::{Change, Place};
use super::record::{Process, Range, Status};
use super::system::{System, system};
use super::upcall::{NOBODYS, Taken, Yielded, deliver_or};
use super::{Answer, ErrorCode, fault};
use crate::arch::process::{Frame, Onward, class_of, onward};
use crate::arch::switch;
use crate::core::lock::kernel;

/// The classes of calls: the number in the instruction.
mod class {
    pub const YIELD: u32 = 0;
    pub const SUBSCRIBE: u32 = 1;
    pub const COMMAND: u32 = 2;
    pub const ALLOW_READ_WRITE: u32 = 3;
    pub const ALLOW_READ_ONLY: u32 = 4;
    pub const MEMORY: u32 = 5;
    pub const EXIT: u32 = 6;
    pub const ALLOW_USERSPACE_READABLE: u32 = 7;
}

/// The number of bytes of a process's memory that one call clears at most.
const PIECE: u32 = 256;

/// A call: its process, its arguments, and the frame that has the arguments and gets the answer.
struct Call {
    system: &'static System,
    process: &'static Process,
    /// Read once. A process may lend the memory of its frame to a driver, whose jobs then write
    /// there, and the kernel must use the same values that it has checked.
    arguments: [u32; 4],
    frame: &'static mut Frame,
}

/// Handles a fault of the running process, or does a piece of the work of its change. Returns the
/// process's stack pointer.
#[unsafe(no_mangle)]
unsafe extern "C" fn __quintet_look(frame: *mut Frame) -> Onward {
    // SAFETY: a process runs.
    let process = unsafe { Process::running() };
    fault::look(system(), process, frame)
}

/// Serves a call of the running process, or handles a fault of this process. Returns the process's
/// stack pointer.
#[cfg(any(noted_pauses, plain_switch))]
#[unsafe(no_mangle)]
unsafe extern "C" fn __quintet_serve_call(frame: *mut Frame) -> Onward {
    // SAFETY: the process has called.
    unsafe { serve(frame, Process::running()) }
}

/// Serves a call of `process`, which runs, or handles a fault of this process. Returns the
/// process's stack pointer.
#[cfg(not(any(noted_pauses, plain_switch)))]
#[unsafe(no_mangle)]
unsafe extern "C" fn __quintet_serve_call(
    frame: *mut Frame,
    _lines: u32,
    process: &'static Process,
) -> Onward {
    // SAFETY: the process has called.
    unsafe { serve(frame, process) }
}

/// Serves a call of a process, or handles its fault.
///
/// # Safety
/// The process has called, or has a fault.
#[inline(always)]
unsafe fn serve(frame: *mut Frame, process: &'static Process) -> Onward {
    let system = system();
    if !process.owns_frame(frame.addr() as u32) {
        return fault::look_at_call(system, process, frame);
    }
    // SAFETY: the frame lies in the process's memory. While SVCall runs, only jobs that copy to
    // buffers use this memory, and a buffer may contain the frame.
    let arguments = unsafe { (&raw const (*frame).registers).read_volatile() };
    // SAFETY: the frame is as above, and the process may return to its own flash only.
    let Some(class) = (unsafe { class_of(frame, |behind| process.may_return_to(behind)) }) else {
        return fault::bad_call(system, process, frame);
    };
    // SAFETY: as for the arguments.
    let call = Call { system, process, arguments, frame: unsafe { &mut *frame } };
    match class {
        class::COMMAND => call.command(),
        class::YIELD => return call.yield_(frame),
        class::SUBSCRIBE => call.subscribe(),
        class::ALLOW_READ_ONLY | class::ALLOW_READ_WRITE | class::ALLOW_USERSPACE_READABLE => {
            call.allow(class);
        }
        class::MEMORY => call.memory(),
        class::EXIT => return call.exit(frame),
        _ => return fault::bad_call(system, process, frame),
    }
    onward(frame)
}

/// Serves a yield of `process`, which runs. If the process waits and nothing is due, the assembly
/// has served it. A yield that doesn't wait and finds nothing has a short way here. All others take
/// that of all calls. Returns the process's stack pointer.
///
/// The class was read with the rights of the process, so nobody asks for its place again.
#[cfg(not(any(noted_pauses, plain_switch)))]
#[unsafe(no_mangle)]
unsafe extern "C" fn __quintet_serve_yield(
    frame: *mut Frame,
    lines: u32,
    process: &'static Process,
) -> Onward {
    if process.owns_frame(frame.addr() as u32) && !process.notices.are_due() {
        // SAFETY: a frame in the process's memory. A buffer that a driver fills may contain it.
        let [kind, flag, ..] = unsafe { (&raw const (*frame).registers).read_volatile() };
        if kind == 0 && kernel(|lock| process.upcalls.len(lock) == 0) {
            process.tell_whether(false, flag);
            return onward(frame);
        }
    }
    // SAFETY: the process has called.
    unsafe { __quintet_serve_call(frame, lines, process) }
}

impl Call {
    const fn argument(&self, number: usize) -> u32 {
        self.arguments[number]
    }

    fn answer(self, answer: Answer) {
        answer.write(self.frame);
    }

    /// Lets the process make this call again: a part of the work is done. Whoever is more urgent
    /// comes in between.
    fn again(self) {
        self.answer(Answer::Again);
    }

    /// Returns the answer to a call of a driver that the process may not call at all. Returns
    /// `None` if the process may call the driver.
    fn refuse(&self) -> Option<Answer> {
        if !self.process.is_limited() {
            return None;
        }
        let driver = self.system.find(self.argument(0));
        let may = driver.is_some_and(|driver| self.process.may_call(driver));
        (!may).then_some(Answer::Failure(ErrorCode::NoDevice))
    }

    /// Command: driver, number, two arguments.
    fn command(self) {
        let [number, command, ..] = self.arguments;
        let entry = self.system.driver(number);
        let may = |index| self.process.may_command(usize::from(index), number, command);
        match entry {
            // The driver gets the number that was checked.
            Some(entry) if may(entry.index) => entry.serve(self.frame, self.process, command),
            _ => self.answer(Answer::Failure(ErrorCode::NoDevice)),
        }
    }

    /// Subscribe: driver, number, function, the function's argument. Answers the function and the
    /// argument of the last subscription.
    fn subscribe(self) {
        let [_, number, function, data] = self.arguments;
        let failure = |error| Answer::FailureWords(error, function, data);
        let answer = match self.refuse() {
            Some(answer) => answer,
            None => match self.try_subscribe(number, function, data) {
                Ok(Some(answer)) => answer,
                Ok(None) => return self.again(),
                Err(error) => failure(error),
            },
        };
        self.answer(answer);
    }

    /// Subscribes. Returns `None` if the call must come again.
    fn try_subscribe(
        &self,
        number: u32,
        function: u32,
        data: u32,
    ) -> Result<Option<Answer>, ErrorCode> {
        if function != 0 && !self.process.may_lend(function, 4) {
            return Err(ErrorCode::Invalid);
        }
        let driver = self.system.driver(self.argument(0)).ok_or(ErrorCode::NoDevice)?;
        let upcall = driver.upcall(self.process.index(), number as usize);
        let upcall = upcall.ok_or(ErrorCode::NoSupport)?;
        // Upcalls that are due for the old function are not for the new one. Notices belong to no
        // function: a process also gets notices from before its subscription.
        if self.process.upcalls.drop_some_of(upcall) {
            return Ok(None);
        }
        let before = kernel(|_| (upcall.function.replace(function), upcall.data.replace(data)));
        Ok(Some(Answer::Words(before.0, before.1)))
    }

    /// Allow: driver, number, address, size. Answers the address and the size of the last buffer.
    fn allow(self, class: u32) {
        let [_, number, address, size] = self.arguments;
        let answer = self.refuse().unwrap_or_else(|| {
            let result = self.try_allow(number as usize, (address, size), class);
            result.unwrap_or_else(|error| Answer::FailureWords(error, address, size))
        });
        self.answer(answer);
    }

    fn try_allow(
        &self,
        number: usize,
        (address, size): (u32, u32),
        class: u32,
    ) -> Result<Answer, ErrorCode> {
        let driver = self.system.driver(self.argument(0)).ok_or(ErrorCode::NoDevice)?;
        let is_to_read = class == class::ALLOW_READ_ONLY;
        let may_lend_memory = self.process.may_lend_memory(address, size);
        if !(may_lend_memory || is_to_read && self.process.may_lend(address, size)) {
            return Err(ErrorCode::Invalid);
        }
        let index = self.process.index();
        let buffer = match class {
            class::ALLOW_READ_ONLY => driver.read_only(index, number),
            class::ALLOW_READ_WRITE => driver.read_write(index, number),
            _ => driver.readable(index, number),
        };
        let buffer = buffer.ok_or(ErrorCode::NoSupport)?;
        if may_lend_memory {
            self.process.note_lent(address, size);
        }
        let before = kernel(|_| (buffer.address.replace(address), buffer.size.replace(size)));
        self.process.note_swap(driver.index, buffer);
        Ok(Answer::Words(before.0, before.1))
    }

    /// Yield, of three kinds. The first doesn't wait. The second waits until an upcall was run. The
    /// third waits until an upcall has come, which is not run. Any other kind returns at once, as
    /// TRD 104 demands.
    fn yield_(self, frame: *mut Frame) -> Onward {
        match self.argument(0) {
            0 => self.yield_now(),
            1 => {
                let process = self.process;
                process.set_frame(frame);
                let wait = process.any();
                match deliver_or(process, self.frame, Some(wait)) {
                    Yielded::Called => (),
                    Yielded::Nothing => switch::pend(),
                    Yielded::Part => self.again(),
                }
            }
            2 => self.yield_for(frame),
            _ => return unknown(frame),
        }
        onward(frame)
    }

    /// Runs an upcall, if one is due, and writes at an address of the process whether an upcall was
    /// due.
    fn yield_now(self) {
        let flag = self.argument(1);
        let yielded = deliver_or(self.process, self.frame, None);
        if yielded == Yielded::Part {
            return self.again();
        }
        self.process.tell_whether(yielded == Yielded::Called, flag);
    }

    /// Waits for one upcall, which the call names by a driver and a number.
    fn yield_for(self, frame: *mut Frame) {
        let number = self.argument(2) as usize;
        let driver = self.system.driver(self.argument(1));
        let wanted = driver.and_then(|driver| driver.upcall(self.process.index(), number));
        let wanted = wanted.unwrap_or(&NOBODYS);
        let process = self.process;
        process.set_frame(frame);
        if process.notices.are_due()
            && let Some(entry) = driver
            && let Some(words) = process.take_notice_of(entry, number)
        {
            return self.frame.registers[..3].copy_from_slice(&words);
        }
        let looked_at = match process.upcalls.take(wanted) {
            Taken::One(due) => return self.frame.registers[..3].copy_from_slice(&due.arguments),
            Taken::Nothing(looked_at) => looked_at,
            Taken::Part => return self.again(),
        };
        let waits = kernel(|lock| {
            // Another upcall may have come since the last look.
            let has_all = process.upcalls.len(lock) == looked_at;
            if has_all {
                process.wait(wanted, lock);
            }
            has_all
        });
        if waits { switch::pend() } else { self.again() }
    }

    /// Memory operations: the memory of the process, and the part that the process uses.
    fn memory(self) {
        let (operation, argument) = (self.argument(0), self.argument(1));
        let process = self.process;
        let Range { begin, end } = process.memory();
        let flash = process.flash();
        let answer = match operation {
            0 | 1 => {
                let frame = ptr::from_ref(&*self.frame).addr() as u32;
                match process.set_break(frame, operation == 1, argument) {
                    Ok(None) => return self.again(),
                    Ok(Some(_)) if operation == 0 => Answer::Success,
                    Ok(Some(before)) => Answer::Word(before),
                    Err(error) => Answer::Failure(error),
                }
            }
            2 => Answer::Word(begin),
            3 => Answer::Word(end),
            4 => Answer::Word(flash.begin),
            5 => Answer::Word(flash.end),
            6 => Answer::Word(end),
            7 => Answer::Word(process.writeable().count() as u32),
            8 | 9 => match process.writeable().pair(argument as usize) {
                Some((offset, size)) => {
                    let first = flash.begin.wrapping_add(offset);
                    Answer::Word(first.wrapping_add(if operation == 8 { 0 } else { size }))
                }
                None => Answer::Failure(ErrorCode::Fail),
            },
            // The beginning of the stack and of the heap, for a debugger: ignored.
            10 | 11 => Answer::Success,
            _ => Answer::Failure(ErrorCode::NoSupport),
        };
        self.answer(answer);
    }

    /// Exit: the process ends, or starts again.
    fn exit(self, frame: *mut Frame) -> Onward {
        let process = self.process;
        let (status, change) = match self.argument(0) {
            0 => (Status::Exited(self.argument(1)), Change::End),
            1 => (Status::Restarting, Change::Restart),
            _ => {
                self.answer(Answer::Failure(ErrorCode::NoSupport));
                return onward(frame);
            }
        };
        let closes = process.note_own(status, change, Place::Call);
        onward(if closes { process.close_for_change() } else { frame })
    }
}

/// A yield of an unknown kind. Separate, as it would cost the known kinds 12 cycles within the
/// match.
#[cold]
#[inline(never)]
fn unknown(frame: *mut Frame) -> Onward {
    onward(frame)
}

impl Process {
    /// Moves the end of the memory that the process uses, and so the end of the memory that the
    /// process can access, to an address, or by a number of bytes if `moves_by`. New memory is
    /// zero. Returns the old end, or `None` if there is more memory to clear: then the call must
    /// come again. The frame of the call must stay in the used memory, or the return would be a
    /// fault.
    fn set_break(
        &self,
        frame: u32,
        moves_by: bool,
        argument: u32,
    ) -> Result<Option<u32>, ErrorCode> {
        let now = self.break_.get();
        let progress = self.progress.replace(0);
        let before = if progress == 0 { now } else { progress };
        let wanted = if moves_by { before.wrapping_add(argument) } else { argument };
        let least = self.lent.get().max(self.end_of_frame(frame));
        if wanted < least || wanted > self.memory().end {
            return Err(ErrorCode::NoMemory);
        }
        let next = wanted.min(now.saturating_add(PIECE));
        // SAFETY: in the process's memory. The frame of this call lies below the old end.
        unsafe { clear(now, next) };
        self.break_.set(next);
        // Regions take as long as a piece: they are for the next call.
        if next < wanted || next > now {
            self.progress.set(before);
            return Ok(None);
        }
        self.open_memory();
        Ok(Some(before))
    }

    /// Writes at an address of the process, if it has this byte, whether an upcall has run.
    #[inline(always)]
    fn tell_whether(&self, has_run: bool, flag: u32) {
        if self.may_lend_memory(flag, 1) {
            // SAFETY: in the process's memory.
            unsafe { (flag as usize as *mut u8).write_volatile(u8::from(has_run)) };
        }
    }

    /// Returns `true` if the process may lend this range for writing: the range lies in the
    /// process's memory, before the end of the used part. An empty range may lie anywhere.
    const fn may_lend_memory(&self, begin: u32, size: u32) -> bool {
        Range { begin: self.memory().begin, end: self.break_.get() }.has(begin, size)
    }

    /// Returns `true` if the process may lend this range for reading: as for writing, or in the
    /// process's flash behind the header.
    fn may_lend(&self, begin: u32, size: u32) -> bool {
        let code = Range { begin: self.facts.get().code, end: self.flash().end };
        self.may_lend_memory(begin, size) || code.has(begin, size)
    }

    /// Notes that the process uses the lent range until the process ends.
    fn note_lent(&self, begin: u32, size: u32) {
        let end = begin.wrapping_add(size);
        if size > 0 && end > self.lent.get() {
            self.lent.set(end);
        }
    }
}

/// Writes zeros to the memory from `begin` to `end`.
///
/// # Safety
/// The memory is the process's, and contains no frame that is in use.
unsafe fn clear(begin: u32, end: u32) {
    const BLOCK: u32 = 32;
    let mut at = begin;
    // SAFETY: the caller's. Volatile, as the compiler would call a slower function.
    let byte = |at: u32| unsafe { (at as usize as *mut u8).write_volatile(0) };
    while at < end && !at.is_multiple_of(4) {
        byte(at);
        at += 1;
    }
    while at + BLOCK <= end {
        for word in 0..BLOCK as usize / 4 {
            // SAFETY: the caller's.
            unsafe { (at as usize as *mut u32).add(word).write_volatile(0) };
        }
        at += BLOCK;
    }
    while at + 4 <= end {
        // SAFETY: the caller's.
        unsafe { (at as usize as *mut u32).write_volatile(0) };
        at += 4;
    }
    while at < end {
        byte(at);
        at += 1;
    }
}
