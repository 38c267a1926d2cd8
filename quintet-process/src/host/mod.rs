//! A kernel for tests on the computer: you test an application without a microcontroller.
//!
//! [`run`] gives this thread a [`Kernel`] while a closure runs. The kernel's time is virtual: when
//! the application waits, time goes on to the next event. The kernel has the drivers of this crate,
//! except for GPIO and inter-process communication, and the drivers that your test
//! [adds](Kernel::with_driver).
//!
//! ```
//! use quintet_process::alarm::{Duration, Instant, sleep};
//! use quintet_process::host::{self, Ended, Kernel};
//! use quintet_process::{block_on, println};
//!
//! let outcome = host::run(Kernel::new(), || {
//!     let begin = Instant::now();
//!     block_on(sleep(Duration::from_millis(20)));
//!     println!("{} ms", begin.elapsed().as_millis());
//!     quintet_process::exit(3)
//! });
//! assert_eq!(outcome.ended, Ended::<()>::Exit { code: 3, restarts: false });
//! assert_eq!(outcome.kernel.printed(), "20 ms\n");
//! ```
//!
//! One kernel runs at a time, as there is one process: other tests wait for the kernel.

mod drivers;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::string::String;
use std::sync::{Mutex, PoisonError};
use std::vec::Vec;

use crate::ErrorCode;
use crate::system::{class, kind};
pub use drivers::Call;
use drivers::{Custom, Drivers};

/// The most upcalls that wait, as in Tock.
const QUEUE: usize = 10;

/// An upcall: its driver, its number, and its words.
type Arrival = (u32, u32, [u32; 3]);

/// A kernel for tests.
#[derive(Default)]
pub struct Kernel {
    /// Microseconds since the beginning.
    time: u64,
    /// The upcalls to come: in the order of their times, and of the calls that announced them.
    coming: BTreeMap<(u64, u64), Arrival>,
    said: u64,
    queue: VecDeque<Arrival>,
    dropped: usize,
    subscribed: HashMap<(u32, u32), (usize, usize)>,
    lent: HashMap<(u8, u32, u32), (usize, usize)>,
    drivers: Drivers,
    custom: HashMap<u32, Custom>,
    calls: usize,
}

impl core::fmt::Debug for Kernel {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "Kernel at {} us", self.time)
    }
}

/// How an application ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended<R> {
    /// The closure returned.
    Returned(R),
    /// The application called [`exit`](crate::exit), or [`restart`](crate::restart).
    Exit {
        /// The exit code.
        code: u32,
        /// `true` if the application asked the kernel to start it anew.
        restarts: bool,
    },
}

/// The result of a run.
#[derive(Debug)]
pub struct Outcome<R> {
    /// How the application ended.
    pub ended: Ended<R>,
    /// The kernel, with its records of the run.
    pub kernel: Kernel,
}

/// The payload that unwinds to the end of [`run`].
struct Exit {
    code: u32,
    restarts: bool,
}

static ONE: Mutex<u32> = Mutex::new(0);

std::thread_local! {
    static KERNEL: RefCell<Option<Kernel>> = const { RefCell::new(None) };
    static LIFE: Cell<u32> = const { Cell::new(0) };
}

/// Runs an application with a kernel, in a new life of the process.
///
/// # Panics
/// If the application panics; if the application waits and no further upcall comes; if this thread
/// has a kernel already.
pub fn run<R>(kernel: Kernel, application: impl FnOnce() -> R) -> Outcome<R> {
    assert!(!is_here(), "this thread has a kernel already");
    let mut lives = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    *lives += 1;
    LIFE.set(*lives);
    KERNEL.set(Some(kernel));
    let result = catch_unwind(AssertUnwindSafe(application));
    let kernel = KERNEL.take().unwrap_or_default();
    drop(lives);
    let ended = match result {
        Ok(value) => Ended::Returned(value),
        Err(payload) => match payload.downcast::<Exit>() {
            Ok(exit) => Ended::Exit { code: exit.code, restarts: exit.restarts },
            Err(panic) => resume_unwind(panic),
        },
    };
    Outcome { ended, kernel }
}

