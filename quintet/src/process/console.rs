//! The console, Tock's driver 1. Processes write lines and read input, and an interrupt task of the
//! application moves the bytes.
//!
//! | call | effect |
//! |---|---|
//! | allow read-only 1, command 1 `(size)` | writes `size` bytes of the buffer |
//! | subscribe 1 | the upcall: the number of written bytes |
//! | allow read-write 1, command 2 `(size)` | reads `size` bytes, up to 64 |
//! | subscribe 2 | the upcall: 0, the number of read bytes |
//! | command 3 | ends reading: the upcall is 8, the number of bytes so far |
//!
//! A write goes out whole before the next one, even before that of another process: processes take
//! turns. A process that ends or starts again in the middle of a write loses the rest of the write,
//! and its turn. Only one process can read at a time.

use ::core::cell::Cell;

use super::turn::next_turn;
use super::{Answer, Client, Clients, Driver, ErrorCode, Slots};
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::{KernelLock, kernel};

/// The number of both buffers: to write from, and to read to.
const BUFFER: usize = 1;
/// The numbers of the upcalls.
const WRITTEN: usize = 1;
const READ: usize = 2;

/// The largest number of bytes for one read.
const READ_MAX: usize = 64;

/// A write or a read that is under way for a process.
#[derive(Clone, Copy, Default)]
struct Transfer {
    client: Option<Client>,
    size: usize,
    done: usize,
}

/// The write and the read of a process.
struct State {
    write: KernelCell<Cell<Transfer>>,
    read: KernelCell<Cell<Transfer>>,
}

/// The console of `N` processes.
///
/// ```
/// use lm3s6965::Interrupt;
/// use quintet::process::console::Console;
///
/// static CONSOLE: Console<4> = Console::new(|| quintet::pend(Interrupt::UART0));
///
/// /// The task of the UART's interrupt calls this, with your functions for the transmitter.
/// fn serve(has_room: fn() -> bool, send: fn(u8), received: Option<u8>) {
///     while has_room() {
///         let Some(byte) = CONSOLE.next_byte() else { break };
///         send(byte);
///     }
///     if let Some(byte) = received {
///         CONSOLE.receive(byte);
///     }
/// }
/// ```
pub struct Console<const N: usize> {
    clients: Clients<N, State, 3, 2, 2>,
    /// A bit for each process with a write.
    writers: KernelCell<Cell<u16>>,
    /// The process whose write is under way, or whose write comes next.
    turn: KernelCell<Cell<u8>>,
    /// The process whose read is under way.
    reader: KernelCell<Cell<Option<Client>>>,
    kick: fn(),
}

debug_by_name!([const N: usize] Console<N>: "Console");

impl<const N: usize> Console<N> {
    /// Makes the console. When there is something to write, the driver calls `kick` in SVCall: let
    /// `kick` pend the interrupt whose task takes [bytes](Self::next_byte).
    #[must_use]
    pub const fn new(kick: fn()) -> Self {
        const NONE: Transfer = Transfer { client: None, size: 0, done: 0 };
        Self {
            clients: Clients::new(
                [const {
                    State {
                        write: KernelCell::new(Cell::new(NONE)),
                        read: KernelCell::new(Cell::new(NONE)),
                    }
                }; N],
            ),
            writers: KernelCell::new(Cell::new(0)),
            turn: KernelCell::new(Cell::new(0)),
            reader: KernelCell::new(Cell::new(None)),
            kick,
        }
    }

    /// Returns the next byte to write, if there is one. Call this when the transmitter has room, in
    /// the task of its interrupt: one task, in any context that the kernel knows of.
    pub fn next_byte(&self) -> Option<u8> {
        loop {
            let transfer = self.writing()?;
            let client = transfer.client?;
            let mut byte = [0];
            let has_read = client.read(BUFFER, transfer.done, &mut byte) == 1;
            let done = transfer.done + usize::from(has_read);
            let is_over = !has_read || done == transfer.size;
            let next = if is_over { Transfer::default() } else { Transfer { done, ..transfer } };
            kernel(|lock| {
                self.clients.state(client.index()).write.get(lock).set(next);
                if is_over {
                    self.end_write(client, lock);
                }
            });
            if is_over {
                // Without room for another upcall, the process doesn't get this one.
                let _no_room = client.upcall(WRITTEN, [done as u32, 0, 0]);
            }
            if has_read {
                return Some(byte[0]);
            }
        }
    }

