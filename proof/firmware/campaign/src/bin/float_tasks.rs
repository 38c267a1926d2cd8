//! Tasks that preempt each other and idle, all with floating-point registers full: before, behind
//! and within locks and spawns; among them some that use none. Nobody's registers change, and the
//! numbers in a resource add up.
#![no_std]
#![no_main]

use campaign::Count;
use campaign::patterns::floats;
use lm3s6965::interrupt;

/// What the interrupt above every mask has woken, and how often it came.
static ABOVE: Count = Count::new();

/// Above every mask: it wakes with the registers full.
#[interrupt]
fn ADC0_SEQUENCE_0() {
    ABOVE.add();
    floats::around(0xadc0_0000, false, || app::sums::waker().wake());
}

#[quintet::app(device = lm3s6965, peripherals = false, dispatchers = [SSI0, QEI0])]
mod app {
    use super::ABOVE;
    use campaign::patterns::{floats, steps};
    use campaign::{Count, EachPoll, begin, end, succeed, urgent};
    use core::task::Context;
    use lm3s6965::Interrupt;

    #[shared]
    struct Shared {
        /// Grows by a half with each of `ADDED`.
        sum: f32,
    }

    #[local]
    struct Local {}

    static ADDED: Count = Count::new();
    /// What `ABOVE` was when the task that it wakes ran last.
    static SEEN: Count = Count::new();

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        urgent::enable();
        assert!(sums::spawn().is_ok());
        (Shared { sum: 0.0 }, Local {})
    }

    #[idle(shared = [sum])]
    fn idle(mut cx: idle::Context) -> ! {
        begin();
        floats::stay(0x1d1e_0000);
        floats::around(0x1d1f_1000, false, || add(&mut cx.shared.sum));
        // Preempted by a task, with state and without one.
        floats::around(0x1d1f_2000, false, || quintet::pend(Interrupt::GPIOA));
        floats::around(0x1d1f_3000, false, || quintet::pend(Interrupt::GPIOB));
        floats::around(0x1d1f_4000, false, || {
            let _ran_already = soft::spawn(0.25);
        });
        steps(0x2222_5000);
        end();
        let sum = cx.shared.sum.lock(|sum| *sum);
        assert!(sum == ADDED.get() as f32 * 0.5, "a sum lost a part");
        assert!(SEEN.get() == ABOVE.get(), "a wake is lost");
        succeed()
    }

    /// Adds a half, in a section that uses the registers.
    fn add(resource: &mut impl quintet::Mutex<T = f32>) {
        resource.lock(|sum| {
            *sum += 0.5;
            floats::stay(0x5eed_0000);
        });
        ADDED.add();
    }

    /// With the registers full when it pends what preempts it.
    #[task(binds = GPIOA, priority = 1, shared = [sum])]
    fn one(mut cx: one::Context) {
        floats::around(0x0a0a_0000, false, || quintet::pend(Interrupt::GPIOE));
        add(&mut cx.shared.sum);
    }

    /// Without any, until it adds.
    #[task(binds = GPIOB, priority = 2, shared = [sum])]
    fn two(mut cx: two::Context) {
        steps(0x1111_0000);
        let _runs_already = soft::spawn(0.25);
        add(&mut cx.shared.sum);
    }

    /// Without any.
    #[task(binds = GPIOD, priority = 4)]
    fn four(_: four::Context) {
        let _runs_already = soft::spawn(0.25);
    }

    /// With them, above all others.
    #[task(binds = GPIOE, priority = 6)]
    fn six(_: six::Context) {
        floats::stay(0x0e0e_0000);
    }

    #[task(priority = 3, shared = [sum])]
    async fn soft(mut cx: soft::Context, half: f32) {
        floats::stay(0x50f7_0000);
        cx.shared.sum.lock(|sum| *sum += half + half);
        ADDED.add();
    }

    /// Polled with the registers in use by whoever is below.
    #[task(priority = 5)]
    async fn sums(_: sums::Context) {
        EachPoll(|_: &mut Context<'_>| {
            SEEN.put(ABOVE.get());
            floats::stay(0x9011_0000);
            false
        })
        .await;
    }
}
