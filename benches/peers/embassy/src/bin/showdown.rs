//! Group `showdown`: the document's application in Embassy.
//!
//! One executor in thread mode, as the document has it. The button and the serial port are awaited
//! as Embassy's hardware layers do it: a future that sets the interrupt up, a waker for the
//! interrupt to wake.

#![no_std]
#![no_main]

use core::cell::UnsafeCell;
use core::future::poll_fn;
use core::mem::MaybeUninit;
use core::sync::atomic::Ordering;
use core::task::Poll;

use cortex_m_rt::entry;
use embassy_executor::{Executor, task};
use embassy_sync::blocking_mutex::raw::NoopRawMutex;
use embassy_sync::channel::Channel;
use embassy_sync::waitqueue::AtomicWaker;
use embassy_time::Timer;
use quintet_bench_common::device::{self, Interrupt};
use quintet_bench_common::showdown::{self, IS_PRESSED, Message, QUEUE, button, serial};
use quintet_bench_common::{exit, mark};
use quintet_bench_embassy::time;

quintet_bench_common::vectors!();

/// The task that waits for the button.
static BUTTON: AtomicWaker = AtomicWaker::new();
/// The task that waits for the serial port.
static WRITER: AtomicWaker = AtomicWaker::new();

/// What only tasks of one executor use.
struct OneExecutor<T>(T);

// SAFETY: only the tasks of one executor use it, and none preempts another.
unsafe impl<T> Sync for OneExecutor<T> {}

static MESSAGES: OneExecutor<Channel<NoopRawMutex, Message, QUEUE>> = OneExecutor(Channel::new());

/// Where the executor is made.
static EXECUTOR: OneExecutor<UnsafeCell<MaybeUninit<Executor>>> =
    OneExecutor(UnsafeCell::new(MaybeUninit::uninit()));

#[entry]
fn main() -> ! {
    showdown::start();
    time::start(2);
    device::enable(Interrupt::EXTI15_10, 2);
    device::enable(Interrupt::USART1, 2);
    // SAFETY: nothing else uses the place, and `main` is called once.
    let executor = unsafe { (*EXECUTOR.0.get()).write(Executor::new()) };
    executor.run(|spawner| {
        spawner.spawn(blink().unwrap_or_else(|_| exit(103)));
        spawner.spawn(watch_button().unwrap_or_else(|_| exit(103)));
        spawner.spawn(write().unwrap_or_else(|_| exit(103)));
    })
}

#[task]
async fn blink() {
    for _ in 0..showdown::BLINKS {
        Timer::after_micros(showdown::HALF_BLINK).await;
        if !IS_PRESSED.load(Ordering::SeqCst) {
            showdown::set_led(true);
        }
        Timer::after_micros(showdown::HALF_BLINK).await;
        showdown::set_led(false);
    }
    exit(0)
}

/// Waits for an edge of the button.
async fn edge(is_rising: bool) {
    critical_section::with(|_| button::listen(is_rising, !is_rising));
    poll_fn(|context| {
        BUTTON.register(context.waker());
        if button::is_muted() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

#[task]
async fn watch_button() {
    let mut count = 0;
    let mut is_pressed = true;
    loop {
        edge(is_pressed).await;
        mark!("thread_begin");
        count += 1;
        IS_PRESSED.store(is_pressed, Ordering::SeqCst);
        MESSAGES.0.send(Message::new(count, is_pressed)).await;
        mark!("thread_end");
        is_pressed = !is_pressed;
    }
}

#[task]
async fn write() {
    loop {
        let message = MESSAGES.0.receive().await;
        let mut bytes = message.as_bytes();
        poll_fn(|context| {
            serial::send(&mut bytes);
            if bytes.is_empty() {
                return Poll::Ready(());
            }
            WRITER.register(context.waker());
            serial::listen(true);
            Poll::Pending
        })
        .await;
    }
}

#[unsafe(no_mangle)]
extern "C" fn EXTI15_10() {
    mark!("interrupt_begin");
    button::acknowledge_and_mute();
    BUTTON.wake();
    mark!("interrupt_end");
}

#[unsafe(no_mangle)]
extern "C" fn USART1() {
    serial::listen(false);
    WRITER.wake();
}
