//! Everything that waits for a time, with the time at which it goes on, in milliseconds: delays,
//! timeouts, a ticker, a software timer, and time events of an actor. It is built for a Cortex-M as
//! well, where it must print the same.
#![no_std]
#![no_main]

#[cfg(target_arch = "arm")]
use cortex_m_rt as _;
#[cfg(target_arch = "riscv32")]
use riscv_rt as _;
use semihosting as _;

// The frequency of `mtime` on QEMU's `virt`, and where its core-local interruptor is.
#[cfg(target_arch = "riscv32")]
quintet::machine_timer!(Clock, 10_000_000, clint = 0x0200_0000);
#[cfg(target_arch = "arm")]
quintet::systick_timer!(Clock, 12_000_000);

#[cfg_attr(
    target_arch = "riscv32",
    quintet::app(device = quintet::riscv, dispatchers = [SOFTWARE0, SOFTWARE1, SOFTWARE2])
)]
#[cfg_attr(target_arch = "arm", quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0, UART0]))]
mod app {
    use quintet::actor::TimeEvent;
    use quintet::sync::Semaphore;
    use quintet::time::{Duration, Instant, SoftwareTimer, Ticker, delay, timeout};
    use semihosting::{println, process};

    use super::Clock;

    static NEVER: Semaphore = Semaphore::new(0);
    static SOON: Semaphore = Semaphore::new(0);
    static CALLED: Semaphore = Semaphore::new(0);
    static CALL: SoftwareTimer = SoftwareTimer::new(|_| CALLED.give());

    static BLINK: TimeEvent<Event> = TimeEvent::new(lamp::handle(), Event::Blink);
    static STOP: TimeEvent<Event> = TimeEvent::new(lamp::handle(), Event::Stop);

    #[derive(Clone)]
    pub enum Event {
        Blink,
        Stop,
    }

    fn ms() -> u64 {
        Instant::now().as_millis()
    }

    #[init]
    fn init(cx: init::Context) {
        #[cfg(target_arch = "riscv32")]
        Clock::start(cx.core.MTIMER);
        #[cfg(target_arch = "arm")]
        Clock::start(cx.core.SYST);
        delays::spawn().unwrap();
        ticks::spawn().unwrap();
        BLINK.arm_periodic(Duration::from_millis(40));
        STOP.arm(Duration::from_millis(100));
        CALL.start(Duration::from_millis(3));
    }

    #[task(priority = 1)]
    async fn delays(_: delays::Context) {
        let begun = ms();
        delay(Duration::from_millis(5)).await;
        println!("delay ends at {}", ms() - begun);
        let result = timeout(Duration::from_millis(6), NEVER.take()).await;
        println!("{result:?} at {}", ms() - begun);
        SOON.give();
        let result = timeout(Duration::from_millis(6), SOON.take()).await;
        println!("{result:?} at {}", ms() - begun);
        CALLED.take().await;
        println!("the timer has called");
        delay(Duration::from_millis(100)).await;
        println!("delay ends at {}", ms() - begun);
        process::exit(0)
    }

    #[task(priority = 2)]
    async fn ticks(_: ticks::Context) {
        let begun = ms();
        let mut ticker = Ticker::every(Duration::from_millis(7));
        for _ in 0..3 {
            ticker.next().await;
            println!("tick at {}", ms() - begun);
        }
    }

    #[actor(priority = 3, queue = 4)]
    fn lamp(_: lamp::Context, event: Event) {
        match event {
            Event::Blink => println!("lamp: blinks at {}", ms()),
            Event::Stop => println!("lamp: stops {} at {}", BLINK.disarm(), ms()),
        }
    }
}
