//! A thread and an async task serve inboxes: one event after the other, in order; what an interrupt
//! posts wakes them, data goes by shared handles whose last one recycles, and a stop empties an
//! inbox.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use cortex_m_semihosting::{debug, hprintln};
    use quintet::actor::{self, Address, Deferred, EventPool, Handle};
    use quintet::sync::Inbox;

    enum Event {
        Number(u32),
        Data(actor::Shared<[u32; 8]>),
        Ready(Handle<u32>),
    }

    static POOL: EventPool<[u32; 8], 1> = EventPool::new();
    static THREAD: Inbox<Event, 4> = Inbox::new("thread");
    static TASK: Inbox<Event, 2> = Inbox::new("task");
    static REPLIES: Inbox<u32, 2> = Inbox::new("replies");
    static REPLIES_ADDRESS: Address<u32> = REPLIES.address();

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        let _ = task::spawn();
        quintet::pend(lm3s6965::Interrupt::UART0);
        (Shared {}, Local {})
    }

    #[task(binds = UART0, priority = 2)]
    fn interrupt(_: interrupt::Context) {
        // 1. Both are posted to before they serve; the last comes first.
        THREAD.post(Event::Number(2));
        THREAD.post_front(Event::Number(1));
        let Ok(mut data) = POOL.try_new([3; 8]) else { return };
        data[0] = 4;
        let data = data.share();
        // 2. Two receivers of one block.
        TASK.post(Event::Data(data.clone()));
        THREAD.post(Event::Data(data));
        THREAD.post(Event::Ready(REPLIES_ADDRESS.handle()));
        let refused = THREAD.try_post(Event::Number(0)).is_err();
        hprintln!("posted, refused {}, {:?}", refused, THREAD.queue());
    }

    #[thread(priority = 1, stack = 1024, local = [later: Deferred<u32, 1> = Deferred::new()])]
    fn thread(cx: thread::Context) {
        let later = cx.local.later;
        THREAD.serve(&cx.thread, |event| match event {
            Event::Number(number) => {
                hprintln!("the thread has {}, deferred {}", number, later.defer(number).is_ok());
            }
            Event::Data(data) => {
                hprintln!("the thread has the data {}, {}", data[0], data[7]);
                drop(data);
                hprintln!("a block is free: {}", POOL.try_new([0; 8]).is_ok());
            }
            Event::Ready(replies) => {
                // 3. It recalls, for whoever is asked to have it.
                hprintln!("recalled {} {}", later.recall(replies), later.recall(replies));
                replies.post(9);
                hprintln!("replies {:?} {:?}", REPLIES.try_next(), REPLIES.try_next());
                // 4. Stopped, it takes nothing, and has nothing.
                TASK.stop();
                hprintln!("stopped: {}", TASK.try_post(Event::Number(5)).is_err());
                TASK.start();
                TASK.post(Event::Number(6));
            }
        })
    }

    #[task(priority = 2)]
    async fn task(_: task::Context) {
        TASK.serve_async(async |event| match event {
            Event::Number(number) => {
                hprintln!("the task has {}", number);
                debug::exit(debug::EXIT_SUCCESS);
            }
            Event::Data(data) => hprintln!("the task has the data {}", data[0]),
            Event::Ready(_) => {}
        })
        .await
    }
}
