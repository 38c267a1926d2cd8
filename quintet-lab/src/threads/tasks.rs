//! The threads of kernels other than Quintet, whichever it is.

use std::collections::BTreeSet;

use quintet_sim::cores::Core;

use super::freertos::Freertos;
use super::others::{Doing, Missing, Others};
use crate::firmware::Firmware;

/// A kernel that isn't Quintet.
#[derive(Clone, Debug)]
pub enum Tasks {
    /// FreeRTOS.
    Freertos(Freertos),
    /// Zephyr, RIOT, NuttX or ChibiOS.
    Others(Others),
}

impl Tasks {
    /// The kernel of an image; none for other firmware, and why not where its threads can't be
    /// shown.
    pub fn find(firmware: &Firmware) -> Option<Result<Self, Missing>> {
        let freertos = Freertos::find(firmware).map(|kernel| Ok(Self::Freertos(kernel)));
        freertos.or_else(|| Some(Others::find(firmware)?.map(Self::Others)))
    }

    /// The control block of the thread that runs; none before there are threads.
    pub fn running(&self, machine: &impl Core) -> Option<u32> {
        match self {
            Self::Freertos(kernel) => kernel.running(machine),
            Self::Others(kernel) => kernel.running(machine),
        }
    }

    /// The name and the priority of a thread, if there is one.
    pub fn about(&self, machine: &impl Core, control: u32) -> Option<(String, i64)> {
        match self {
            Self::Freertos(kernel) => {
                let about = kernel.about(machine, control)?;
                Some((about.name, i64::from(about.priority)))
            }
            Self::Others(kernel) => Some(kernel.about(machine, control)),
        }
    }

    /// The control blocks of all threads that can run now or later.
    pub fn living(&self, firmware: &Firmware, machine: &impl Core) -> BTreeSet<u32> {
        match self {
            Self::Freertos(kernel) => kernel.living(machine),
            Self::Others(kernel) => {
                let mut all = kernel.all(machine);
                all.retain(|control| kernel.lives(firmware, machine, *control));
                all
            }
        }
    }

    /// Returns `true` if the thread can run now or later.
    pub fn lives(&self, firmware: &Firmware, machine: &impl Core, control: u32) -> bool {
        match self {
            Self::Freertos(kernel) => kernel.living(machine).contains(&control),
            Self::Others(kernel) => kernel.lives(firmware, machine, control),
        }
    }

    /// What a thread waits for that doesn't run, as the end of a sentence; none if it is ready.
    pub fn waits(&self, firmware: &Firmware, machine: &impl Core, control: u32) -> Option<String> {
        match self {
            Self::Freertos(kernel) => {
                let is_ready = kernel.ready(machine).contains(&control);
                (!is_ready).then(|| kernel.waits(firmware, machine, control))
            }
            Self::Others(kernel) => match kernel.doing(firmware, machine, control) {
                Doing::Ready => None,
                Doing::Waits(what) => Some(format!("waits for {what}")),
                Doing::Ended => Some("has ended".into()),
            },
        }
    }
}
