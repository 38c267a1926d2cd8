//! Buttons, Tock's driver 3.
//!
//! | call | what it does |
//! |---|---|
//! | subscribe 0 | the upcall: which button, 1 pressed or 0 released, 0 |
//! | command 0 | answers how many there are |
//! | command 1, 2 `(which)` | lets the upcall come at both edges of one, or no longer |
//! | command 3 `(which)` | answers whether one is pressed |

use ::core::cell::Cell;

use super::{Answer, Client, Clients, Driver, ErrorCode, Slots};
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;

/// `K` buttons, up to 32, for `N` processes.
pub struct Buttons<const N: usize, const K: usize> {
    /// Each with a bit for each button that it wants to hear of.
    clients: Clients<N, KernelCell<Cell<u32>>, 1>,
    is_pressed: fn(usize) -> bool,
}

debug_by_name!([const N: usize, const K: usize] Buttons<N, K>: "Buttons");

impl<const N: usize, const K: usize> Buttons<N, K> {
    /// Buttons. `is_pressed` says in SVCall whether one is.
    #[must_use]
    pub const fn new(is_pressed: fn(usize) -> bool) -> Self {
        assert!(K <= 32, "there can be up to 32 buttons");
        Self { clients: Clients::new([const { KernelCell::new(Cell::new(0)) }; N]), is_pressed }
    }

    /// A button was pressed, or released. For the task of the interrupt that says so.
    pub fn changed(&'static self, which: usize, pressed: bool) {
        for client in self.clients.noted() {
            let wanted = kernel(|lock| self.clients.state(client.index()).get(lock).get());
            if wanted >> which & 1 != 0 {
                // A process with so many upcalls due hears of it by none of these.
                let _no_room = client.upcall(0, [which as u32, pressed.into(), 0]);
            }
        }
    }

    fn enable(&'static self, client: Client, which: usize, enabled: bool) -> Answer {
        self.clients.note(client);
        kernel(|lock| {
            let wanted = self.clients.state(client.index()).get(lock);
            wanted.set(wanted.get() & !(1 << which) | u32::from(enabled) << which);
        });
        Answer::Success
    }
}

impl<const N: usize, const K: usize> Driver for Buttons<N, K> {
    const NUMBER: u32 = 3;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn exists(&'static self, _: Client) -> Answer {
        Answer::Word(K as u32)
    }

    fn command(&'static self, client: Client, command: u32, first: u32, _: u32) -> Answer {
        let which = first as usize;
        match command {
            1..=3 if which >= K => Answer::Failure(ErrorCode::Invalid),
            1 => self.enable(client, which, true),
            2 => self.enable(client, which, false),
            3 => Answer::Word((self.is_pressed)(which).into()),
            _ => Answer::Failure(ErrorCode::NoSupport),
        }
    }

    fn forget(&'static self, client: Client) {
        self.clients.drop_note(client);
        kernel(|lock| self.clients.state(client.index()).get(lock).set(0));
    }
}
