//! What applications do, on the kernel for tests.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use quintet_process::alarm::{Duration, Instant, Ticker, sleep, sleep_blocking, timeout};
use quintet_process::buttons::Button;
use quintet_process::host::{self, Ended, Kernel};
use quintet_process::leds::Led;
use quintet_process::{
    Buffer, Either, ErrorCode, Operation, Upcall, block_on, command, console, exists, join, lend,
    print, println, random, select, subscribed, temperature, yield_no_wait, yield_wait,
};

/// A driver of the tests' own.
const OWN: u32 = 0x8000_0001;

/// Runs an application that returns.
fn run<R>(kernel: Kernel, application: impl FnOnce() -> R) -> (R, Kernel) {
    let outcome = host::run(kernel, application);
    match outcome.ended {
        Ended::Returned(value) => (value, outcome.kernel),
        Ended::Exit { code, .. } => panic!("it ended with {code}"),
    }
}

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

#[test]
fn a_line_is_one_write_of_two_calls() {
    let (before, kernel) = run(Kernel::new(), || {
        println!("first");
        let (one, two) = (1, 2);
        println!("{one} and {two}");
    });
    assert_eq!((before, kernel.printed()), ((), "first\n1 and 2\n"));
    assert_eq!(kernel.pieces(), ["first\n", "1 and 2\n"]);
    // The buffer is lent once.
    assert_eq!(kernel.calls(), 2 + 2 + 1);
}

#[test]
fn what_is_too_long_goes_out_in_pieces_and_none_is_lost() {
    let text = "0123456789".repeat(30);
    let ((), kernel) = run(Kernel::new(), || print!("{text}{}", "."));
    assert_eq!(kernel.printed(), format!("{text}."));
    assert_eq!(kernel.pieces().len(), 301_usize.div_ceil(console::WRITE_MAX));
}

#[test]
fn many_sleep_at_once_with_one_alarm() {
    let order = RefCell::new(Vec::new());
    let after = async |milliseconds: u64| {
        sleep(ms(milliseconds)).await;
        order.borrow_mut().push((milliseconds, Instant::now().ticks()));
    };
    let (_, kernel) = run(Kernel::new(), || {
        block_on(join(join(after(30), after(10)), join(after(20), after(10))));
    });
    let expected = [(10, 10_000), (10, 10_000), (20, 20_000), (30, 30_000)];
    assert_eq!(*order.borrow(), expected);
    assert_eq!(kernel.microseconds(), 30_000);
}

#[test]
fn time_goes_on_when_the_ticks_wrap() {
    let hours = 3 * 3600;
    let (elapsed, _) = run(Kernel::new(), || {
        let begin = Instant::now();
        block_on(sleep(Duration::from_secs(hours)));
        begin.elapsed()
    });
    assert_eq!(elapsed.as_secs(), hours);
}

#[test]
fn a_ticker_does_not_drift_and_blocks_as_well() {
    let (late, _) = run(Kernel::new(), || {
        let mut ticker = Ticker::every(ms(10));
        block_on(async {
            ticker.next().await;
            sleep(ms(4)).await;
            ticker.next().await;
        });
        let asynchronous = Instant::now().ticks();
        sleep_blocking(ms(3)).unwrap();
        ticker.next_blocking().unwrap();
        (asynchronous, Instant::now().ticks())
    });
    assert_eq!(late, (20_000, 30_000));
}

#[test]
fn a_timeout_drops_what_takes_too_long() {
    let kernel = Kernel::new().with_input(50_000, "late");
    let ((first, bytes), kernel) = run(kernel, || {
        block_on(async {
            let mut bytes = [0; 4];
            let first = timeout(ms(20), console::read(&mut bytes)).await;
            // The kernel was told, so that the next one can begin.
            console::read(&mut bytes).await.unwrap();
            (first, bytes)
        })
    });
    assert!(first.is_err());
    assert_eq!(&bytes, b"late");
    assert_eq!(kernel.microseconds(), 50_300);
}

#[test]
fn a_future_that_is_forgotten_leaves_nothing_of_its_own_lent() {
    let kernel = Kernel::new().with_input(5_000, "abc");
    let (bytes, kernel) = run(kernel, || {
        let mut bytes = *b"---";
        {
            let mut reading = Box::pin(console::read(&mut bytes));
            let mut context = Context::from_waker(Waker::noop());
            assert!(reading.as_mut().poll(&mut context).is_pending());
            std::mem::forget(reading);
        }
        sleep_blocking(ms(20)).unwrap();
        bytes
    });
    // The kernel has written to the module's own buffer alone.
    assert_eq!(&bytes, b"---");
    assert_eq!(kernel.held().0, 1);
}

