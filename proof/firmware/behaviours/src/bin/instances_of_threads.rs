//! Threads of one function: each has a stack, a name, arguments and locals of its own, they share
//! resources by locks, and start, wait and end one by one.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    use quintet::sync::{Channel, Semaphore};
    use semihosting::{print, println};

    static WORK: Channel<u32, 4> = Channel::new();
    static DONE: Semaphore = Semaphore::new(0);

    #[shared]
    struct Shared {
        sum: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { sum: 0 }, Local {})
    }

    #[thread(priority = 2, stack = 1024, instances = 3, local = [served: u32 = 0], shared = [sum])]
    fn worker(mut cx: worker::Context) {
        let name = worker::handle(cx.instance).name();
        println!("{name} is instance {}", cx.instance);
        loop {
            let work = WORK.receive().block(&cx.thread);
            if work == 0 {
                break;
            }
            *cx.local.served += 1;
            cx.shared.sum.lock(|sum| *sum += work);
            println!("{name} has {work}, its number {}", cx.local.served);
        }
        DONE.give();
    }

    /// Each is started by itself, with arguments.
    #[thread(priority = 3, stack = 1024, instances = 2, name = "errand", manual)]
    fn errands(cx: errands::Context, place: u32, entry: char) {
        println!("{}: {place}{entry}", errands::handle(cx.instance).name());
        DONE.take().block(&cx.thread);
    }

    #[thread(priority = 1, stack = 1024, shared = [sum])]
    fn main_thread(mut cx: main_thread::Context) {
        for work in [5, 6, 7, 8, 0, 0, 0] {
            WORK.send(work).block(&cx.thread);
        }
        for instance in 0..3 {
            worker::handle(instance).join(&cx.thread).unwrap();
        }
        println!("the sum is {}", cx.shared.sum.lock(|sum| *sum));
        assert_eq!(errands::start(1, 4, 'x'), Ok(()));
        for instance in 0..2 {
            print!("start {instance}: ");
            println!("{:?}", errands::start(instance, 5, 'y').is_ok());
        }
        // The first waits now, and can't be started meanwhile; the second can.
        assert_eq!(errands::start(0, 6, 'z'), Ok(()));
        assert_eq!(errands::start(0, 7, 'z'), Err((7, 'z')));
        assert_eq!(errands::start(1, 8, 'z'), Ok(()));
        semihosting::process::exit(0)
    }
}
