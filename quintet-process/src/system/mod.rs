//! System calls: the only module that depends on the processor. On the computer, system calls go to
//! a [kernel for tests](crate::host).

#[cfg(target_arch = "arm")]
mod arm;
#[cfg(not(any(target_arch = "arm", target_arch = "riscv32")))]
mod computer;
#[cfg(target_arch = "riscv32")]
mod riscv;
#[cfg(target_arch = "arm")]
mod start;
#[cfg(target_arch = "riscv32")]
mod start_riscv;

use core::cell::Cell;

#[cfg(target_arch = "arm")]
pub use arm::{call, exit, is_here, life, yield_now};
#[cfg(not(any(target_arch = "arm", target_arch = "riscv32")))]
pub use computer::{call, exit, is_here, life, yield_now};

#[cfg(target_arch = "riscv32")]
pub use riscv::{call, exit, is_here, life, yield_now};

/// The classes of system calls.
pub mod class {
    /// Subscribes a function to an upcall.
    pub const SUBSCRIBE: u8 = 1;
    /// Asks a driver to do something.
    pub const COMMAND: u8 = 2;
    /// Lends a buffer for writing.
    pub const READ_WRITE: u8 = 3;
    /// Lends a buffer for reading.
    pub const READ_ONLY: u8 = 4;
    /// Asks for memory, or about memory.
    pub const MEMORY: u8 = 5;
}

/// The kinds of yields: r0 of the call.
pub mod kind {
    /// Runs an upcall if one is due.
    pub const NO_WAIT: usize = 0;
    /// Waits until an upcall has run.
    pub const WAIT: usize = 1;
    /// Waits for a certain upcall, and returns its words instead of running a function.
    pub const WAIT_FOR: usize = 2;
}

/// A value that only the one thread of a process uses: upcalls run in a yield, and no other code
/// runs in parallel.
///
/// INVARIANT(one-thread): only one thread reaches the value. On a microcontroller a process has one
/// thread. On the computer, this thread is the one that has the kernel for tests, which is
/// asserted.
pub struct OneThread<T>(T);

#[expect(unsafe_code, reason = "the one place that says that there is one thread")]
// SAFETY: INVARIANT(one-thread), which `get` asserts where there could be several.
unsafe impl<T> Sync for OneThread<T> {}

impl<T> OneThread<T> {
    /// Wraps a value.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// Returns the value.
    ///
    /// # Panics
    /// On the computer, if the thread has no kernel for tests.
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

/// A step that is done once in the life of the process.
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
