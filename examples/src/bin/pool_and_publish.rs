//! Large events: blocks of measurements from a pool, published to two actors without a copy.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, UART0])]
mod app {
    use lm3s6965::Interrupt;
    use quintet::actor::{EventPool, PoolEmpty, Shared as SharedBlock};
    use semihosting::println;

    // begin: pool
    /// What was measured: too large to be moved through queues.
    pub struct Block {
        number: u8,
        samples: [u16; 32],
    }

    static BLOCKS: EventPool<Block, 2> = EventPool::new();

    /// The topic: who subscribes gets a handle of the block.
    #[derive(Clone)]
    pub struct Measured(SharedBlock<Block>);
    // end: pool

    /// What the archive is told.
    pub enum ArchiveEvent {
        /// A block.
        Block(SharedBlock<Block>),
        /// Write what it has.
        Write,
    }

    impl From<Measured> for ArchiveEvent {
        fn from(Measured(block): Measured) -> Self {
            Self::Block(block)
        }
    }

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        for number in 1..=4 {
            println!("idle: measurement {number}");
            quintet::pend(Interrupt::GPIOA);
        }
        println!("{} of {} blocks were in use at once", BLOCKS.high_water(), BLOCKS.capacity());
        semihosting::process::exit(0)
    }

    // begin: publish
    /// The converter's interrupt: a block is full.
    #[task(binds = GPIOA, priority = 3, local = [number: u8 = 0])]
    fn converter(cx: converter::Context) {
        *cx.local.number += 1;
        let mut block = match BLOCKS.try_new(Block { number: *cx.local.number, samples: [0; 32] }) {
            Ok(block) => block,
            Err(PoolEmpty(block)) => {
                println!("converter: the pool is empty, block {} came back", block.number);
                archive::post(ArchiveEvent::Write);
                return;
            }
        };
        // The only handle: the block can be changed.
        block.samples.fill(100 * u16::from(*cx.local.number));
        publish(Measured(block.share()));
    }

    /// The topic itself can be the event.
    #[actor(priority = 2, queue = 2, subscribe = [Measured])]
    fn average(_: average::Context, Measured(block): Measured) {
        let sum: u32 = block.samples.iter().map(|sample| u32::from(*sample)).sum();
        println!("average: block {}, {}", block.number, sum / block.samples.len() as u32);
    }

    /// Keeps two blocks, and doesn't want more until it has written them.
    #[actor(
        priority = 1,
        queue = 2,
        subscribe = [Measured],
        local = [kept: [Option<SharedBlock<Block>>; 2] = [None, None]]
    )]
    fn archive(cx: archive::Context, event: ArchiveEvent) {
        match event {
            ArchiveEvent::Block(block) => {
                println!("archive: keeps block {}", block.number);
                match cx.local.kept {
                    [first @ None, _] => *first = Some(block),
                    [_, second] => {
                        *second = Some(block);
                        archive::unsubscribe::<Measured>();
                    }
                }
            }
            ArchiveEvent::Write => {
                // Each is dropped behind its turn. That was the last handle: it is free again.
                for block in cx.local.kept.iter_mut().filter_map(Option::take) {
                    println!("archive: writes block {}", block.number);
                }
            }
        }
    }
    // end: publish
}
