//! Random numbers, Tock's driver 0x40001.
//!
//! | call | effect |
//! |---|---|
//! | allow read-write 0, command 1 `(size)` | fills `size` bytes |
//! | subscribe 0 | the upcall: 0, the number of filled bytes |

use ::core::cell::Cell;

use super::{Answer, Client, Clients, Driver, ErrorCode, Slots};
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;

/// The request of a process: the number of bytes that the process wants, and has got.
#[derive(Clone, Copy, Default)]
struct Wish {
    size: usize,
    done: usize,
}

/// Random numbers for `N` processes.
///
/// ```
/// use lm3s6965::Interrupt;
/// use quintet::process::random::Random;
///
/// static RANDOM: Random<4> = Random::new(|| quintet::pend(Interrupt::GPIOB));
///
/// /// The task of the generator's interrupt calls this with each word. Returns `true` if the
/// /// generator must go on.
/// fn drawn(word: u32) -> bool {
///     RANDOM.provide(&word.to_le_bytes())
/// }
/// ```
pub struct Random<const N: usize> {
    clients: Clients<N, KernelCell<Cell<Wish>>, 1, 0, 1>,
    kick: fn(),
}

debug_by_name!([const N: usize] Random<N>: "Random");

impl<const N: usize> Random<N> {
    /// Makes the driver. The driver calls `kick` in SVCall when a process wants bytes: let `kick`
    /// begin the work that ends with [`provide`](Self::provide).
    #[must_use]
    pub const fn new(kick: fn()) -> Self {
        const NONE: Wish = Wish { size: 0, done: 0 };
        Self { clients: Clients::new([const { KernelCell::new(Cell::new(NONE)) }; N]), kick }
    }

    /// Gives bytes of true randomness to the processes that wait for them, the lowest place first.
    /// Returns `true` if processes want more bytes. For one context that the kernel knows of.
    pub fn provide(&'static self, mut bytes: &[u8]) -> bool {
        for client in self.clients.noted() {
            let place = self.clients.state(client.index());
            let wish = kernel(|lock| place.get(lock).get());
            let (now, later) = bytes.split_at(bytes.len().min(wish.size - wish.done));
            bytes = later;
            let written = client.write(0, wish.done, now);
            let done = wish.done + written;
            if done == wish.size || written < now.len() {
                self.clients.drop_note(client);
                let _no_room = client.upcall(0, [0, done as u32, 0]);
            } else {
                kernel(|lock| place.get(lock).set(Wish { done, ..wish }));
                return true;
            }
        }
        false
    }
}

impl<const N: usize> Driver for Random<N> {
    const NUMBER: u32 = 0x4_0001;
    const PLACES: usize = N;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, command: u32, first: u32, _: u32) -> Answer {
        if command != 1 {
            return Answer::Failure(ErrorCode::NoSupport);
        }
        let size = client.read_write_len(0).min(first as usize);
        if size > 0 {
            let place = self.clients.state(client.index());
            kernel(|lock| place.get(lock).set(Wish { size, done: 0 }));
            self.clients.note(client);
            (self.kick)();
        }
        Answer::Success
    }

    fn forget(&'static self, client: Client) {
        self.clients.drop_note(client);
    }
}
