//! What the machines of random charts have in common: their events, their log, what drives them.

use std::future::poll_fn;
use std::pin::pin;
use std::task::{self, Poll, Waker};

/// The events. Those behind the plain ones carry a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    A,
    B,
    C,
    D,
    E,
    F,
    G(u8),
    H(u8),
    I(u8),
}

/// What is in front of a value in the log: values are below.
const VALUE: u16 = 0x8000;

/// The variables of a machine, and the log of what its actions and guards did.
pub struct Recorder {
    /// What guards look at.
    pub v: [u8; 3],
    /// The numbers of actions and guards, and values.
    pub log: Vec<u16>,
}

/// The timer of a state, which logs its number.
pub struct Timer<'a>(&'a mut Recorder, u16);

impl Timer<'_> {
    /// For so long.
    pub fn arm(self, time: u16) {
        self.0.log.extend([self.1, VALUE + time]);
    }

    /// No more.
    pub fn disarm(self) {
        self.0.log.push(self.1);
    }
}

/// The context of machines that have one.
pub struct Context {
    /// What actions add to.
    pub sum: u8,
}

/// A machine of any chart.
pub trait Driven {
    /// Its first transition.
    fn start(&mut self);
    /// An event; false if it should be kept for later, but there is no room.
    fn dispatch(&mut self, event: Event) -> bool;
    /// The active leaf, and its own variable: 0 if it has none.
    fn leaf(&self) -> (u16, u8);
    /// Whether a state is active.
    fn is_in(&self, state: u16) -> bool;
    /// How many states there are.
    fn states(&self) -> u16;
    /// The context's sum.
    fn sum(&self) -> u8;
    /// The log.
    fn recorder(&mut self) -> &mut Recorder;
}

impl Recorder {
    /// At the beginning.
    pub const NEW: Self = Self { v: [0; 3], log: Vec::new() };

    /// Nothing but the number.
    pub fn act(&mut self, number: u16) {
        self.log.push(number);
    }

    /// A variable grows.
    pub fn add(&mut self, number: u16, variable: usize, by: u8) {
        self.log.push(number);
        self.v[variable] = (self.v[variable] + by) % 8;
    }

    /// A variable becomes what an event carries.
    pub fn set(&mut self, number: u16, variable: usize, value: u8) {
        self.log.extend([number, VALUE + u16::from(value)]);
        self.v[variable] = value;
    }

    /// Something else grows.
    pub fn grow(&mut self, number: u16, value: &mut u8, by: u8) {
        *value = value.wrapping_add(by);
        self.log.extend([number, VALUE + u16::from(*value)]);
    }

    /// The timer of a state.
    pub fn timer(&mut self, number: u16) -> Timer<'_> {
        Timer(self, number)
    }

    /// A guard is evaluated.
    pub fn guard(&mut self, number: u16, holds: bool) -> bool {
        self.log.push(number);
        holds
    }
}

/// Waits once.
pub async fn pause() {
    let mut has_waited = false;
    poll_fn(|context| {
        if std::mem::replace(&mut has_waited, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Polls a future until it has ended.
pub fn wait_for<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) =
            future.as_mut().poll(&mut task::Context::from_waker(Waker::noop()))
        {
            return value;
        }
    }
}

/// The event with an index, that carries a number.
pub fn event(index: u8, payload: u8) -> Event {
    match index {
        0 => Event::A,
        1 => Event::B,
        2 => Event::C,
        3 => Event::D,
        4 => Event::E,
        5 => Event::F,
        6 => Event::G(payload),
        7 => Event::H(payload),
        _ => Event::I(payload),
    }
}

/// Starts a machine, or gives it an event. What can be seen then: how much was logged, the log, the
/// leaf and its variable, the variables, the context's sum, whether there was room for the event,
/// and whether one of the states is active, which is another one each time.
pub fn observe(driven: &mut dyn Driven, step: usize, event: Option<Event>, seen: &mut Vec<u16>) {
    let had_room = match event {
        Some(event) => driven.dispatch(event),
        None => {
            driven.start();
            true
        }
    };
    let (leaf, own) = driven.leaf();
    let probe = (step % usize::from(driven.states())) as u16;
    let last = [driven.sum(), u8::from(had_room), u8::from(driven.is_in(probe))];
    let recorder = driven.recorder();
    seen.clear();
    seen.push(recorder.log.len() as u16);
    seen.append(&mut recorder.log);
    seen.extend([leaf, u16::from(own)]);
    seen.extend(recorder.v.into_iter().chain(last).map(u16::from));
}
