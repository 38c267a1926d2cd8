//! Pins, Tock's driver 4.
//!
//! | call | what it does |
//! |---|---|
//! | subscribe 0 | the upcall: which pin, its level, 0 |
//! | command 1 `(which)` | makes an output of one |
//! | command 2, 3, 4 `(which)` | sets one to 1, to 0, to the other one |
//! | command 5 `(which, pull)` | makes an input of one: pulled by nothing, 0, up, 1, or down, 2 |
//! | command 6 `(which)` | answers the level of one |
//! | command 7 `(which, edge)` | lets the upcall come: at both edges, 0, rising, 1, or falling, 2 |
//! | command 8 `(which)` | lets it come no longer, and switches the pin off |
//! | command 9 `(which)` | switches one off |
//! | command 10 | answers how many there are |
//!
//! All processes may use all pins: what one has made of a pin, another one may change. The edges of
//! a pin are each process's own: a process hears of those that it has asked for, and nobody else
//! takes them away.

use ::core::cell::Cell;
use ::core::sync::atomic::{AtomicU32, Ordering};

use super::{Answer, Client, Clients, Driver, ErrorCode, Slots};
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;

/// What pulls an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pull {
    /// Nothing.
    None,
    /// A resistor to the supply.
    Up,
    /// A resistor to ground.
    Down,
}

/// What is made of a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Neither an input nor an output.
    Off,
    /// An output.
    Output,
    /// An input.
    Input(Pull),
}

/// Edges of a pin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    /// From 0 to 1.
    pub rising: bool,
    /// From 1 to 0.
    pub falling: bool,
}

/// What the application does for pins, by their numbers. All are called in SVCall, `listen` also in
/// the switch.
#[derive(Clone, Copy, Debug)]
pub struct Pins {
    /// Makes something of a pin.
    pub set_up: fn(usize, Setting),
    /// Sets an output to 1, which is true, or 0.
    pub write: fn(usize, bool),
    /// The level of a pin.
    pub read: fn(usize) -> bool,
    /// Says at which edges an interrupt is to come, which calls [`Gpio::changed`]: those that any
    /// process wants to hear of.
    pub listen: fn(usize, Edges),
}

/// A bit for each pin, by the edge that is wanted.
#[derive(Clone, Copy, Default)]
struct Wanted {
    rising: u32,
    falling: u32,
}

impl Wanted {
    const NONE: Self = Self { rising: 0, falling: 0 };

    const fn has(self, which: usize, level: bool) -> bool {
        (if level { self.rising } else { self.falling }) >> which & 1 != 0
    }

    fn set(&mut self, which: usize, edges: Edges) {
        let put = |bits: u32, on: bool| bits & !(1 << which) | u32::from(on) << which;
        self.rising = put(self.rising, edges.rising);
        self.falling = put(self.falling, edges.falling);
    }
}

/// `K` pins, up to 32, for `N` processes.
pub struct Gpio<const N: usize, const K: usize> {
    clients: Clients<N, KernelCell<Cell<Wanted>>, 1>,
    /// What outputs were set to last.
    levels: AtomicU32,
    pins: Pins,
}

debug_by_name!([const N: usize, const K: usize] Gpio<N, K>: "Gpio");

impl<const N: usize, const K: usize> Gpio<N, K> {
    /// Pins, for which the application does this.
    #[must_use]
    pub const fn new(pins: Pins) -> Self {
        assert!(K <= 32, "there can be up to 32 pins");
        Self {
            clients: Clients::new([const { KernelCell::new(Cell::new(Wanted::NONE)) }; N]),
            levels: AtomicU32::new(0),
            pins,
        }
    }

    /// A pin has changed, to this level. For the task of the interrupt that says so.
    pub fn changed(&'static self, which: usize, level: bool) {
        for client in self.clients.noted() {
            if which < K && self.wanted(client.index()).has(which, level) {
                // A process with so many upcalls due hears of it by none of these.
                let _no_room = client.upcall(0, [which as u32, level.into(), 0]);
            }
        }
    }

    fn wanted(&self, process: usize) -> Wanted {
        kernel(|lock| self.clients.state(process).get(lock).get())
    }

    fn write(&self, which: usize, level: bool) -> Answer {
        // Commands come one after the other.
        let others = self.levels.load(Ordering::Relaxed) & !(1 << which);
        self.levels.store(others | u32::from(level) << which, Ordering::Relaxed);
        (self.pins.write)(which, level);
        Answer::Success
    }

    fn toggle(&self, which: usize) -> Answer {
        self.write(which, self.levels.load(Ordering::Relaxed) >> which & 1 == 0)
    }

    fn set_up(&self, which: usize, setting: Setting) -> Answer {
        (self.pins.set_up)(which, setting);
        Answer::Success
    }

    /// Lets a process hear of these edges of a pin, and of no others.
    fn want(&self, client: Client, which: usize, edges: Edges) -> Answer {
        self.clients.note(client);
        kernel(|lock| {
            let wanted = self.clients.state(client.index()).get(lock);
            let mut all = wanted.get();
            all.set(which, edges);
            wanted.set(all);
        });
        self.listen(which);
        Answer::Success
    }

    /// Says at which edges of a pin the interrupt is to come.
    fn listen(&self, which: usize) {
        let any = |level| (0..N).any(|process| self.wanted(process).has(which, level));
        (self.pins.listen)(which, Edges { rising: any(true), falling: any(false) });
    }

    fn input(&self, which: usize, pull: u32) -> Answer {
        let pull = match pull {
            0 => Pull::None,
            1 => Pull::Up,
            2 => Pull::Down,
            _ => return Answer::Failure(ErrorCode::NoSupport),
        };
        self.set_up(which, Setting::Input(pull))
    }

    fn interrupt(&self, client: Client, which: usize, edge: u32) -> Answer {
        let edges = match edge {
            0 => Edges { rising: true, falling: true },
            1 => Edges { rising: true, falling: false },
            2 => Edges { rising: false, falling: true },
            _ => return Answer::Failure(ErrorCode::NoSupport),
        };
        self.want(client, which, edges)
    }
}

impl<const N: usize, const K: usize> Driver for Gpio<N, K> {
    const NUMBER: u32 = 4;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, command: u32, first: u32, second: u32) -> Answer {
        let which = first as usize;
        match command {
            1..=9 if which >= K => Answer::Failure(ErrorCode::Invalid),
            1 => self.set_up(which, Setting::Output),
            2 => self.write(which, true),
            3 => self.write(which, false),
            4 => self.toggle(which),
            5 => self.input(which, second),
            6 => Answer::Word((self.pins.read)(which).into()),
            7 => self.interrupt(client, which, second),
            8 => {
                let _done = self.want(client, which, Edges::default());
                self.set_up(which, Setting::Off)
            }
            9 => self.set_up(which, Setting::Off),
            10 => Answer::Word(K as u32),
            _ => Answer::Failure(ErrorCode::NoSupport),
        }
    }

    fn forget(&'static self, client: Client) {
        self.clients.drop_note(client);
        let gone = kernel(|lock| self.clients.state(client.index()).get(lock).take());
        for which in (0..K).filter(|&which| (gone.rising | gone.falling) >> which & 1 != 0) {
            self.listen(which);
        }
    }
}
