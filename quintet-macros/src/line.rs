//! The priority line: where each function of an application runs.
//!
//! ```text
//!   more urgent   level    an interrupt of the NVIC: hardware tasks, software tasks above T
//!        ^        thread   a thread, or software tasks that a thread of their priority hosts
//!        |        idle     thread mode on the main stack: idle, software tasks of priority 0
//! ```
//!
//! T is the highest priority of a thread, or of a process, which is one that runs unprivileged.
//! Every level is above every thread, so a hardware task at T or below is refused. Without threads
//! T is 0, and the line is that of the levels.
//!
//! PendSV switches threads, and has the lowest priority of the hardware alone: with threads, the
//! level of priority `p` is the hardware's `p - T + 1`, counted from its lowest.
//!
//! Where the scheduler is cooperative, no software preempts software: threads host every software
//! task above 0, and without threads all of them run in thread mode.

use crate::model::{App, RunBy, Scheduler, Task};

/// The highest priority that a thread can have.
pub const PRIORITY_MAX: u8 = 31;

/// What messages and the lab call the thread that hosts the software tasks of a priority.
pub fn host_name(priority: u8) -> String {
    format!("tasks at {priority}")
}

/// Where a function runs. Larger is more urgent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    /// In thread mode, with idle.
    Idle,
    /// In a thread of this priority, its own or its host.
    Thread(u8),
    /// In an interrupt of this priority.
    Level(u8),
}

impl Place {
    /// The priority on the line.
    pub const fn priority(self) -> u8 {
        match self {
            Self::Idle => 0,
            Self::Thread(priority) | Self::Level(priority) => priority,
        }
    }

    /// Returns `true` if `other` is more urgent.
    pub fn is_below(self, other: Self) -> bool {
        self < other
    }
}

/// The line of an application.
#[derive(Clone, Copy)]
pub struct Line {
    /// The highest priority of a thread or process; 0 without any.
    top: u8,
    /// Whether software preempts software.
    scheduler: Scheduler,
}

impl Line {
    /// The line of an application.
    pub fn of(app: &App) -> Self {
        let threads = app.threads().map(|(task, _)| task.priority.value);
        let processes = app.arguments.processes.iter().map(|processes| processes.priority.value);
        let top = threads.chain(processes).max().unwrap_or(0);
        Self { top, scheduler: app.arguments.scheduler }
    }

    /// Returns `true` if the application has threads or processes.
    pub const fn has_threads(self) -> bool {
        self.top > 0
    }

    /// The highest priority of a thread; 0 without threads.
    pub const fn top(self) -> u8 {
        self.top
    }

    /// Where a task or thread runs.
    pub fn place(self, task: &Task) -> Place {
        let priority = task.priority.value;
        match task.run_by {
            RunBy::Interrupt => Place::Level(priority),
            RunBy::Thread => Place::Thread(priority),
            RunBy::Slots(_) => self.software(priority),
        }
    }

    /// Where software tasks of a priority run.
    pub fn software(self, priority: u8) -> Place {
        let cooperative = self.scheduler == Scheduler::Cooperative;
        match (priority, self.has_threads()) {
            (0, _) => Place::Idle,
            (_, false) if cooperative => Place::Idle,
            (_, true) if cooperative || priority <= self.top => Place::Thread(priority),
            _ => Place::Level(priority),
        }
    }

    /// Returns the priority of the hardware for a level, counted from the lowest, which is 1.
    /// `check` refuses a level that is not above the threads.
    pub const fn hardware(self, priority: u8) -> u8 {
        if self.has_threads() { priority.saturating_sub(self.top) + 1 } else { priority }
    }
}
