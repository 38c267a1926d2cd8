//! The objects, and what contexts do to them.

use core::pin::Pin;
use core::task::{Context, Poll};
use quintet::sync::{Barrier, Channel, Flags, Mailbox, Operation, Semaphore, Signal, TimedOut};
use quintet::thread::{CurrentThread, JoinError, Slice, take_turns};
use quintet::time::{Duration, Instant, SoftwareTimer, Timer, timeout};

use super::clock::Scripted;
use super::{REFUSED, THREADS, TIMED_OUT, actors, guards, own, pool, tasks};

static SEMAPHORES: [Semaphore; 3] = [const { Semaphore::new(0) }; 3];
static FLAGS: Flags = Flags::new(0);
static CHANNEL: Channel<u16, 2> = Channel::new();
static SIGNAL: Signal<u16> = Signal::new();
static MAILBOX: Mailbox<u16> = Mailbox::new();
static BARRIER: Barrier = Barrier::new(3);
/// Gives when it is time.
static TIMER: SoftwareTimer = SoftwareTimer::new(|_| SEMAPHORES[0].give());
/// B and C take turns, if that is asked for.
static SLICES: [Slice; 1] = [Slice::new(2, Duration::from_ticks(3))];

/// A future that wakes whoever polls it, and is over when it is polled again.
struct Awake(bool);