impl Kernel {
    /// Returns a kernel with four LEDs, two buttons, and no input.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds bytes that arrive on the console: those of `text` from `microseconds` on, 100
    /// microseconds apart.
    #[must_use]
    pub fn with_input(mut self, microseconds: u64, text: &str) -> Self {
        self.drivers.input(microseconds, text);
        self
    }

    /// Lets a button be pressed, or released, at a time.
    #[must_use]
    pub fn with_button(mut self, microseconds: u64, which: u32, pressed: bool) -> Self {
        self.say(microseconds, (3, 0, [which, pressed.into(), 0]));
        self
    }

    /// Sets the temperature, in hundredths of a degree Celsius.
    #[must_use]
    pub fn with_temperature(mut self, hundredths: i32) -> Self {
        self.drivers.temperature = hundredths;
        self
    }

    /// Adds a driver that your test defines, which serves commands other than 0.
    #[must_use]
    pub fn with_driver(
        mut self,
        number: u32,
        driver: impl FnMut(&mut Call<'_>) -> Result<Vec<u32>, ErrorCode> + 'static,
    ) -> Self {
        self.custom.insert(number, std::boxed::Box::new(driver));
        self
    }

    /// Returns the text that was printed on the console.
    #[must_use]
    pub fn printed(&self) -> &str {
        &self.drivers.printed
    }

    /// Returns the pieces in which the text was printed.
    #[must_use]
    pub fn pieces(&self) -> &[String] {
        &self.drivers.pieces
    }

    /// Returns the calls of low-level debug: each command and its two arguments.
    #[must_use]
    pub fn debugged(&self) -> &[[u32; 3]] {
        &self.drivers.debugged
    }

    /// Returns the LEDs that are on, a bit for each.
    #[must_use]
    pub const fn leds(&self) -> u32 {
        self.drivers.leds
    }

    /// Returns the microseconds since the beginning.
    #[must_use]
    pub const fn microseconds(&self) -> u64 {
        self.time
    }

    /// Returns the number of system calls, yields among them.
    #[must_use]
    pub const fn calls(&self) -> usize {
        self.calls
    }

    /// Returns how many buffers are lent, and how many functions are subscribed.
    #[must_use]
    pub fn held(&self) -> (usize, usize) {
        let lent = self.lent.values().filter(|(_, length)| *length > 0).count();
        let subscribed = self.subscribed.values().filter(|(function, _)| *function != 0).count();
        (lent, subscribed)
    }

    /// Returns how many upcalls were dropped, as ten were due already.
    #[must_use]
    pub const fn dropped(&self) -> usize {
        self.dropped
    }

    /// Sends an upcall at a time.
    fn say(&mut self, when: u64, arrival: Arrival) {
        self.said += 1;
        self.coming.insert((when, self.said), arrival);
    }

    /// Queues the upcalls that have come by now.
    fn catch_up(&mut self) {
        while let Some(entry) = self.coming.first_entry() {
            if entry.key().0 > self.time {
                break;
            }
            let arrival = entry.remove();
            if !self.drivers.comes(&arrival, self.time) {
                continue;
            }
            let bytes = self.drivers.bytes(&arrival);
            let mut call = Call { kernel: self, driver: arrival.0, number: 0, first: 0, second: 0 };
            call.write(1, &bytes);
            if self.queue.len() < QUEUE {
                self.queue.push_back(arrival);
            } else {
                self.dropped += 1;
            }
        }
    }

    /// Waits for an upcall that `wanted` accepts.
    fn wait(&mut self, wanted: impl Fn(&Self, &Arrival) -> bool) -> Arrival {
        loop {
            self.catch_up();
            let place = self.queue.iter().position(|arrival| wanted(self, arrival));
            if let Some(arrival) = place.and_then(|place| self.queue.remove(place)) {
                return arrival;
            }
            let next = self.coming.first_key_value().map(|((when, _), _)| *when);
            let Some(next) = next else {
                panic!("the application waits, and nothing comes any more");
            };
            self.time = next;
        }
    }

    fn swap(&mut self, class: u8, [driver, number, first, second]: [usize; 4]) -> [usize; 4] {
        let (driver, number) = (driver as u32, number as u32);
        let error = match Drivers::slots(class, driver) {
            None if !self.custom.contains_key(&driver) => Some(ErrorCode::NoDevice),
            Some(slots) if number >= slots => Some(ErrorCode::NoSupport),
            _ => None,
        };
        if let Some(error) = error {
            return [2, error as usize, first, second];
        }
        let before = if class == class::SUBSCRIBE {
            self.queue.retain(|arrival| (arrival.0, arrival.1) != (driver, number));
            self.subscribed.insert((driver, number), (first, second))
        } else {
            self.lent.insert((class, driver, number), (first, second))
        };
        let (first, second) = before.unwrap_or_default();
        [130, first, second, 0]
    }

    fn command(&mut self, [driver, number, first, second]: [usize; 4]) -> [usize; 4] {
        let [driver, number, first, second] = [driver, number, first, second].map(|r| r as u32);
        self.catch_up();
        let custom = self.custom.remove(&driver);
        let mut call = Call { kernel: self, driver, number, first, second };
        let answer = match custom {
            Some(mut custom) => {
                let answer = if number == 0 { Ok(Vec::new()) } else { custom(&mut call) };
                self.custom.insert(driver, custom);
                answer
            }
            None => drivers::command(&mut call),
        };
        let word = |words: &[u32], place: usize| words.get(place).map_or(0, |&word| word as usize);
        match answer {
            Err(error) => [0, error as usize, 0, 0],
            Ok(words) => {
                let kind = [128, 129, 130, 132][words.len().min(3)];
                [kind, word(&words, 0), word(&words, 1), word(&words, 2)]
            }
        }
    }
}

/// Calls `action` with the kernel of this thread.
fn with<R>(action: impl FnOnce(&mut Kernel) -> R) -> R {
    KERNEL.with_borrow_mut(|kernel| {
        let kernel = kernel.as_mut().expect("no kernel: call `quintet_process::host::run`");
        kernel.calls += 1;
        action(kernel)
    })
}

/// A system call other than yield and exit.
pub(crate) fn call(class: u8, arguments: [usize; 4]) -> [usize; 4] {
    with(|kernel| match class {
        class::COMMAND => kernel.command(arguments),
        class::MEMORY => [0, ErrorCode::NoMemory as usize, 0, 0],
        class => kernel.swap(class, arguments),
    })
}

pub(crate) fn yield_now(kind: usize, first: usize, second: usize) -> [usize; 3] {
    let has_function = |kernel: &Kernel, arrival: &Arrival| {
        kernel.subscribed.get(&(arrival.0, arrival.1)).is_some_and(|&(function, _)| function != 0)
    };
    let arrival = match kind {
        kind::WAIT_FOR => {
            let pair = (first as u32, second as u32);
            let words = with(|kernel| kernel.wait(|_, arrival| (arrival.0, arrival.1) == pair)).2;
            return words.map(|word| word as usize);
        }
        kind::WAIT => with(|kernel| kernel.wait(has_function)),
        _ => {
            let due = with(|kernel| {
                kernel.catch_up();
                let place = kernel.queue.iter().position(|arrival| has_function(kernel, arrival));
                place.and_then(|place| kernel.queue.remove(place))
            });
            drivers::store(first, &[due.is_some().into()]);
            let Some(arrival) = due else { return [0; 3] };
            arrival
        }
    };
    let (driver, number, words) = arrival;
    let subscribed = KERNEL.with_borrow(|kernel| {
        kernel.as_ref().and_then(|kernel| kernel.subscribed.get(&(driver, number)).copied())
    });
    if let Some((function, data)) = subscribed {
        drivers::upcall(function, words, data);
    }
    [0; 3]
}

pub(crate) fn exit(kind: usize, code: usize) -> ! {
    assert!(is_here(), "no kernel: call `quintet_process::host::run`");
    resume_unwind(std::boxed::Box::new(Exit { code: code as u32, restarts: kind == 1 }))
}

pub(crate) fn is_here() -> bool {
    // While the thread ends there is none.
    KERNEL.try_with(|kernel| kernel.try_borrow().is_ok_and(|kernel| kernel.is_some())) == Ok(true)
}

pub(crate) fn life() -> u32 {
    LIFE.get()
}
