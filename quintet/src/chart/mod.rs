//! Hierarchical state machines: values that take events, in any model and on the host.
//!
//! You write a machine as an `impl` block under the attribute
//! [`state_machine`](crate::state_machine), whose page teaches the language. A [`Machine`] holds
//! your struct and the active state.
//!
//! ```
//! use quintet::chart::prelude::*;
//!
//! enum Event { Press, Tick }
//!
//! struct Lamp { switched: u32 }
//!
//! #[quintet::state_machine(initial = State::off())]
//! impl Lamp {
//!     #[state]
//!     fn off(event: &Event) -> Outcome<State> {
//!         match event {
//!             Event::Press => Transition(State::on(2)),
//!             Event::Tick => Super,
//!         }
//!     }
//!
//!     #[state(entry_action = count)]
//!     fn on(left: &mut u8, event: &Event) -> Outcome<State> {
//!         match event {
//!             Event::Tick if *left > 1 => {
//!                 *left -= 1;
//!                 Handled
//!             }
//!             Event::Tick | Event::Press => Transition(State::off()),
//!         }
//!     }
//!
//!     #[action]
//!     fn count(&mut self) {
//!         self.switched += 1;
//!     }
//! }
//!
//! let mut lamp = Lamp { switched: 0 }.machine();
//! lamp.dispatch(&Event::Press);
//! lamp.dispatch(&Event::Tick);
//! assert!(matches!(lamp.state(), State::On { left: 1 }));
//! lamp.dispatch(&Event::Tick);
//! assert!(lamp.is_in(Within::Off) && lamp.switched == 1);
//! ```
//!
//! On the host, `quintet::chart::Test` shows your tests which states a machine left and entered,
//! and which actions ran.
//!
//! All targets are known at compile time, and a transition becomes straight code that runs its
//! exits and entries. In builds for size, a large machine looks its ways up in a table instead:
//! `compact` on the attribute's page. The group `charts` of the lab's tables compares both with a
//! `match` that is written by hand.

#[doc(hidden)]
pub mod compact;
mod hook;
mod kept;
#[cfg(not(target_os = "none"))]
mod log;
mod machine;
mod outcome;
#[cfg(not(target_os = "none"))]
pub mod test;

pub use kept::{Full, Kept, NeverKeeps};
#[cfg(not(target_os = "none"))]
pub use log::Step;
#[cfg(not(target_os = "none"))]
#[doc(hidden)]
pub use log::{Log, Shown, Text, WithText, WithoutText};
pub use machine::{Chart, Machine, Plain, Taken, Waits, WaitsWith, With};
#[doc(hidden)]
pub use machine::{DispatchPlain, DispatchWaits, Takes, WithoutContext};
pub use outcome::{DeepHistory, Deferred, Handled, History, Local, Outcome, Super, Transition};
#[cfg(not(target_os = "none"))]
pub use test::Test;

/// The names that the module of a machine uses: `use quintet::chart::prelude::*`.
pub mod prelude {
    pub use super::{
        DeepHistory, Deferred, Handled, History, Local, Machine, Outcome, Super, Transition,
    };
}
