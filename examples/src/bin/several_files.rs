//! An application over several files: what tasks do stands in modules of their own.
//!
//! The application lists who runs when, and who shares what. Two threads run one function, and are
//! told apart by their numbers.
#![no_std]
#![no_main]

// A file each, in larger firmware: `mod acquisition;`.
// begin: acquisition
mod acquisition {
    use super::app::sample;
    use quintet::Mutex;

    /// The body of the task `sample`: private data is `cx.local`, shared data is locked.
    pub fn sample(mut cx: sample::Context) {
        *cx.local.next += 100;
        let reading = *cx.local.next;
        cx.shared.sum.lock(|sum| *sum += reading);
    }
}
// end: acquisition

// begin: serving
mod serving {
    use quintet::sync::{Operation, Semaphore};
    use quintet::thread::CurrentThread;
    use semihosting::println;

    pub static REQUESTS: [Semaphore; 2] = [Semaphore::new(0), Semaphore::new(0)];

    /// What each of several threads does. `this` lets it wait.
    pub fn serve(this: &CurrentThread<'_>, port: usize) {
        REQUESTS[port].take().block(this);
        println!("{}: a request at port {port}", this.name());
    }
}
// end: serving

#[quintet::app(device = lm3s6965)]
mod app {
    use semihosting::println;

    use super::{acquisition, serving};

    #[shared]
    struct Shared {
        sum: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        quintet::pend(lm3s6965::Interrupt::ADC0_SEQUENCE_0);
        (Shared { sum: 0 }, Local {})
    }

    // begin: extern
    // The body is elsewhere: what stands here is who it is.
    extern "Rust" {
        #[task(binds = ADC0_SEQUENCE_0, priority = 3, local = [next: u32 = 0], shared = [sum])]
        fn sample(cx: sample::Context);
    }
    use acquisition::sample;
    // end: extern

    // begin: threads
    #[thread(priority = 2, stack = 1024, instances = 2)]
    fn server(cx: server::Context) {
        serving::serve(&cx.thread, cx.instance);
    }
    // end: threads

    #[thread(priority = 1, stack = 1024, shared = [sum])]
    fn client(mut cx: client::Context) {
        for requests in serving::REQUESTS.iter().rev() {
            requests.give();
        }
        println!("client: the sum is {}", cx.shared.sum.lock(|sum| *sum));
        semihosting::process::exit(0)
    }
}