    /// Takes a received byte. The byte is dropped if no process reads. Call this in the task of the
    /// receiver's interrupt.
    pub fn receive(&self, byte: u8) {
        let Some(client) = kernel(|lock| self.reader.get(lock).get()) else { return };
        let state = self.clients.state(client.index());
        let mut transfer = kernel(|lock| state.read.get(lock).get());
        transfer.done += client.write(BUFFER, transfer.done, &[byte]);
        kernel(|lock| state.read.get(lock).set(transfer));
        if transfer.done >= transfer.size.min(client.read_write_len(BUFFER)) {
            self.end_read(client, 0);
        }
    }

    /// Returns the write that is under way, or the next one, whose process then has the turn. Takes
    /// the same time for any number of processes.
    fn writing(&self) -> Option<Transfer> {
        kernel(|lock| {
            let turn = self.turn.get(lock);
            let place = next_turn(self.writers.get(lock).get(), turn.get())?;
            turn.set(place);
            Some(self.clients.state(usize::from(place)).write.get(lock).get())
        })
    }

    /// Notes that a process writes no longer. If the process had the turn, the next one has it.
    fn end_write(&self, client: Client, lock: &KernelLock<'_>) {
        let (writers, turn) = (self.writers.get(lock), self.turn.get(lock));
        writers.set(writers.get() & !(1 << client.index()));
        if usize::from(turn.get()) == client.index() {
            turn.set(turn.get() + 1);
        }
    }

    /// Ends the read that is under way.
    fn end_read(&self, client: Client, status: u32) {
        let transfer = kernel(|lock| {
            self.reader.get(lock).set(None);
            self.clients.state(client.index()).read.get(lock).take()
        });
        let _no_room = client.upcall(READ, [status, transfer.done as u32, 0]);
    }

    fn begin_write(&self, client: Client, size: usize) -> Result<(), ErrorCode> {
        let write = &self.clients.state(client.index()).write;
        if kernel(|lock| write.get(lock).get().client.is_some()) {
            return Err(ErrorCode::Busy);
        }
        let size = size.min(client.read_only_len(BUFFER));
        if size == 0 {
            return client.upcall(WRITTEN, [0; 3]);
        }
        let transfer = Transfer { client: Some(client), size, done: 0 };
        kernel(|lock| {
            write.get(lock).set(transfer);
            let writers = self.writers.get(lock);
            writers.set(writers.get() | 1 << client.index());
        });
        (self.kick)();
        Ok(())
    }

    fn begin_read(&self, client: Client, size: usize) -> Result<(), ErrorCode> {
        let size = size.min(client.read_write_len(BUFFER));
        if size == 0 || size > READ_MAX {
            return Err(ErrorCode::Invalid);
        }
        kernel(|lock| {
            if self.reader.get(lock).get().is_some() {
                return Err(ErrorCode::Busy);
            }
            self.reader.get(lock).set(Some(client));
            let transfer = Transfer { client: Some(client), size, done: 0 };
            self.clients.state(client.index()).read.get(lock).set(transfer);
            Ok(())
        })
    }

    /// Returns `true` if the process reads.
    fn reads(&self, client: Client) -> bool {
        let reader = kernel(|lock| self.reader.get(lock).get());
        reader.is_some_and(|reader| reader.index() == client.index())
    }
}

impl<const N: usize> Driver for Console<N> {
    const NUMBER: u32 = 1;
    const PLACES: usize = N;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, command: u32, first: u32, _: u32) -> Answer {
        match command {
            1 => self.begin_write(client, first as usize).into(),
            2 => self.begin_read(client, first as usize).into(),
            3 => {
                if self.reads(client) {
                    self.end_read(client, ErrorCode::Cancel as u32);
                }
                Answer::Success
            }
            _ => Answer::Failure(ErrorCode::NoSupport),
        }
    }

    fn forget(&'static self, client: Client) {
        let state = self.clients.state(client.index());
        kernel(|lock| {
            // A process that starts again and again must not keep the turn from others.
            if state.write.get(lock).take().client.is_some() {
                self.end_write(client, lock);
            }
        });
        if self.reads(client) {
            kernel(|lock| {
                self.reader.get(lock).set(None);
                state.read.get(lock).take();
            });
        }
    }
}
