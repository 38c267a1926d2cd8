//! A running thread is suspended, or made less urgent, and is resumed and made more urgent at
//! once by somebody else: also while PendSV is about to let another one run. Short, so that every
//! pair is tried.
#![no_std]
#![no_main]

use campaign::threads::{Rank, over, run_with};
use campaign::{begin, handlers, lines};
use cortex_m_rt::entry;
use quintet::thread::{CurrentThread, Thread};

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static HIGH, priority = 3, stack = 768, entry = high);
quintet::thread!(static LOW, priority = 2, stack = 768, entry = low);

static THREADS: [&Thread; 2] = [&HIGH, &LOW];
static RANK: Rank = Rank::new(&THREADS);

fn busy() {
    RANK.enter(0);
    for _ in 0..3 {
        cortex_m::asm::nop();
    }
    RANK.leave(0);
}

/// Is busy first with a thread below it, and then with idle.
fn high(this: &CurrentThread<'_>) {
    assert!(LOW.start().is_ok());
    lines::enable_four();
    begin();
    busy();
    assert!(LOW.join(this).is_ok());
    busy();
    over();
}

/// Whoever was suspended goes on from here.
fn low(_: &CurrentThread<'_>) {
    RANK.enter(1);
    HIGH.resume();
    RANK.leave(1);
}

fn judge() {
    assert!(!LOW.is_alive(), "a thread has not ended");
}

handlers! {
    GPIOA {
        assert!(HIGH.set_priority(1).is_ok());
    }
    GPIOB {
        let _running = HIGH.suspend();
    }
    GPIOD {
        HIGH.resume();
        assert!(HIGH.set_priority(3).is_ok());
    }
    GPIOE {
        let _running = HIGH.suspend();
        assert!(HIGH.set_priority(3).is_ok());
        HIGH.resume();
    }
}

#[entry]
fn main() -> ! {
    run_with(&[&HIGH], judge, || {
        RANK.look_from_idle();
        HIGH.resume();
    })
}