#[test]
fn blocking_and_futures_use_the_console_together() {
    let (_, kernel) = run(Kernel::new(), || {
        block_on(join(
            async {
                console::write(b"a long text from a future; ").await.unwrap();
                console::write(b"and its end.\n").await.unwrap();
            },
            async { println!("from one that blocks") },
        ));
    });
    assert_eq!(kernel.printed(), "a long text from a future; from one that blocks\nand its end.\n");
}

#[test]
fn reading_blocks_until_all_is_there() {
    let kernel = Kernel::new().with_input(1_000, "hello");
    let (bytes, kernel) = run(kernel, || {
        let mut bytes = [0; 5];
        console::read_blocking(&mut bytes).unwrap();
        bytes
    });
    assert_eq!(&bytes, b"hello");
    // What was lent is taken back.
    assert_eq!(kernel.held(), (0, 0));
}

#[test]
fn a_read_that_a_future_has_is_busy_for_one_that_blocks() {
    let kernel = Kernel::new().with_input(1_000, "x");
    let (result, _) = run(kernel, || {
        block_on(async {
            let mut byte = [0];
            let reading = async {
                console::read(&mut byte).await.unwrap();
            };
            let blocked = async { console::read_blocking(&mut [0]) };
            join(reading, blocked).await.1
        })
    });
    assert_eq!(result, Err(ErrorCode::Busy));
}

#[test]
fn buttons_and_leds() {
    let kernel = Kernel::new().with_button(1_000, 1, true).with_button(2_000, 0, true);
    let (times, kernel) = run(kernel, || {
        let wait = async |which: u32| {
            Button(which).pressed().await.unwrap();
            Led(which).on().unwrap();
            Instant::now().ticks()
        };
        block_on(join(wait(0), wait(1)))
    });
    assert_eq!((times, kernel.leds()), ((2_000, 1_000), 0b11));
    let (errors, _) = run(Kernel::new(), || {
        (Led(9).toggle(), block_on(Button(7).pressed()), Button(1).is_pressed())
    });
    assert_eq!(errors, (Err(ErrorCode::Invalid), Err(ErrorCode::Invalid), Ok(false)));
}

#[test]
fn temperature_and_random_numbers_come_each_way() {
    let ((first, second), _) = run(Kernel::new().with_temperature(-150), || {
        (block_on(temperature::read()), temperature::read_blocking())
    });
    assert_eq!((first, second), (Ok(-150), Ok(-150)));
    let ((one, two), kernel) = run(Kernel::new(), || {
        let (mut one, mut two) = ([0; 70], [0; 70]);
        block_on(random::fill(&mut one)).unwrap();
        random::fill_blocking(&mut two).unwrap();
        random::fill_blocking(&mut []).unwrap();
        (one, two)
    });
    assert!(one != [0; 70] && one != two);
    // The buffer of futures is lent again behind.
    assert_eq!(kernel.held(), (1, 1));
}

#[test]
fn the_first_of_two_futures_is_selected() {
    let (first, kernel) = run(Kernel::new(), || block_on(select(sleep(ms(30)), sleep(ms(10)))));
    assert_eq!((first, kernel.microseconds()), (Either::Second(()), 10_000));
}

#[test]
fn an_operation_that_is_dropped_ends_before_the_next_begins() {
    static OPERATION: Operation = Operation::new(OWN, 0);
    let begun = Cell::new(0);
    let kernel = Kernel::new().with_driver(OWN, |call| {
        call.upcall(0, [call.first, 0, 0], 10_000);
        Ok(vec![])
    });
    let begin = |which: u32| {
        begun.set(begun.get() + 1);
        command(OWN, 1, which, 0).done()
    };
    let (words, kernel) = run(kernel, || {
        block_on(async {
            {
                let mut first = pin!(OPERATION.run(|| begin(1)));
                std::future::poll_fn(|context| {
                    assert!(first.as_mut().poll(context).is_pending());
                    Poll::Ready(())
                })
                .await;
            }
            let second = OPERATION.run(|| begin(2)).await;
            (second, OPERATION.run_blocking(|| begin(3)))
        })
    });
    assert_eq!(words, (Ok([2, 0, 0]), Ok([3, 0, 0])));
    assert_eq!((begun.get(), kernel.microseconds()), (3, 30_000));
}

