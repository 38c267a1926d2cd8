//! Actors beside all other models: an interrupt posts to one, a thread and an async task ask it and
//! get their answers, and an async actor takes several steps for each event.
#![no_std]
#![no_main]

quintet::systick_timer!(Clock, 12_000_000);

// begin: application
#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use lm3s6965::Interrupt;
    use quintet::actor::{Address, Handle};
    use quintet::sync::Inbox;
    use quintet::time::{Duration, Timer};
    use semihosting::println;

    use super::Clock;

    // begin: events
    /// What the meter is told.
    pub enum Event {
        /// The wheel has turned once.
        Pulse,
        /// Somebody wants to know the amount due, and says whom to answer.
        Read(Handle<u32>),
    }

    /// Where the answers to the thread and to the async task go.
    static PANEL: Inbox<u32, 1> = Inbox::new("panel");
    static PANEL_ADDRESS: Address<u32> = PANEL.address();
    static REPORT: Inbox<u32, 1> = Inbox::new("report");
    static REPORT_ADDRESS: Address<u32> = REPORT.address();
    // end: events

    #[shared]
    struct Shared {
        /// Used by the meter and by the thread: locking it holds off the meter.
        price: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        assert!(report::spawn().is_ok());
        (Shared { price: 10 }, Local {})
    }

    /// Above all software: an interrupt.
    #[task(binds = GPIOA, priority = 5)]
    fn wheel(_: wheel::Context) {
        meter::post(Event::Pulse);
    }

    // begin: meter
    /// Above the threads: an actor of a level. It answers whoever asks, and knows nobody.
    #[actor(priority = 4, queue = 4, shared = [price], local = [pulses: u32 = 0])]
    fn meter(mut cx: meter::Context, event: Event) {
        match event {
            Event::Pulse => *cx.local.pulses += 1,
            Event::Read(reply_to) => {
                let price = cx.shared.price.lock(|price| *price);
                reply_to.post(*cx.local.pulses * price);
            }
        }
    }
    // end: meter

    /// A thread: it asks, and waits where it is.
    #[thread(priority = 3, stack = 1024, shared = [price])]
    fn panel(mut cx: panel::Context) {
        for _ in 0..3 {
            quintet::pend(Interrupt::GPIOA);
            cx.thread.delay(Duration::from_millis(10));
        }
        meter::post(Event::Read(PANEL_ADDRESS.handle()));
        let amount = PANEL.next().block(&cx.thread);
        println!("panel: {amount}");
        modem::post(amount);
        cx.shared.price.lock(|price| *price += 1);
    }

    /// Below a thread: an async task, which a thread hosts by itself.
    #[task(priority = 1)]
    async fn report(_: report::Context) {
        Timer::after(Duration::from_millis(31)).await;
        meter::post(Event::Read(REPORT_ADDRESS.handle()));
        let amount = REPORT.next().await;
        println!("report: {amount}");
        modem::post(amount);
    }

    // begin: modem
    /// An async actor, hosted as well: the next event is taken when the handler has ended.
    #[actor(priority = 2, queue = 2, local = [sent: u8 = 0])]
    async fn modem(cx: modem::Context, amount: u32) {
        println!("modem: connects");
        Timer::after(Duration::from_millis(50)).await;
        println!("modem: sends {amount}");
        Timer::after(Duration::from_millis(20)).await;
        println!("modem: hangs up");
        *cx.local.sent += 1;
        if *cx.local.sent == 2 {
            semihosting::process::exit(0)
        }
    }
    // end: modem
}
// end: application
