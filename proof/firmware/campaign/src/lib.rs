//! What the campaign's programs judge themselves by.
//!
//! Each program does a little of one thing between two marks, [`begin`] and [`end`]; the tool takes
//! an interrupt before every instruction of it. Handlers do the same to the same objects. All of it
//! is counted here, and what is wrong ends the program by a panic.
//!
//! - [`wakes`]: every wake is followed by a poll, and every poll was woken for.
//! - [`order`]: the jobs of a level run one at a time, and in the order of its rounds.
//! - [`spawns`]: what was spawned starts once, with its own arguments, in order, and is dropped
//!   once.
//! - [`doors`]: nobody runs who is held off, and nobody is held off who needn't be.
//! - [`patterns`]: a thread goes on with the registers, the flags and the stack that it had; on a
//!   target with floating-point registers, with those too, and so do interrupts and idle.
//! - [`threads`]: whoever runs is the most urgent, and every permit is taken once.
//! - `processes`: what a process hears is of its own life, comes once, and in its order.
//!
//! Interrupts come between any two instructions of these too. So a check reads one counter, or
//! reads several after `end`, when nothing comes any more.
#![no_std]

pub mod actors;
pub mod doors;
pub mod lines;
pub mod order;
pub mod patterns;
#[cfg(feature = "processes")]
pub mod processes;
pub mod sleeper;
pub mod spawns;
pub mod threads;
pub mod urgent;
pub mod wakes;
pub mod waking;

use core::pin::Pin;
use core::task::{Context, Poll};
use portable_atomic::{AtomicU32, Ordering};

use semihosting as _;

/// From here on, interrupts come before every instruction.
#[inline(never)]
pub fn begin() {
    cortex_m::asm::nop();
}

/// From here on, none comes any more.
#[inline(never)]
pub fn end() {
    // Not the same code as that of `begin`, or the compiler would make them one function.
    cortex_m::asm::nop();
    cortex_m::asm::nop();
}

/// What a thread's stack needs in addition for floating-point registers: in the hardware's frames,
/// in the switch's, and in `patterns`.
pub const MORE_STACK: usize = if cfg!(target_abi = "eabihf") { 384 } else { 0 };

/// Everything was right.
pub fn succeed() -> ! {
    semihosting::process::exit(0)
}

/// A number of events, counted in any context.
pub struct Count(AtomicU32);

impl Count {
    /// None yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// One more; returns how many there were before.
    #[inline]
    pub fn add(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    /// So many.
    #[inline]
    #[must_use]
    pub fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Replaces the number; from one context only.
    #[inline]
    pub fn put(&self, number: u32) {
        self.0.store(number, Ordering::Relaxed);
    }
}

impl Default for Count {
    fn default() -> Self {
        Self::new()
    }
}

/// A future that runs a function at each poll, until it says that it is done.
pub struct EachPoll<F>(pub F);

impl<F: FnMut(&mut Context<'_>) -> bool + Unpin> Future for EachPoll<F> {
    type Output = ();

    #[inline]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if (self.0)(context) { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// Waits for one wake of the task.
pub async fn suspend() {
    let mut was_polled = false;
    EachPoll(|_: &mut Context<'_>| core::mem::replace(&mut was_polled, true)).await;
}
