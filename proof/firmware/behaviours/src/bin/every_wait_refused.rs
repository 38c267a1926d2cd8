//! Whatever a thread waits for, it is refused under each kind of ceiling, by a message that names
//! the thread and what it holds. A refusal is a panic: the machine restarts behind each.
#![no_std]
#![no_main]

use core::fmt::{self, Write};
use core::mem::MaybeUninit;
use core::panic::PanicInfo;
use cortex_m::peripheral::SCB;
use cortex_m_semihosting::{debug, hprintln};

/// What the thread holds, and what it is told then.
const HELD: [&str; 3] = [
    "the thread `waiter` would wait while it holds `of_threads`: end the lock before the call that \
     waits",
    "the thread `waiter` would wait while it holds `of_levels`: end the lock before the call that \
     waits",
    "the thread `waiter` would wait while it holds interrupts off: end the critical section before \
     the call that waits",
];

/// How many refusals there were, which a restart leaves as it is.
#[unsafe(link_section = ".uninit.REFUSED")]
static mut REFUSED: MaybeUninit<[usize; 2]> = MaybeUninit::uninit();
/// The first word says that the second one is a count.
const COUNTED: usize = 0x5ef0_5ed1;

fn refused() -> usize {
    // SAFETY: every word is a number; only threads that have not yet waited look.
    let [counted, count] = unsafe { (&raw const REFUSED).cast::<[usize; 2]>().read_volatile() };
    if counted == COUNTED { count } else { 0 }
}

fn note_refusal() {
    let next = [COUNTED, refused() + 1];
    // SAFETY: as above.
    unsafe { (&raw mut REFUSED).cast::<[usize; 2]>().write_volatile(next) };
}

