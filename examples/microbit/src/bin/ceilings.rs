//! Locks on a core without BASEPRI: while a task holds a resource, the resource's other users wait,
//! and more urgent tasks run.
//!
//! The lock disables the interrupts of the users in the interrupt controller. So pending one of
//! them in a section has no effect until the section ends.
#![no_std]
#![no_main]

use semihosting as _;

#[quintet::app(device = embassy_nrf, peripherals = false)]
mod app {
    use cortex_m::peripheral::NVIC;
    use embassy_nrf::interrupt::Interrupt;
    use semihosting::println;

    #[shared]
    struct Shared {
        journal: [&'static str; 4],
        entries: usize,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        NVIC::pend(Interrupt::SWI0);
        (Shared { journal: [""; 4], entries: 0 }, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        println!("idle: all done");
        semihosting::process::exit(0)
    }

    #[task(binds = SWI0, priority = 1, shared = [journal, entries])]
    fn low(mut cx: low::Context) {
        (&mut cx.shared.journal, &mut cx.shared.entries).lock(|journal, entries| {
            println!("low: begins to write");
            NVIC::pend(Interrupt::SWI1);
            NVIC::pend(Interrupt::SWI2);
            journal[*entries] = "low";
            *entries += 1;
            println!("low: has written");
        });
        println!("low: ends after the others");
    }

    /// Uses the journal too: waits for the end of the section.
    #[task(binds = SWI1, priority = 2, shared = [journal, entries])]
    fn middle(mut cx: middle::Context) {
        (&mut cx.shared.journal, &mut cx.shared.entries).lock(|journal, entries| {
            println!("middle: finds {} entry, by {}", *entries, journal[0]);
            journal[*entries] = "middle";
            *entries += 1;
        });
    }

    /// Doesn't use the journal: nothing holds it off.
    #[task(binds = SWI2, priority = 3)]
    fn high(_: high::Context) {
        println!("high: runs at once");
    }
}
