//! System calls: the one place that depends on the processor. On the computer they go to a
//! [kernel for tests](crate::host).

#[cfg(target_arch = "arm")]
mod arm;
#[cfg(not(target_arch = "arm"))]
mod computer;
#[cfg(target_arch = "arm")]
mod start;

use core::cell::Cell;

#[cfg(target_arch = "arm")]
pub use arm::{call, exit, is_here, life, yield_now};
#[cfg(not(target_arch = "arm"))]
pub use computer::{call, exit, is_here, life, yield_now};

/// The classes of system calls.
pub mod class {
    /// Subscribe a function to an upcall.
    pub const SUBSCRIBE: u8 = 1;
    /// Let a driver do something.
    pub const COMMAND: u8 = 2;
    /// Lend a buffer for writing.
    pub const READ_WRITE: u8 = 3;
    /// Lend a buffer for reading.
    pub const READ_ONLY: u8 = 4;
    /// Ask for memory, or about it.
    pub const MEMORY: u8 = 5;
}

/// How to yield: r0 of the call.
pub mod kind {
    /// Run an upcall if one is due.
    pub const NO_WAIT: usize = 0;
    /// Wait until an upcall has run.
    pub const WAIT: usize = 1;
    /// Wait for a certain upcall, and take its words in place of running a function.
    pub const WAIT_FOR: usize = 2;
}

/// What the one thread of a process alone uses: upcalls run in a yield, and nothing runs beside.
///
/// INVARIANT(one-thread): the value is reached by one thread only. On a microcontroller a process
/// has one. On the computer it is the one that has the kernel for tests, which is asserted.
pub struct OneThread<T>(T);

#[expect(unsafe_code, reason = "the one place that says that there is one thread")]
// SAFETY: INVARIANT(one-thread), which `get` asserts where there could be several.
unsafe impl<T> Sync for OneThread<T> {}

impl<T> OneThread<T> {
    /// A value for it.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// The value.
    ///
    /// # Panics
    /// On the computer, on a thread that has no kernel for tests.
    pub fn get(&self) -> &T {
        assert!(is_here(), "no kernel: call `quintet_process::host::run` in the test");
        &self.0
    }
}

impl<T> core::fmt::Debug for OneThread<T> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.write_str("..")
    }
}

/// Something that is done once in the life of the process.
pub struct Once(Cell<u32>);

impl Once {
    pub const fn new() -> Self {
        Self(Cell::new(0))
    }

    pub fn is_done(&self) -> bool {
        self.0.get() == life()
    }

    pub fn set(&self) {
        self.0.set(life());
    }
}
