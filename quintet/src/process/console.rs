//! The console, Tock's driver 1: processes write lines to it and read from it, and an interrupt
//! task of the application moves the bytes.
//!
//! | call | what it does |
//! |---|---|
//! | allow read-only 1, command 1 `(size)` | writes so many bytes of the buffer |
//! | subscribe 1 | the upcall: how many were written |
//! | allow read-write 1, command 2 `(size)` | reads so many bytes, up to 64 |
//! | subscribe 2 | the upcall: 0, how many were read |
//! | command 3 | ends reading: the upcall says 8, how many have come |
//!
//! A write goes out whole before the next one, also of another process: processes take turns.
//! One that ends or starts anew in the middle of a write loses the rest of it, and its turn. One
//! process reads at a time.

use ::core::cell::Cell;

use super::{Answer, Client, Clients, Driver, ErrorCode, Slots};
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;

/// Its buffers: to write from, to read to.
const BUFFER: usize = 1;
/// Its upcalls.
const WRITTEN: usize = 1;
const READ: usize = 2;

/// How many bytes one read may ask for.
const READ_MAX: usize = 64;

/// What is under way for a process.
#[derive(Clone, Copy, Default)]
struct Transfer {
    client: Option<Client>,
    size: usize,
    done: usize,
}

/// What is under way for a process, each way.
struct State {
    write: KernelCell<Cell<Transfer>>,
    read: KernelCell<Cell<Transfer>>,
}

/// The console of `N` processes.
pub struct Console<const N: usize> {
    clients: Clients<N, State, 3, 2, 2>,
    /// Whose write is under way, or was the last.
    turn: KernelCell<Cell<usize>>,
    /// Whose read is under way.
    reader: KernelCell<Cell<Option<Client>>>,
    kick: fn(),
}

debug_by_name!([const N: usize] Console<N>: "Console");

impl<const N: usize> Console<N> {
    /// The console. `kick` is called, in SVCall, when there is something to write: let it pend the
    /// interrupt whose task takes [bytes](Self::next_byte).
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
            turn: KernelCell::new(Cell::new(0)),
            reader: KernelCell::new(Cell::new(None)),
            kick,
        }
    }

    /// The next byte to write, if there is one. For the task of the interrupt that says that the
    /// transmitter has room: one task, from every context that the kernel knows of.
    pub fn next_byte(&self) -> Option<u8> {
        loop {
            let (place, transfer) = self.writing()?;
            let client = transfer.client?;
            let mut byte = [0];
            let has_read = client.read(BUFFER, transfer.done, &mut byte) == 1;
            let done = transfer.done + usize::from(has_read);
            let is_over = !has_read || done == transfer.size;
            let next = if is_over { Transfer::default() } else { Transfer { done, ..transfer } };
            kernel(|lock| self.clients.state(place).write.get(lock).set(next));
            if is_over {
                // A process with so many upcalls due hears of it by none of these.
                let _no_room = client.upcall(WRITTEN, [done as u32, 0, 0]);
                kernel(|lock| self.turn.get(lock).set((place + 1) % N));
            }
            if has_read {
                return Some(byte[0]);
            }
        }
    }

    /// A byte has come. Dropped if nobody reads. For the task of the interrupt that says so.
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

    /// The write that is under way, or the next, which has the turn from now on.
    fn writing(&self) -> Option<(usize, Transfer)> {
        kernel(|lock| {
            let turn = self.turn.get(lock);
            let first = turn.get();
            let (place, transfer) = (0..N).map(|step| (first + step) % N).find_map(|place| {
                let transfer = self.clients.state(place).write.get(lock).get();
                transfer.client.map(|_| (place, transfer))
            })?;
            turn.set(place);
            Some((place, transfer))
        })
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
        kernel(|lock| write.get(lock).set(transfer));
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

    /// Whether the process reads.
    fn reads(&self, client: Client) -> bool {
        let reader = kernel(|lock| self.reader.get(lock).get());
        reader.is_some_and(|reader| reader.index() == client.index())
    }
}

impl<const N: usize> Driver for Console<N> {
    const NUMBER: u32 = 1;

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
            let was_writing = state.write.get(lock).take().client.is_some();
            let turn = self.turn.get(lock);
            // A process that starts anew again and again doesn't keep the turn from others.
            if was_writing && turn.get() == client.index() {
                turn.set((client.index() + 1) % N);
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
