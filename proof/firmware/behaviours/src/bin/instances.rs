//! An async task with instances: each spawn takes the first that is free, with arguments and locals
//! of its own, and all of them wait at a time. A waker wakes the instance that it was made for.
//! When all are alive, the arguments come back.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, UART1])]
mod app {
    use core::future::poll_fn;
    use core::task::Poll;

    use lm3s6965::Interrupt;
    use semihosting::{print, println};

    #[shared]
    struct Shared {
        ended: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        for (speed, name) in [(10, 'a'), (20, 'b'), (30, 'c')] {
            assert_eq!(blink::spawn(speed, name), Ok(()));
        }
        assert_eq!(blink::spawn(40, 'd'), Err((40, 'd')));
        (Shared { ended: 0 }, Local {})
    }

    #[idle(shared = [ended])]
    fn idle(mut cx: idle::Context) -> ! {
        // The second, and the third: each alone goes on.
        println!("the middle one");
        blink::waker(1).wake();
        println!("the last one, twice");
        blink::waker(2).wake();
        blink::waker(2).wake();
        // It has ended, so its place is free.
        println!("again");
        assert_eq!(blink::spawn(50, 'e'), Ok(()));
        assert_eq!(blink::spawn(60, 'f'), Err((60, 'f')));
        println!("all");
        for instance in 0..3 {
            blink::waker(instance).wake();
        }
        // Of a hardware task's, which preempts the level.
        quintet::pend(Interrupt::UART0);
        forever::spawn().unwrap();
        forever::spawn().unwrap();
        assert_eq!(forever::spawn(), Err(()));
        let ended = cx.shared.ended.lock(|ended| *ended);
        println!("{ended} ended");
        semihosting::process::exit(0)
    }

    /// Waits to be woken twice.
    #[task(priority = 1, instances = 3, local = [runs: u32 = 0], shared = [ended])]
    async fn blink(mut cx: blink::Context, speed: u32, name: char) {
        *cx.local.runs += 1;
        print!("{name}{} at {speed}, run {}; ", cx.instance, cx.local.runs);
        for step in 1..=2 {
            once_woken().await;
            print!("{name}{} woken {step}; ", cx.instance);
        }
        cx.shared.ended.lock(|ended| *ended += 1);
        println!("{name} ends");
    }

    /// Lives for ever, so that its local is its own for ever too.
    #[task(priority = 2, instances = 2, local = [count: usize = 7])]
    async fn forever(cx: forever::Context) -> ! {
        let count: &'static mut usize = cx.local.count;
        *count += cx.instance;
        println!("forever {}: {count}", cx.instance);
        core::future::pending().await
    }

    #[task(binds = UART0, priority = 3)]
    fn uart(_: uart::Context) {
        println!("an interrupt wakes the first");
        blink::waker(0).wake_by_ref();
    }

    /// Ends when it is polled for the second time.
    async fn once_woken() {
        let mut polled = false;
        poll_fn(|_| {
            if core::mem::replace(&mut polled, true) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}
