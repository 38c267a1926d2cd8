//! Time events of an actor, armed, armed anew, disarmed and periodic, events that it puts off, and
//! an actor that is stopped and started, while interrupts do the same: no event is lost, or comes
//! twice.
#![no_std]
#![no_main]

/// The processor's clock: a tick is a cycle.
const HZ: u32 = 12_000_000;

quintet::systick_timer!(Clock, HZ);

#[quintet::app(device = lm3s6965, peripherals = false, dispatchers = [SSI0])]
mod app {
    use super::Clock;
    use campaign::spawns::{Message, Spawns};
    use campaign::{Count, begin, end, succeed};
    use quintet::actor::{Deferred, TimeEvent};
    use quintet::time::{Duration, Instant};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    /// What comes to the actor `slow`.
    #[derive(Clone, Copy)]
    pub enum Event {
        /// A time has come that this context waits for.
        Once(usize),
        /// A period is over.
        Beat,
        /// A request, which is put off at first; whether it was.
        Request(bool),
        /// What was put off is wanted.
        Ready,
    }

    /// Idle, and two interrupts.
    const CONTEXTS: usize = 3;
    const LATER: Duration = Duration::from_ticks(700);
    /// The actor has time enough to handle one of a period, and what interrupts bring.
    const PERIOD: Duration = Duration::from_ticks(2000);
    /// It may come anywhere in what idle does, where that is interrupted.
    const SOON: Duration = Duration::from_ticks(400);
    const LONG: Duration = Duration::from_ticks(1_000_000);

    /// By context: a time event that only this one arms.
    static ONCE: [TimeEvent<Event>; CONTEXTS] = [
        TimeEvent::new(slow::handle(), Event::Once(0)),
        TimeEvent::new(slow::handle(), Event::Once(1)),
        TimeEvent::new(slow::handle(), Event::Once(2)),
    ];
    static ARMED: [Count; CONTEXTS] = [const { Count::new() }; CONTEXTS];
    static TAKEN_BACK: [Count; CONTEXTS] = [const { Count::new() }; CONTEXTS];
    static CAME: [Count; CONTEXTS] = [const { Count::new() }; CONTEXTS];
    /// One that everybody arms, for a time that isn't awaited, and disarms.
    static SHARED: TimeEvent<Event> = TimeEvent::new(slow::handle(), Event::Ready);
    static BEAT: TimeEvent<Event> = TimeEvent::new(slow::handle(), Event::Beat);
    static BEATS: Count = Count::new();
    static REQUESTED: Count = Count::new();
    static SERVED: Count = Count::new();
    /// The posts to the actor that is stopped.
    static OTHER: Spawns = Spawns::new();

    /// Arms a context's own.
    fn arm(context: usize, delay: Duration) {
        if ONCE[context].rearm(delay) {
            TAKEN_BACK[context].add();
        }
        ARMED[context].add();
    }

    /// Disarms it.
    fn disarm(context: usize) {
        if ONCE[context].disarm() {
            TAKEN_BACK[context].add();
        }
    }

    fn request() {
        REQUESTED.add();
        slow::post(Event::Request(false));
    }

    /// Waits until a time has passed, and what came then was handled.
    fn pass(duration: Duration) {
        let until = Instant::now() + duration;
        while Instant::now() < until {}
    }

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        begin();
        BEAT.arm_periodic(PERIOD);
        arm(0, LONG);
        SHARED.arm(LONG);
        arm(0, SOON);
        arm(0, SOON);
        request();
        OTHER.spawn(other::try_post);
        other::stop();
        OTHER.spawn(other::try_post);
        disarm(0);
        other::start();
        OTHER.spawn(other::try_post);
        arm(0, SOON);
        arm(0, LATER);
        slow::post(Event::Ready);
        SHARED.disarm();
        pass(LATER);
        end();
        pass(PERIOD * 4);
        BEAT.disarm();
        SHARED.disarm();
        while REQUESTED.get() > SERVED.get() {
            slow::post(Event::Ready);
        }
        let beats = BEATS.get();
        assert!(beats >= 3, "a period is lost: {beats}");
        pass(PERIOD * 2);
        assert!(BEATS.get() == beats, "a period comes behind its end");
        for context in 0..CONTEXTS {
            let [armed, back, came] =
                [&ARMED, &TAKEN_BACK, &CAME].map(|counts| counts[context].get());
            assert!(armed == back + came, "{context}: {armed} armed, {back} not, {came} came");
        }
        assert!(REQUESTED.get() == SERVED.get(), "a request comes twice");
        // A stop drops what waits.
        OTHER.count(0..=4);
        succeed()
    }

    #[actor(priority = 1, queue = 16, local = [later: Deferred<Event, 8> = Deferred::new()])]
    fn slow(cx: slow::Context, event: Event) {
        match event {
            Event::Once(context) => {
                CAME[context].add();
            }
            Event::Beat => {
                BEATS.add();
            }
            // Put off, and served when it is recalled.
            Event::Request(false) => {
                let put_off = cx.local.later.defer(Event::Request(true));
                assert!(put_off.is_ok(), "more is put off than was asked for");
            }
            Event::Request(true) => {
                SERVED.add();
            }
            Event::Ready => {
                // What an interrupt posts meanwhile waits until this is over.
                other::stop();
                other::start();
                cx.local.later.recall(slow::handle());
            }
        }
    }

    #[actor(priority = 1, queue = 2)]
    fn other(_: other::Context, message: Message) {
        OTHER.start(&message);
    }

    #[task(binds = GPIOB, priority = 2)]
    fn between(_: between::Context) {
        arm(1, LATER);
        SHARED.arm(LONG);
        other::stop();
        OTHER.spawn(other::try_post);
        other::start();
        request();
        slow::post(Event::Ready);
    }

    #[task(binds = GPIOD, priority = 4)]
    fn above(_: above::Context) {
        arm(2, LONG);
        SHARED.disarm();
        arm(2, LATER);
        disarm(2);
        arm(2, LATER);
        other::stop();
        other::start();
        OTHER.spawn(other::try_post);
        request();
    }
}
