//! A producer and a consumer, with a channel between them: whoever is faster waits for the other.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    use quintet::sync::Channel;
    use semihosting::println;

    /// Two places: the producer gets that far ahead.
    static QUEUE: Channel<u32, 2> = Channel::new();

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    // begin: threads
    #[thread(priority = 2, stack = 1024)]
    fn producer(cx: producer::Context) {
        for number in 1..=5 {
            QUEUE.send(number).block(&cx.thread);
            println!("sent {number}");
        }
    }

    #[thread(priority = 1, stack = 1024)]
    fn consumer(cx: consumer::Context) {
        for _ in 0..5 {
            let number = QUEUE.receive().block(&cx.thread);
            println!("received {number}");
        }
        producer::handle().join(&cx.thread).expect("nobody else waits for it");
        println!("the producer has ended");
        semihosting::process::exit(0)
    }
    // end: threads
}
