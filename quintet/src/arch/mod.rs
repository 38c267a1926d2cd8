//! Everything that depends on the processor: masks, pending, atomic words, waiting, dispatch.
//!
//! Each architecture offers the same names, with the same preconditions:
//!
//! | name | what it does |
//! |---|---|
//! | `mask::Ceiling` | what to mask to hold off a resource's other users; built in a constant |
//! | `mask::raise`, `mask::restore` | begin and end a section under a ceiling |
//! | `mask::raise_alone`, `mask::restore_alone` | the same where nothing can be held outside it |
//! | `mask::without_switches`, `mask::let_switch` | keep switches off from a section on |
//! | `mask::let_in` | takes what is pending and no longer held off |
//! | `mask::held_priority` | the priority up to which the open sections hold off |
//! | `words` | read-modify-write of words that any interrupt may touch as well |
//! | `pend`, `enable`, `set_interrupt_priority` | make an interrupt pending, let it in, rank it |
//! | `Interrupts` | those that are let in together |
//! | `device` | names of the processor that expansions use |
//! | `systick` | a counter and its alarm |
//! | `cycle_counter` | what statistics count by |
//! | `switch` | the switch of threads |
//! | `at_hand`, `decided` | bring a word into a register, before a section that needs it |
//! | `take_pending` | lets in what is pending and not masked |
//! | `sleep_until_event` | waits until an interrupt came since the last wait |
//! | `signal_event` | ends such a wait |
//! | `dispatcher!`, `waker_vtable!` | a level's interrupt routine, and its wakers' functions |
//! | `map_line!` | a line of what the lab prints of an image |

mod backend;

#[cfg(target_arch = "arm")]
mod cortex_m;
#[cfg(target_arch = "arm")]
pub use cortex_m::*;

#[cfg(not(target_arch = "arm"))]
mod host;
#[cfg(not(target_arch = "arm"))]
pub use host::*;