quintet::systick_timer!(Clock, 12_000_000);

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use cortex_m_semihosting::{debug, hprintln};
    use quintet::sync::*;
    use quintet::thread::CurrentThread;
    use quintet::time::{Duration, Instant, Ticker};

    static PERMITS: Semaphore = Semaphore::new(0);
    static NEVER: Semaphore = Semaphore::new(0);
    static EMPTY: Channel<u32, 1> = Channel::new();
    static FULL: Channel<u32, 1> = Channel::new();
    static SIGNAL: Signal<u32> = Signal::new();
    static MAIL: Mailbox<u32> = Mailbox::new();
    static MAIL_FULL: Mailbox<u32> = Mailbox::new();
    static FLAGS: Flags = Flags::new(0);
    static OWN: ThreadFlags = ThreadFlags::new();
    static POOL: Pool<u32, 1> = Pool::new();
    static BARRIER: Barrier = Barrier::new(2);
    static CHANGED: Condvar = Condvar::new();
    static EVENTS: Inbox<u8, 1> = Inbox::new("events");
    static FREE: InheritanceMutex<()> = InheritanceMutex::new(());
    static INHERITS: InheritanceMutex<()> = InheritanceMutex::new(());
    static CEILING: CeilingMutex<()> = CeilingMutex::new(3, ());
    static READ: RwLock<()> = RwLock::new(());
    static WRITTEN: RwLock<()> = RwLock::new(());

    const SHORT: Duration = Duration::from_micros(100);

    fn soon() -> Instant {
        Instant::now() + SHORT
    }

    /// By name, what waits.
    type Wait = (&'static str, fn(&CurrentThread<'_>));

    /// Waits by name.
    macro_rules! waits {
        (|$this:ident| $($name:literal: $wait:expr,)*) => {
            [$(($name, |$this| { let _ = $wait; })),*]
        };
    }

    const WAITS: [Wait; 52] = waits! { |this|
        "semaphore, take": PERMITS.take().block(this),
        "semaphore, take until": PERMITS.take().block_until(this, soon()),
        "semaphore, acquire": PERMITS.acquire().block(this),
        "semaphore, acquire until now": PERMITS.acquire().block_until(this, Instant::MIN),
        "channel, send": FULL.send(1).block(this),
        "channel, send until": FULL.send(1).block_until(this, soon()),
        "channel, receive": EMPTY.receive().block(this),
        "channel, receive until": EMPTY.receive().block_until(this, soon()),
        "signal": SIGNAL.wait().block(this),
        "signal until": SIGNAL.wait().block_until(this, soon()),
        "mailbox, post": MAIL_FULL.post(1).block(this),
        "mailbox, post until": MAIL_FULL.post(1).block_until(this, soon()),
        "mailbox, take": MAIL.take().block(this),
        "mailbox, take until": MAIL.take().block_until(this, soon()),
        "flags, any": FLAGS.wait_any(1).block(this),
        "flags, all": FLAGS.wait_all(1).block(this),
        "flags, take any": FLAGS.take_any(1).block(this),
        "flags, take all": FLAGS.take_all(1).block(this),
        "flags, any until": FLAGS.wait_any(1).block_until(this, soon()),
        "flags, take all until": FLAGS.take_all(1).block_until(this, soon()),
        "own flags, any": OWN.own(this).unwrap().wait_any(1).block(this),
        "own flags, all": OWN.own(this).unwrap().wait_all(1).block(this),
        "own flags, take any": OWN.own(this).unwrap().take_any(1).block(this),
        "own flags, take all": OWN.own(this).unwrap().take_all(1).block(this),
        "own flags, any until": OWN.own(this).unwrap().wait_any(1).block_until(this, soon()),
        "own flags, take all until now": {
            OWN.own(this).unwrap().take_all(1).block_until(this, Instant::MIN)
        },
        "pool": POOL.alloc(1).block(this),
        "pool until": POOL.alloc(1).block_until(this, soon()),
        "barrier": BARRIER.wait().block(this),
        "barrier until": BARRIER.wait().block_until(this, soon()),
        "mutex with inheritance": INHERITS.lock().block(this),
        "mutex with inheritance until": INHERITS.lock().block_until(this, soon()),
        "mutex with a ceiling": CEILING.lock().block(this),
        "mutex with a ceiling until": CEILING.lock().block_until(this, soon()),
        "condition variable": CHANGED.wait(FREE.lock().block(this)).block(this),
        "condition variable until": {
            CHANGED.wait(FREE.lock().block(this)).block_until(this, soon())
        },
        "read": WRITTEN.read().block(this),
        "read until": WRITTEN.read().block_until(this, soon()),
        "write": READ.write().block(this),
        "write until": READ.write().block_until(this, soon()),
        "park": this.park(),
        "park until": this.park_until(soon()),
        "yield": this.yield_now(),
        "delay": this.delay(SHORT),
        "delay until": this.delay_until(soon()),
        "tick": Ticker::every(SHORT).next().block(this),
        "tick until": Ticker::every(SHORT).next().block_until(this, soon()),
        "inbox, next": EVENTS.next().block(this),
        "inbox, next until": EVENTS.next().block_until(this, soon()),
        "end of a thread": holder::handle().join(this),
        "end of a thread until": holder::handle().join_until(this, soon()),
        "future": this.block_on(PERMITS.take()),
    };

    #[shared]
    struct Shared {
        of_threads: u32,
        of_levels: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        super::Clock::start(cx.core.SYST);
        FULL.try_send(0).unwrap();
        MAIL_FULL.try_post(0).unwrap();
        (Shared { of_threads: 0, of_levels: 0 }, Local {})
    }

    #[task(priority = 4, shared = [of_levels])]
    async fn sampler(mut cx: sampler::Context) {
        cx.shared.of_levels.lock(|samples| *samples += 1);
    }

    /// Has what others wait for.
    #[thread(priority = 3, stack = 1024)]
    fn holder(cx: holder::Context) {
        let this = &cx.thread;
        let _mutexes = (INHERITS.lock().block(this), CEILING.lock().block(this));
        let _locks = (READ.try_read().unwrap(), WRITTEN.try_write().unwrap());
        let _block = POOL.try_alloc(0).ok();
        NEVER.take().block(this);
    }

    #[thread(priority = 2, stack = 512, shared = [of_threads])]
    fn other(mut cx: other::Context) {
        cx.shared.of_threads.lock(|log| *log += 1);
    }

    #[thread(priority = 1, stack = 2048, shared = [of_threads, of_levels])]
    fn waiter(mut cx: waiter::Context) {
        let this = cx.thread;
        let (kind, index) = (super::refused() % 3, super::refused() / 3);
        let Some((name, wait)) = WAITS.get(index) else {
            hprintln!("{} are refused under each", WAITS.len());
            let suspended = [
                cx.shared.of_threads.lock(|_| this.thread().suspend()),
                cx.shared.of_levels.lock(|_| this.thread().suspend()),
                critical_section::with(|_| this.thread().suspend()),
                cortex_m::interrupt::free(|_| this.thread().suspend()),
            ];
            hprintln!("and suspending oneself: {:?}", suspended);
            return debug::exit(debug::EXIT_SUCCESS);
        };
        match kind {
            0 => cx.shared.of_threads.lock(|_| wait(&this)),
            1 => cx.shared.of_levels.lock(|_| wait(&this)),
            _ => critical_section::with(|_| wait(&this)),
        }
        hprintln!("{} is not refused while it holds number {}", name, kind);
        debug::exit(debug::EXIT_FAILURE);
    }
}

/// What is still to be written, as long as what is written is that.
struct Expected(Option<&'static str>);

impl Write for Expected {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.and_then(|expected| expected.strip_prefix(text));
        Ok(())
    }
}

#[panic_handler]
fn panic(information: &PanicInfo<'_>) -> ! {
    let mut expected = Expected(Some(HELD[refused() % 3]));
    let _ = write!(expected, "{}", information.message());
    if expected.0 == Some("") {
        note_refusal();
        SCB::sys_reset();
    }
    hprintln!("refusal {}: {}", refused(), information);
    debug::exit(debug::EXIT_FAILURE);
    loop {}
}