#[test]
fn what_a_driver_refuses_is_an_error() {
    static OPERATION: Operation = Operation::new(OWN, 0);
    static NOBODY: Upcall = Upcall::new(0x1234, 0);
    let kernel = Kernel::new().with_driver(OWN, |_| Err(ErrorCode::Off));
    let (results, _) = run(kernel, || {
        let begin = || command(OWN, 1, 0, 0).done();
        let results = (
            block_on(OPERATION.run(begin)),
            OPERATION.run_blocking(begin),
            block_on(NOBODY.next()),
        );
        (results, exists(OWN), exists(0x1234))
    });
    let off = Err(ErrorCode::Off);
    assert_eq!(results, ((off, off, Err(ErrorCode::NoDevice)), true, false));
}

#[test]
fn a_buffer_is_lent_while_a_closure_runs() {
    let kernel = Kernel::new().with_driver(OWN, |call| {
        let bytes = call.read(0);
        Ok(vec![call.write(0, &bytes.iter().rev().copied().collect::<Vec<_>>()) as u32])
    });
    let ((inner, outer), kernel) = run(kernel, || {
        let (mut outer, mut inner) = ([0; 4], [0; 2]);
        lend::read_only(OWN, 0, b"abcd", || {
            lend::read_write(OWN, 0, &mut outer, || {
                lend::read_write(OWN, 0, &mut inner, || {
                    assert_eq!(command(OWN, 1, 0, 0).word(), Ok(2));
                })
                .unwrap();
                assert_eq!(command(OWN, 1, 0, 0).word(), Ok(4));
            })
            .unwrap();
        })
        .unwrap();
        (inner, outer)
    });
    assert_eq!((&inner, &outer), (b"dc", b"dcba"));
    assert_eq!(kernel.held(), (0, 0));
}

#[test]
fn what_is_shared_with_processes_is_never_borrowed() {
    static LATER: Buffer<8> = Buffer::new();
    let (results, _) = run(Kernel::new(), || {
        let number = quintet_process::ipc::DRIVER;
        let scoped = lend::read_write(number, 0, &mut [0; 4], || ());
        (scoped, LATER.lend_read_write(number, 0), lend::read_only(0x1234, 0, b"", || ()))
    });
    let invalid = Err(ErrorCode::Invalid);
    assert_eq!(results, (invalid, invalid, Err(ErrorCode::NoDevice)));
}

#[test]
fn functions_are_subscribed_while_a_closure_runs() {
    let kernel = Kernel::new().with_driver(OWN, |call| {
        call.upcall(0, [call.first, 1, 2], 1_000);
        Ok(vec![])
    });
    let heard = RefCell::new(Vec::new());
    let ((), kernel) = run(kernel, || {
        let hears = |words| heard.borrow_mut().push(words);
        subscribed(OWN, 0, &hears, || {
            command(OWN, 1, 7, 0).done().unwrap();
            assert!(!yield_no_wait());
            yield_wait();
        })
        .unwrap();
    });
    assert_eq!(*heard.borrow(), [[7, 1, 2]]);
    assert_eq!(kernel.held(), (0, 0));
}

#[test]
fn who_waits_for_nothing_is_told() {
    let result = std::panic::catch_unwind(|| host::run(Kernel::new(), yield_wait));
    let message = *result.unwrap_err().downcast::<&str>().unwrap();
    assert_eq!(message, "the application waits, and nothing comes any more");
}

#[test]
fn each_life_begins_anew() {
    for _ in 0..2 {
        let outcome = host::run(Kernel::new(), || -> () {
            println!("{}", Instant::now().ticks());
            block_on(sleep(ms(1)));
            quintet_process::restart(4)
        });
        assert_eq!(outcome.ended, Ended::Exit { code: 4, restarts: true });
        assert_eq!(outcome.kernel.printed(), "0\n");
    }
}

#[test]
#[should_panic(expected = "no kernel: call `quintet_process::host::run`")]
fn without_a_kernel_there_are_no_calls() {
    println!("nobody hears");
}

mod first_functions {
    quintet_process::main!(blocking);
    fn blocking() {}
    quintet_process::main!(async waiting, stack = 512, heap = 1024);
    async fn waiting() -> Result<(), quintet_process::ErrorCode> {
        Ok(())
    }
}

#[test]
fn a_buffer_is_lent_once_and_one_way() {
    static BYTES: Buffer<8> = Buffer::new();
    /// The source of random numbers, which every kernel for tests has.
    const RANDOM: u32 = 0x4_0001;
    let (results, kernel) = run(Kernel::new(), || {
        let first = BYTES.lend_read_write(RANDOM, 0);
        [first, BYTES.lend_read_write(RANDOM, 0), BYTES.lend_read_write(RANDOM, 1)]
    });
    assert_eq!(results, [Ok(()), Ok(()), Err(ErrorCode::Already)]);
    assert_eq!(kernel.calls(), 1);
}
