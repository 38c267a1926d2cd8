//! Pins, Tock's driver 4.
//!
//! | call | effect |
//! |---|---|
//! | subscribe 0 | the upcall: the pin's number, its level, 0 |
//! | command 1 `(which)` | makes the pin an output |
//! | command 2, 3, 4 `(which)` | sets the pin to 1, to 0, to the other level |
//! | command 5 `(which, pull)` | makes the pin an input: no pull, 0, pulled up, 1, or down, 2 |
//! | command 6 `(which)` | answers the level of the pin |
//! | command 7 `(which, edge)` | enables the upcall: at both edges, 0, rising, 1, or falling, 2 |
//! | command 8 `(which)` | disables the upcall, and switches the pin off |
//! | command 9 `(which)` | switches the pin off |
//! | command 10 | answers the number of pins |
//!
//! All processes may use all pins: one process can change the setting that another one has made.
//! Each process has its own edges of a pin: it gets upcalls for the edges that it has asked for,
//! and no other process can disable them.

use ::core::sync::atomic::{AtomicU32, Ordering};

use super::{Answer, Client, Clients, Driver, ErrorCode, Slots};

/// The pull of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pull {
    /// Nothing.
    None,
    /// A resistor to the supply.
    Up,
    /// A resistor to ground.
    Down,
}

/// The setting of a pin.
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

/// The functions of the application that drive pins, by their numbers. All are called in SVCall.
#[derive(Clone, Copy, Debug)]
pub struct Pins {
    /// Changes the setting of a pin.
    pub set_up: fn(usize, Setting),
    /// Sets an output to 1 (`true`) or 0.
    pub write: fn(usize, bool),
    /// Returns the level of a pin.
    pub read: fn(usize) -> bool,
    /// Selects the edges at which an interrupt comes, which calls [`Gpio::changed`]. These are the
    /// edges that any process wants.
    pub listen: fn(usize, Edges),
}

/// A bit for each pin, for each wanted edge. Commands and the end of a process write it, one after
/// the other, and the task of a pin's interrupt reads one of the words.
struct Wanted {
    rising: AtomicU32,
    falling: AtomicU32,
}

impl Wanted {
    const fn new() -> Self {
        Self { rising: AtomicU32::new(0), falling: AtomicU32::new(0) }
    }

    fn has(&self, which: usize, level: bool) -> bool {
        let word = if level { &self.rising } else { &self.falling };
        word.load(Ordering::Relaxed) >> which & 1 != 0
    }

    fn set(&self, which: usize, edges: Edges) {
        for (word, on) in [(&self.rising, edges.rising), (&self.falling, edges.falling)] {
            let others = word.load(Ordering::Relaxed) & !(1 << which);
            word.store(others | u32::from(on) << which, Ordering::Relaxed);
        }
    }

    /// Returns a pin with a wanted edge.
    fn first(&self) -> Option<usize> {
        let both = self.rising.load(Ordering::Relaxed) | self.falling.load(Ordering::Relaxed);
        (both != 0).then(|| both.trailing_zeros() as usize)
    }
}

/// `K` pins, up to 32, for `N` processes.
///
/// ```
/// use core::sync::atomic::{AtomicU32, Ordering};
/// use quintet::process::gpio::{Edges, Gpio, Pins, Setting};
///
/// /// The levels of 8 pins, in place of the registers of a port.
/// static LEVELS: AtomicU32 = AtomicU32::new(0);
///
/// /// Pins for up to 4 processes, with your functions for the port.
/// static GPIO: Gpio<4, 8> = Gpio::new(Pins { set_up, write, read, listen });
///
/// fn set_up(_pin: usize, setting: Setting) {
///     match setting {
///         // Let the port drive the pin.
///         Setting::Output => {}
///         // Let the port read the pin, with this pull.
///         Setting::Input(_pull) => {}
///         // Switch the pin off.
///         Setting::Off => {}
///     }
/// }
///
/// fn write(pin: usize, level: bool) {
///     let levels = LEVELS.load(Ordering::Relaxed) & !(1 << pin);
///     LEVELS.store(levels | u32::from(level) << pin, Ordering::Relaxed);
/// }
///
/// fn read(pin: usize) -> bool {
///     LEVELS.load(Ordering::Relaxed) >> pin & 1 != 0
/// }
///
/// fn listen(_pin: usize, _edges: Edges) {
///     // Let the port interrupt at these edges.
/// }
///
/// /// The task of the port's interrupt calls this.
/// fn changed(pin: usize) {
///     GPIO.changed(pin, read(pin));
/// }
/// ```
pub struct Gpio<const N: usize, const K: usize> {
    clients: Clients<N, Wanted, 1>,
    /// The levels to which outputs were set last.
    levels: AtomicU32,
    pins: Pins,
}

debug_by_name!([const N: usize, const K: usize] Gpio<N, K>: "Gpio");

impl<const N: usize, const K: usize> Gpio<N, K> {
    /// Makes the driver, with the application's functions for pins.
    #[must_use]
    pub const fn new(pins: Pins) -> Self {
        assert!(K <= 32, "there can be up to 32 pins");
        Self {
            clients: Clients::new([const { Wanted::new() }; N]),
            levels: AtomicU32::new(0),
            pins,
        }
    }

    /// Makes the upcalls for a pin due, which has changed to this level. Call this in the task of
    /// the pin's interrupt.
    pub fn changed(&'static self, which: usize, level: bool) {
        for client in self.clients.noted() {
            if which < K && self.wanted(client.index()).has(which, level) {
                // Without room for another upcall, the process doesn't get this one.
                let _no_room = client.upcall(0, [which as u32, level.into(), 0]);
            }
        }
    }

    fn wanted(&self, process: usize) -> &Wanted {
        self.clients.state(process)
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

    /// Enables the upcalls of a process for these edges of a pin, and for no others.
    fn want(&self, client: Client, which: usize, edges: Edges) -> Answer {
        self.clients.note(client);
        self.wanted(client.index()).set(which, edges);
        self.listen(which);
        Answer::Success
    }

    /// Selects the edges of a pin at which the interrupt comes.
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
    const PLACES: usize = N;

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

    fn forget_part(&'static self, client: Client) -> bool {
        self.clients.drop_note(client);
        let wanted = self.wanted(client.index());
        let Some(which) = wanted.first() else { return true };
        wanted.set(which, Edges::default());
        self.listen(which);
        false
    }
}