impl Future for Awake {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if core::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

/// A future that is over when it is polled again.
struct Twice(bool);

impl Future for Twice {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if core::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

fn after(ticks: u32) -> Instant {
    Instant::now() + ticks_of(ticks)
}

fn ticks_of(ticks: u32) -> Duration {
    Duration::from_ticks(u64::from(ticks))
}

/// 0 if it was done.
fn done(result: Result<(), TimedOut>) -> u32 {
    value(result.map(|()| 0))
}

/// What came, or that the time was up.
pub fn value(result: Result<u32, TimedOut>) -> u32 {
    result.unwrap_or(TIMED_OUT)
}

/// What every context may do.
pub fn act_anywhere(word: u32) -> u32 {
    act(word).unwrap_or_else(|| panic!("no operation has the number {}", word & 0xff))
}

/// What every context may do; none if that isn't among it.
pub fn act(word: u32) -> Option<u32> {
    let object = (word >> 8 & 0xff) as usize;
    let (mask, message) = (object as u32, object as u16);
    match word & 0xff {
        1 => SEMAPHORES[object].give(),
        3 => return Some(SEMAPHORES[object].try_take().is_ok().into()),
        5 => return Some(THREADS[object].suspend().is_err().into()),
        6 => THREADS[object].resume(),
        7 => return Some(THREADS[object].start().is_err().into()),
        10 => THREADS[object].waker().wake(),
        11 => return Some(SEMAPHORES[object].available().into()),
        12 => {
            let suspended = u32::from(THREADS[object].is_suspended());
            return Some(u32::from(THREADS[object].is_alive()) | suspended << 1);
        }
        13 => FLAGS.set(mask),
        15 => return Some(FLAGS.clear(mask)),
        16 => return Some(FLAGS.get()),
        19 => return Some(THREADS[object].set_priority((word >> 16) as u8).is_err().into()),
        22 => return Some(CHANNEL.try_send(message).is_err().into()),
        23 => return Some(CHANNEL.try_receive().map_or(0, u32::from)),
        26 => Scripted::tick(mask),
        32 => guards::notify(false),
        33 => guards::notify(true),
        41 => return Some(guards::glance(false).into()),
        42 => return Some(guards::glance(true).into()),
        43 => SIGNAL.signal(message),
        46 => return Some(SIGNAL.try_take().map_or(0, u32::from)),
        49 => return Some(MAILBOX.try_post(message).is_err().into()),
        50 => return Some(MAILBOX.replace(message).map_or(0, u32::from)),
        53 => return Some(MAILBOX.try_take().map_or(0, u32::from)),
        54 => return Some(BARRIER.arrive().into()),
        56 => TIMER.start(ticks_of(mask)),
        57 => TIMER.start_periodic(ticks_of(mask)),
        58 => return Some(TIMER.stop().into()),
        59 => take_turns(&SLICES),
        60 => THREADS[object].unpark(),
        66 => return Some(pool::try_alloc(mask)),
        67 => return Some(pool::free(object)),
        69 => return Some(tasks::spawn(object).into()),
        70 => tasks::wake(object),
        71 => own::set(object, word >> 16),
        72 => return Some(own::clear(object, word >> 16)),
        _ => return actors::act(word),
    }
    Some(0)
}

/// What threads may do.
pub fn act_in_thread(this: &CurrentThread<'_>, context: usize, word: u32) -> u32 {
    let (object, more) = ((word >> 8 & 0xff) as usize, word >> 16);
    let (mask, message) = (object as u32, object as u16);
    match word & 0xff {
        2 => SEMAPHORES[object].take().block(this),
        4 => this.yield_now(),
        8 => return THREADS[object].join(this).map_or_else(|error| error as u32 + 1, |()| 0),
        9 => this.block_on(Twice(false)),
        79 => this.block_on(Awake(false)),
        14 => return wait_for_flags(this, mask, more),
        17 => return guards::lock(this, context, object),
        18 => return guards::unlock(context, object).into(),
        20 => CHANNEL.send(message).block(this),
        21 => return CHANNEL.receive().block(this).into(),
        24 => this.delay(ticks_of(mask)),
        25 => return done(SEMAPHORES[object].take().block_until(this, after(more))),
        27 => return guards::try_lock(this, context, object),
        28 => return guards::lock_until(this, context, object, after(more)),
        29 => return wait_for_flags_until(this, mask, more >> 8, after(more & 0xff)),
        30 => return guards::wait(this, context, object, None),
        31 => return guards::wait(this, context, object, Some(after(more))),
        34 => return guards::read(this, context, None),
        35 => return guards::write(this, context, None),
        36 => return guards::read(this, context, Some(after(more))),
        37 => return guards::write(this, context, Some(after(more))),
        38 => return guards::try_read(context),
        39 => return guards::try_write(context),
        40 => return guards::leave(context).into(),
        44 => return SIGNAL.wait().block(this).into(),
        45 => return value(SIGNAL.wait().block_until(this, after(more)).map(u32::from)),
        47 => MAILBOX.post(message).block(this),
        48 => {
            let posted = MAILBOX.post(message).block_until(this, after(more));
            return posted.map_or(TIMED_OUT, |()| 0);
        }
        51 => return MAILBOX.take().block(this).into(),
        52 => return value(MAILBOX.take().block_until(this, after(more)).map(u32::from)),
        55 => return BARRIER.wait().block(this).into(),
        61 => {
            let sent = CHANNEL.send(message).block_until(this, after(more));
            return sent.map_or(TIMED_OUT, |()| 0);
        }
        62 => return value(CHANNEL.receive().block_until(this, after(more)).map(u32::from)),
        64 => return 1,
        65 => return pool::alloc_blocking(this, mask),
        73 => return own::wait(this, context, mask, more),
        74 => return own::wait_until(this, context, mask, more >> 8, after(more & 0xff)),
        76 => this.park(),
        77 => return done(this.park_until(after(more))),
        78 => {
            return match THREADS[object].join_until(this, after(more)) {
                Err(JoinError::TimedOut) => TIMED_OUT,
                result => result.map_or_else(|error| error as u32 + 1, |()| 0),
            };
        }
        _ => return act_anywhere(word),
    }
    0
}

/// What threads may do in a section: nothing that waits.
pub fn act_in_section(this: &CurrentThread<'_>, context: usize, word: u32) -> u32 {
    let mutex = (word >> 8 & 0xff) as usize;
    match word & 0xff {
        18 => guards::unlock(context, mutex).into(),
        27 => guards::try_lock(this, context, mutex),
        _ => act(word).unwrap_or(REFUSED),
    }
}

/// What tasks may do.
pub async fn act_in_task(word: u32) -> u32 {
    let (object, more) = ((word >> 8 & 0xff) as usize, word >> 16);
    let (mask, message) = (object as u32, object as u16);
    match word & 0xff {
        2 => SEMAPHORES[object].take().await,
        4 => Awake(false).await,
        14 => {
            return match more {
                0 => FLAGS.wait_any(mask).await,
                1 => FLAGS.wait_all(mask).await,
                2 => FLAGS.take_any(mask).await,
                _ => FLAGS.take_all(mask).await,
            };
        }
        20 => CHANNEL.send(message).await,
        21 => return CHANNEL.receive().await.into(),
        24 => Timer::after(ticks_of(mask)).await,
        25 => {
            let taken = timeout(ticks_of(more), SEMAPHORES[object].take()).await;
            return taken.map_or(TIMED_OUT, |()| 0);
        }
        29 => return flags_in_task(mask, more >> 8, ticks_of(more & 0xff)).await,
        44 => return SIGNAL.wait().await.into(),
        45 => return timeout(ticks_of(more), SIGNAL.wait()).await.map_or(TIMED_OUT, u32::from),
        47 => MAILBOX.post(message).await,
        48 => {
            let posted = timeout(ticks_of(more), MAILBOX.post(message)).await;
            return posted.map_or(TIMED_OUT, |()| 0);
        }
        51 => return MAILBOX.take().await.into(),
        52 => return timeout(ticks_of(more), MAILBOX.take()).await.map_or(TIMED_OUT, u32::from),
        61 => {
            let sent = timeout(ticks_of(more), CHANNEL.send(message)).await;
            return sent.map_or(TIMED_OUT, |()| 0);
        }
        62 => return timeout(ticks_of(more), CHANNEL.receive()).await.map_or(TIMED_OUT, u32::from),
        65 => return pool::alloc(mask).await,
        75 => return pool::alloc_timeout(mask, ticks_of(more)).await,
        _ => return act_anywhere(word),
    }
    0
}

/// A task waits for flags, in one of the same ways, for a time.
async fn flags_in_task(mask: u32, kind: u32, duration: Duration) -> u32 {
    let found = match kind {
        0 => timeout(duration, FLAGS.wait_any(mask)).await,
        1 => timeout(duration, FLAGS.wait_all(mask)).await,
        2 => timeout(duration, FLAGS.take_any(mask)).await,
        _ => timeout(duration, FLAGS.take_all(mask)).await,
    };
    found.unwrap_or(TIMED_OUT)
}

/// The kinds of waiting for flags: any or all, and whether they are cleared.
fn wait_for_flags(this: &CurrentThread<'_>, mask: u32, kind: u32) -> u32 {
    match kind {
        0 => FLAGS.wait_any(mask).block(this),
        1 => FLAGS.wait_all(mask).block(this),
        2 => FLAGS.take_any(mask).block(this),
        _ => FLAGS.take_all(mask).block(this),
    }
}

/// The same until a time.
fn wait_for_flags_until(this: &CurrentThread<'_>, mask: u32, kind: u32, deadline: Instant) -> u32 {
    value(match kind {
        0 => FLAGS.wait_any(mask).block_until(this, deadline),
        1 => FLAGS.wait_all(mask).block_until(this, deadline),
        2 => FLAGS.take_any(mask).block_until(this, deadline),
        _ => FLAGS.take_all(mask).block_until(this, deadline),
    })
}
