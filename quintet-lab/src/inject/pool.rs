//! Work on all cores: chunks of a list, a machine for each thread.
//!
//! Chunks are given out in order, so that each machine only goes forward through the undisturbed
//! run. Results do not depend on the number or the speed of the threads.

use super::moment::Walker;
use crate::ctrl_c;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// The number of threads, and the size of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pool {
    /// Threads.
    pub jobs: usize,
    /// The most items of a chunk.
    pub chunk_max: usize,
}

impl Pool {
    /// Does `work` for all of `0..length`. `take` gets each chunk's result, in any order. Ends
    /// early after Ctrl-C.
    pub fn run<R: Send>(
        self,
        length: usize,
        prototype: &Walker,
        work: impl Fn(&mut Walker, Range<usize>) -> R + Sync,
        mut take: impl FnMut(R),
    ) {
        let jobs = self.jobs.max(1);
        let chunk = (length / (jobs * 8)).clamp(1, self.chunk_max);
        let next = AtomicUsize::new(0);
        let (sender, results) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                let (mut walker, sender) = (prototype.clone(), sender.clone());
                let (next, work) = (&next, &work);
                scope.spawn(move || {
                    while !ctrl_c::is_pressed() {
                        let start = next.fetch_add(chunk, Ordering::Relaxed);
                        if start >= length {
                            return;
                        }
                        let result = work(&mut walker, start..length.min(start + chunk));
                        if sender.send(result).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            for result in results {
                take(result);
            }
        });
    }
}
