//! Commands that come with their arguments in registers: on RISC-V, where the trap hands them over
//! as the process has put them.

#![expect(unsafe_code, reason = "a driver's type is behind a pointer in the table")]

use super::super::system::system;
use super::super::{Answer, ErrorCode, Process};
use super::{Client, Driver, Row};
use crate::arch::process::Frame;
use crate::core::scheduler::offset;

/// A function that serves a command of a process. Takes the four arguments of the call, which are
/// in the same registers as in the process, the row of the driver, and the frame of the process,
/// which is in its record. Writes the four words that the process gets, and returns the frame.
pub type Serve = unsafe extern "C" fn(u32, u32, u32, u32, &Row, *mut Frame) -> *mut Frame;

/// Serves a command of a process.
///
/// # Safety
/// The row's driver is a static of this type. The frame is in the record of a process.
pub unsafe extern "C" fn serve<D: Driver>(
    number: u32,
    command: u32,
    first: u32,
    second: u32,
    row: &Row,
    frame: *mut Frame,
) -> *mut Frame {
    // SAFETY: the caller's.
    let driver: &'static D = unsafe { &*row.driver.cast() };
    // SAFETY: the caller's.
    let client = Client { process: unsafe { Process::of(frame) }, driver: row.index as u8 };
    let answer = if command == 0 {
        driver.exists(client)
    } else {
        driver.command(client, command, first, second)
    };
    // SAFETY: the caller's: nobody else looks at the registers of a process in its call.
    answer.write_beside([number, command, first, second], unsafe { &mut *frame });
    frame
}

/// Serves a command of a process with permissions, as [`serve`] does, if they allow it.
///
/// # Safety
/// As for [`serve`], and `row` has the place of the driver.
pub unsafe extern "C" fn limited(
    number: u32,
    command: u32,
    first: u32,
    second: u32,
    row: &Row,
    frame: *mut Frame,
) -> *mut Frame {
    // SAFETY: the caller's.
    let process = unsafe { Process::of(frame) };
    let index = row.index;
    if process.may_command(index, number, command) {
        let row = &system().drivers[index].row;
        // SAFETY: the pointer and the function are of one type.
        return unsafe { (row.serve)(number, command, first, second, row, frame) };
    }
    let answer = Answer::Failure(ErrorCode::NoDevice);
    // SAFETY: as in `serve`.
    answer.write_beside([number, command, first, second], unsafe { &mut *frame });
    frame
}

/// The function in a line without a driver.
pub unsafe extern "C" fn nobody(
    _: u32,
    _: u32,
    _: u32,
    _: u32,
    _: &Row,
    frame: *mut Frame,
) -> *mut Frame {
    frame
}

impl Process {
    /// Returns the process that has its registers in this frame.
    ///
    /// # Safety
    /// The frame is in the record of a process.
    #[inline(always)]
    unsafe fn of(frame: *const Frame) -> &'static Self {
        // SAFETY: the caller's: the registers have this place in a process, which is a static.
        unsafe { &*frame.byte_sub(offset::SAVED).cast() }
    }
}
