//! Drivers that an application writes itself.

mod driver {
    // begin: driver
    use quintet::process::{Answer, Client, Clients, Driver, ErrorCode, Slots};

    /// Sums up numbers and bytes for up to 4 processes. Each process has an upcall, and a buffer
    /// that the driver reads.
    struct Adder {
        clients: Clients<4, (), 1, 1>,
    }

    static ADDER: Adder = Adder { clients: Clients::new([(); 4]) };

    impl Driver for Adder {
        const NUMBER: u32 = 0x8000_0001;
        const PLACES: usize = 4;

        fn slots(&'static self, process: usize) -> Slots {
            self.clients.slots(process)
        }

        fn command(&'static self, client: Client, command: u32, first: u32, second: u32) -> Answer {
            match command {
                1 => Answer::Word(first.wrapping_add(second)),
                2 => {
                    let mut bytes = [0; 16];
                    let count = client.read(0, 0, &mut bytes);
                    let sum = bytes[..count].iter().map(|byte| u32::from(*byte)).sum();
                    client.upcall(0, [sum, 0, 0]).into()
                }
                _ => Answer::Failure(ErrorCode::NoSupport),
            }
        }
    }
    // end: driver

    static _LISTED: quintet::process::Entry = quintet::process::Entry::of(&ADDER, 0);
}

mod clients {
    // begin: clients
    use core::sync::atomic::{AtomicU32, Ordering};
    use quintet::process::{Answer, Client, Clients, Driver, ErrorCode, Slots};

    /// Tells processes about samples. Each process has a count of its samples, and an upcall.
    struct Meter {
        clients: Clients<4, AtomicU32, 1>,
    }

    static METER: Meter = Meter { clients: Clients::new([const { AtomicU32::new(0) }; 4]) };

    impl Meter {
        /// Tells a sample to all processes that want samples. You call this in the interrupt task
        /// that has the sample.
        fn sampled(&'static self, sample: u32) {
            for client in self.clients.noted() {
                // One task alone counts: a core of ARMv6-M adds in no single step.
                let counter = self.clients.state(client.index());
                let count = counter.load(Ordering::Relaxed);
                counter.store(count + 1, Ordering::Relaxed);
                // Without room for another upcall, the process doesn't get this sample.
                let _no_room = client.upcall(0, [sample, count, 0]);
            }
        }
    }

    impl Driver for Meter {
        const NUMBER: u32 = 0x8000_0002;
        const PLACES: usize = 4;

        fn slots(&'static self, process: usize) -> Slots {
            self.clients.slots(process)
        }

        fn command(&'static self, client: Client, command: u32, _: u32, _: u32) -> Answer {
            match command {
                1 => {
                    self.clients.note(client);
                    Answer::Success
                }
                2 if self.clients.drop_note(client) => Answer::Success,
                2 => Answer::Failure(ErrorCode::Already),
                _ => Answer::Failure(ErrorCode::NoSupport),
            }
        }

        fn forget(&'static self, client: Client) {
            self.clients.drop_note(client);
            self.clients.state(client.index()).store(0, Ordering::Relaxed);
        }
    }
    // end: clients

    fn _called() {
        METER.sampled(1);
    }
}

mod client {
    // begin: client
    use quintet::process::{Answer, Client};

    /// Writes the bytes of the process's buffer 0 in capital letters to its other buffer 0, and
    /// tells their number by the upcall 0.
    fn capitals(client: Client) -> Answer {
        let mut bytes = [0; 32];
        let wanted = client.read_only_len(0).min(client.read_write_len(0)).min(bytes.len());
        let count = client.read(0, 0, &mut bytes[..wanted]);
        bytes.make_ascii_uppercase();
        let written = client.write(0, 0, &bytes[..count]);
        client.upcall(0, [written as u32, 0, 0]).into()
    }
    // end: client
}

mod readable {
    // begin: readable
    use quintet::process::Client;

    /// Shows a process the latest position. The process reads both words without a call. It reads
    /// again until the counts before and behind them are equal.
    fn show(client: Client, count: u32, [x, y]: [u32; 2]) -> bool {
        let buffer = client.readable(0);
        buffer.store(0, count) && buffer.store(1, x) && buffer.store(2, y) && buffer.store(3, count)
    }
    // end: readable
}

mod answer {
    // begin: answer
    use quintet::process::{Answer, ErrorCode};

    /// Answers the square of a number, if the square fits 32 bits.
    fn square(number: u32) -> Answer {
        number.checked_mul(number).map_or(Answer::Failure(ErrorCode::Size), Answer::Word)
    }

    /// Answers success, or the error of work that may fail.
    fn begin(work: fn() -> Result<(), ErrorCode>) -> Answer {
        work().into()
    }
    // end: answer
}
