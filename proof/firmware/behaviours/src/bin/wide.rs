//! Levels of more than 32 tasks: the same order, wakes and rounds, in thread mode too.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use core::future::poll_fn;
    use core::sync::atomic::{AtomicU32, Ordering};
    use core::task::Poll;
    use cortex_m_semihosting::{debug, hprint, hprintln};

    /// The number of tasks that have begun.
    static BEGUN: AtomicU32 = AtomicU32::new(0);

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        zz::spawn().unwrap();
        t33::spawn().unwrap();
        t32::spawn().unwrap();
        t31::spawn().unwrap();
        t30::spawn().unwrap();
        t29::spawn().unwrap();
        t28::spawn().unwrap();
        t27::spawn().unwrap();
        t26::spawn().unwrap();
        t25::spawn().unwrap();
        t24::spawn().unwrap();
        t23::spawn().unwrap();
        t22::spawn().unwrap();
        t21::spawn().unwrap();
        t20::spawn().unwrap();
        t19::spawn().unwrap();
        t18::spawn().unwrap();
        t17::spawn().unwrap();
        t16::spawn().unwrap();
        t15::spawn().unwrap();
        t14::spawn().unwrap();
        t13::spawn().unwrap();
        t12::spawn().unwrap();
        t11::spawn().unwrap();
        t10::spawn().unwrap();
        t09::spawn().unwrap();
        t08::spawn().unwrap();
        t07::spawn().unwrap();
        t06::spawn().unwrap();
        t05::spawn().unwrap();
        t04::spawn().unwrap();
        t03::spawn().unwrap();
        t02::spawn().unwrap();
        t01::spawn().unwrap();
        t00::spawn().unwrap();
        spawn_plain_tasks();
        (Shared {}, Local {})
    }

    fn spawn_plain_tasks() {
        z00::spawn().unwrap();
        z01::spawn().unwrap();
        z02::spawn().unwrap();
        z03::spawn().unwrap();
        z04::spawn().unwrap();
        z05::spawn().unwrap();
        z06::spawn().unwrap();
        z07::spawn().unwrap();
        z08::spawn().unwrap();
        z09::spawn().unwrap();
        z10::spawn().unwrap();
        z11::spawn().unwrap();
        z12::spawn().unwrap();
        z13::spawn().unwrap();
        z14::spawn().unwrap();
        z15::spawn().unwrap();
        z16::spawn().unwrap();
        z17::spawn().unwrap();
        z18::spawn().unwrap();
        z19::spawn().unwrap();
        z20::spawn().unwrap();
        z21::spawn().unwrap();
        z22::spawn().unwrap();
        z23::spawn().unwrap();
        z24::spawn().unwrap();
        z25::spawn().unwrap();
        z26::spawn().unwrap();
        z27::spawn().unwrap();
        z28::spawn().unwrap();
        z29::spawn().unwrap();
        z30::spawn().unwrap();
        z31::spawn().unwrap();
        z32::spawn().unwrap();
    }

    /// Says that the task begins, waits for one wake, says that it ends.
    async fn step(number: u32) {
        BEGUN.store(BEGUN.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        hprint!("t{} ", number);
        let mut woken = false;
        poll_fn(
            |_| if core::mem::replace(&mut woken, true) { Poll::Ready(()) } else { Poll::Pending },
        )
        .await;
        hprintln!("t{} ends", number);
    }

    #[task]
    fn zz(_: zz::Context) {
        hprintln!("zz after {}", BEGUN.load(Ordering::Relaxed));
        t33::waker().wake();
        t00::waker().wake();
        t31::waker().wake();
        t32::waker().wake();
        t32::spawn().unwrap();
        hprintln!("busy: {}", t01::spawn().is_err());
        debug::exit(debug::EXIT_SUCCESS);
    }

    #[task(priority = 1)]
    async fn t00(_: t00::Context) {
        step(0).await;
    }
    #[task(priority = 1)]
    async fn t01(_: t01::Context) {
        step(1).await;
    }
    #[task(priority = 1)]
    async fn t02(_: t02::Context) {
        step(2).await;
    }
    #[task(priority = 1)]
    async fn t03(_: t03::Context) {
        step(3).await;
    }
    #[task(priority = 1)]
    async fn t04(_: t04::Context) {
        step(4).await;
    }
    #[task(priority = 1)]
    async fn t05(_: t05::Context) {
        step(5).await;
    }
    #[task(priority = 1)]
    async fn t06(_: t06::Context) {
        step(6).await;
    }
    #[task(priority = 1)]
    async fn t07(_: t07::Context) {
        step(7).await;
    }
    #[task(priority = 1)]
    async fn t08(_: t08::Context) {
        step(8).await;
    }
    #[task(priority = 1)]
    async fn t09(_: t09::Context) {
        step(9).await;
    }
    #[task(priority = 1)]
    async fn t10(_: t10::Context) {
        step(10).await;
    }
    #[task(priority = 1)]
    async fn t11(_: t11::Context) {
        step(11).await;
    }
    #[task(priority = 1)]
    async fn t12(_: t12::Context) {
        step(12).await;
    }
    #[task(priority = 1)]
    async fn t13(_: t13::Context) {
        step(13).await;
    }
    #[task(priority = 1)]
    async fn t14(_: t14::Context) {
        step(14).await;
    }
    #[task(priority = 1)]
    async fn t15(_: t15::Context) {
        step(15).await;
    }
    #[task(priority = 1)]
    async fn t16(_: t16::Context) {
        step(16).await;
    }
    #[task(priority = 1)]
    async fn t17(_: t17::Context) {
        step(17).await;
    }
    #[task(priority = 1)]
    async fn t18(_: t18::Context) {
        step(18).await;
    }
    #[task(priority = 1)]
    async fn t19(_: t19::Context) {
        step(19).await;
    }
    #[task(priority = 1)]
    async fn t20(_: t20::Context) {
        step(20).await;
    }
    #[task(priority = 1)]
    async fn t21(_: t21::Context) {
        step(21).await;
    }
    #[task(priority = 1)]
    async fn t22(_: t22::Context) {
        step(22).await;
    }
    #[task(priority = 1)]
    async fn t23(_: t23::Context) {
        step(23).await;
    }
    #[task(priority = 1)]
    async fn t24(_: t24::Context) {
        step(24).await;
    }
    #[task(priority = 1)]
    async fn t25(_: t25::Context) {
        step(25).await;
    }
    #[task(priority = 1)]
    async fn t26(_: t26::Context) {
        step(26).await;
    }
    #[task(priority = 1)]
    async fn t27(_: t27::Context) {
        step(27).await;
    }
    #[task(priority = 1)]
    async fn t28(_: t28::Context) {
        step(28).await;
    }
    #[task(priority = 1)]
    async fn t29(_: t29::Context) {
        step(29).await;
    }
    #[task(priority = 1)]
    async fn t30(_: t30::Context) {
        step(30).await;
    }
    #[task(priority = 1)]
    async fn t31(_: t31::Context) {
        step(31).await;
    }
    #[task(priority = 1)]
    async fn t32(_: t32::Context) {
        step(32).await;
    }
    #[task(priority = 1)]
    async fn t33(_: t33::Context) {
        step(33).await;
    }
    #[task]
    fn z00(_: z00::Context) {
        hprint!("z0 ");
    }
    #[task]
    fn z01(_: z01::Context) {
        hprint!("z1 ");
    }
    #[task]
    fn z02(_: z02::Context) {
        hprint!("z2 ");
    }
    #[task]
    fn z03(_: z03::Context) {
        hprint!("z3 ");
    }
    #[task]
    fn z04(_: z04::Context) {
        hprint!("z4 ");
    }
    #[task]
    fn z05(_: z05::Context) {
        hprint!("z5 ");
    }
    #[task]
    fn z06(_: z06::Context) {
        hprint!("z6 ");
    }
    #[task]
    fn z07(_: z07::Context) {
        hprint!("z7 ");
    }
    #[task]
    fn z08(_: z08::Context) {
        hprint!("z8 ");
    }
    #[task]
    fn z09(_: z09::Context) {
        hprint!("z9 ");
    }
    #[task]
    fn z10(_: z10::Context) {
        hprint!("z10 ");
    }
    #[task]
    fn z11(_: z11::Context) {
        hprint!("z11 ");
    }
    #[task]
    fn z12(_: z12::Context) {
        hprint!("z12 ");
    }
    #[task]
    fn z13(_: z13::Context) {
        hprint!("z13 ");
    }
    #[task]
    fn z14(_: z14::Context) {
        hprint!("z14 ");
    }
    #[task]
    fn z15(_: z15::Context) {
        hprint!("z15 ");
    }
    #[task]
    fn z16(_: z16::Context) {
        hprint!("z16 ");
    }
    #[task]
    fn z17(_: z17::Context) {
        hprint!("z17 ");
    }
    #[task]
    fn z18(_: z18::Context) {
        hprint!("z18 ");
    }
    #[task]
    fn z19(_: z19::Context) {
        hprint!("z19 ");
    }
    #[task]
    fn z20(_: z20::Context) {
        hprint!("z20 ");
    }
    #[task]
    fn z21(_: z21::Context) {
        hprint!("z21 ");
    }
    #[task]
    fn z22(_: z22::Context) {
        hprint!("z22 ");
    }
    #[task]
    fn z23(_: z23::Context) {
        hprint!("z23 ");
    }
    #[task]
    fn z24(_: z24::Context) {
        hprint!("z24 ");
    }
    #[task]
    fn z25(_: z25::Context) {
        hprint!("z25 ");
    }
    #[task]
    fn z26(_: z26::Context) {
        hprint!("z26 ");
    }
    #[task]
    fn z27(_: z27::Context) {
        hprint!("z27 ");
    }
    #[task]
    fn z28(_: z28::Context) {
        hprint!("z28 ");
    }
    #[task]
    fn z29(_: z29::Context) {
        hprint!("z29 ");
    }
    #[task]
    fn z30(_: z30::Context) {
        hprint!("z30 ");
    }
    #[task]
    fn z31(_: z31::Context) {
        hprint!("z31 ");
    }
    #[task]
    fn z32(_: z32::Context) {
        hprint!("z32 ");
    }
}
