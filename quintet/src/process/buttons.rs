//! Buttons, Tock's driver 3.
//!
//! | call | effect |
//! |---|---|
//! | subscribe 0 | the upcall: the button's number, 1 if pressed or 0 if released, 0 |
//! | command 0 | answers the number of buttons |
//! | command 1, 2 `(which)` | enables or disables the upcall for both edges of a button |
//! | command 3 `(which)` | answers whether the button is pressed |

use ::core::cell::Cell;

use super::{Answer, Client, Clients, Driver, ErrorCode, Slots};
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;

/// `K` buttons, up to 32, for `N` processes.
///
/// ```
/// use core::sync::atomic::{AtomicU32, Ordering};
/// use quintet::process::buttons::Buttons;
///
/// /// The levels of 2 buttons, in place of the register of a port.
/// static PRESSED: AtomicU32 = AtomicU32::new(0);
///
/// static BUTTONS: Buttons<4, 2> = Buttons::new(is_pressed);
///
/// fn is_pressed(button: usize) -> bool {
///     PRESSED.load(Ordering::Relaxed) >> button & 1 != 0
/// }
///
/// /// The task of a button's interrupt calls this.
/// fn changed(button: usize) {
///     BUTTONS.changed(button, is_pressed(button));
/// }
/// ```
pub struct Buttons<const N: usize, const K: usize> {
    /// For each process, a bit for each button whose upcall is enabled.
    clients: Clients<N, KernelCell<Cell<u32>>, 1>,
    is_pressed: fn(usize) -> bool,
}

debug_by_name!([const N: usize, const K: usize] Buttons<N, K>: "Buttons");

impl<const N: usize, const K: usize> Buttons<N, K> {
    /// Makes the driver. `is_pressed` returns in SVCall whether a button is pressed.
    #[must_use]
    pub const fn new(is_pressed: fn(usize) -> bool) -> Self {
        assert!(K <= 32, "there can be up to 32 buttons");
        Self { clients: Clients::new([const { KernelCell::new(Cell::new(0)) }; N]), is_pressed }
    }

    /// Makes the upcalls for a button due. Call this in the task of the button's interrupt.
    pub fn changed(&'static self, which: usize, pressed: bool) {
        for client in self.clients.noted() {
            let wanted = kernel(|lock| self.clients.state(client.index()).get(lock).get());
            if wanted >> which & 1 != 0 {
                // Without room for another upcall, the process doesn't get this one.
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
    const PLACES: usize = N;

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
