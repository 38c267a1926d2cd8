//! What each error says, where the error comes up.
#![no_std]
#![no_main]

use semihosting as _;

quintet::systick_timer!(Clock, 12_000_000);

#[quintet::app(device = lm3s6965)]
mod app {
    use core::error::Error;
    use cortex_m_semihosting::{debug, hprintln};
    use quintet::sync::{
        CeilingMutex, Channel, Condvar, Flags, InheritanceMutex, Mailbox, Mutex, Operation, Pool,
        RwLock, Semaphore, Signal, ThreadFlags,
    };
    use quintet::thread::CurrentThread;
    use quintet::time::Instant;

    static INHERITS: InheritanceMutex<()> = InheritanceMutex::new(());
    static FREE: InheritanceMutex<()> = InheritanceMutex::new(());
    static CEILING: CeilingMutex<()> = CeilingMutex::new(1, ());
    static CHANGED: Condvar = Condvar::new();
    static OWN: ThreadFlags = ThreadFlags::new();
    static FLAGS: Flags = Flags::new(0);
    static BINARY: Semaphore = Semaphore::binary(true);
    static NEVER: Semaphore = Semaphore::new(0);
    static CHANNEL: Channel<NoDebug, 1> = Channel::new();
    static MAILBOX: Mailbox<NoDebug> = Mailbox::new();
    static SIGNAL: Signal<NoDebug> = Signal::new();
    static POOL: Pool<NoDebug, 1> = Pool::new();
    static MUTEX: Mutex<()> = Mutex::new(());
    static LOCK: RwLock<()> = RwLock::new(());

    /// Messages may be anything: the errors that carry one are errors all the same.
    struct NoDebug;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        super::Clock::start(cx.core.SYST);
        (Shared {}, Local {})
    }

    fn say<T>(name: &str, result: Result<T, impl Error>) {
        match result {
            Ok(_) => hprintln!("{} is none", name),
            Err(error) => hprintln!("{}: {}", name, error),
        }
    }

    /// Has what others ask for, and never ends.
    #[thread(priority = 3, stack = 1024)]
    fn holder(cx: holder::Context) {
        let this = &cx.thread;
        say("AboveCeiling", CEILING.try_lock(this));
        let _locked = (INHERITS.lock().block(this), OWN.own(this));
        NEVER.take().block(this);
    }

    /// Waits for the end of that.
    #[thread(priority = 2, stack = 1024)]
    fn joiner(cx: joiner::Context) {
        let _ = holder::handle().join(&cx.thread);
    }

    #[thread(priority = 2, stack = 1024)]
    fn worker(_: worker::Context, _number: u32) {}

    #[thread(priority = 1, stack = 2048)]
    fn asks(cx: asks::Context) {
        of_threads(&cx.thread);
        of_mutexes(&cx.thread);
        of_objects(&cx.thread);
        of_messages(&cx.thread);
        debug::exit(debug::EXIT_SUCCESS);
    }

    fn of_threads(this: &CurrentThread<'_>) {
        say("Running", joiner::handle().start());
        say("TakesArguments", worker::handle().start());
        say("Itself", this.thread().join(this));
        say("Joined", holder::handle().join(this));
        say("join TimedOut", joiner::handle().join_until(this, Instant::MIN));
        say("HoldsResource", critical_section::with(|_| this.thread().suspend()));
        say("NoPriority", worker::handle().set_priority(0));
        say("NoPriority", worker::handle().set_priority(32));
    }

    fn of_mutexes(this: &CurrentThread<'_>) {
        say("Locked", INHERITS.try_lock(this));
        say("TimedOut", INHERITS.lock().block_until(this, Instant::MIN));
        let guard = FREE.lock().block(this);
        let waited = CHANGED.wait(guard).block_until(this, Instant::MIN);
        say("NotNotified", waited.as_ref().map(drop));
        say("Deadlock", FREE.try_lock(this));
        let _guard = MUTEX.try_lock();
        say("async mutex", MUTEX.try_lock());
        let _guard = LOCK.write().block(this);
        say("InUse, to read", LOCK.try_read());
        say("InUse, to write", LOCK.try_write());
    }

    fn of_objects(this: &CurrentThread<'_>) {
        say("Owned", OWN.own(this));
        say("NotSet", FLAGS.try_all(1));
        say("Saturated", BINARY.try_give());
        say("Exhausted", NEVER.try_take());
        say("wait TimedOut", NEVER.take().block_until(this, Instant::MIN));
    }

    fn of_messages(this: &CurrentThread<'_>) {
        say("Empty", CHANNEL.try_receive());
        let _ = CHANNEL.try_send(NoDebug);
        say("Full", CHANNEL.try_send(NoDebug));
        say("NoMessage", MAILBOX.try_take());
        MAILBOX.replace(NoDebug);
        say("Occupied", MAILBOX.try_post(NoDebug));
        say("Occupied", MAILBOX.post(NoDebug).block_until(this, Instant::MIN));
        say("Unset", SIGNAL.try_take());
        let _block = POOL.try_alloc(NoDebug);
        say("OutOfMemory", POOL.try_alloc(NoDebug));
    }
}
