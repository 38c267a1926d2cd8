//! Long objects begin with all zeros: they take no room in flash, and work from their first use.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::sync::{Channel, Pool, Signal};
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);

static SMALL_MESSAGES: Channel<u16, 255> = Channel::new();
static NO_POWER_OF_TWO: Channel<u32, 33> = Channel::new();
static LARGE_MESSAGES: Channel<[u32; 8], 4> = Channel::new();
static ONE_LARGE_MESSAGE: Channel<[u8; 9], 1> = Channel::new();
static BLOCKS: Pool<[u8; 64], 4> = Pool::new();
static LONG_VALUE: Signal<[u32; 40]> = Signal::new();
/// A short one takes as much in flash, and is shorter to use.
static SHORT: Channel<u32, 8> = Channel::new();

/// Fills and empties a channel until all its slots were used more than twice. The order is that in
/// which the messages were sent.
fn rounds<T: Copy + PartialEq, const N: usize>(
    name: &str,
    channel: &Channel<T, N>,
    message: impl Fn(usize) -> T,
) {
    assert!(channel.free_capacity() == N && channel.is_empty());
    let (mut sent, mut received) = (0, 0);
    for length in [N, N / 2 + 1, N, 1, N] {
        while channel.len() < length {
            assert!(channel.try_send(message(sent)).is_ok());
            sent += 1;
            assert!(channel.free_capacity() == N - channel.len());
        }
        assert!(length < N || (channel.is_full() && channel.try_send(message(0)).is_err()));
        for _ in 0..length / 2 + 1 {
            assert!(channel.try_receive().is_ok_and(|now| now == message(received)));
            received += 1;
        }
    }
    while let Ok(last) = channel.try_receive() {
        assert!(last == message(received));
        received += 1;
    }
    assert!(sent == received && sent > 2 * N && channel.free_capacity() == N);
    hprintln!("{}: {} of {}", name, received, sent);
}

#[entry]
fn main() -> ! {
    rounds("small messages", &SMALL_MESSAGES, |number| number as u16);
    rounds("33 messages", &NO_POWER_OF_TWO, |number| number as u32);
    rounds("large messages", &LARGE_MESSAGES, |number| [number as u32; 8]);
    rounds("one large message", &ONE_LARGE_MESSAGE, |number| [number as u8; 9]);
    rounds("a short channel", &SHORT, |number| number as u32);
    let blocks = [0, 1, 2, 3].map(|number| BLOCKS.try_alloc([number; 64]).expect("there are four"));
    assert!(BLOCKS.try_alloc([4; 64]).is_err());
    hprintln!("a pool: {}", blocks.iter().map(|block| u32::from(block[63])).sum::<u32>());
    assert!(LONG_VALUE.try_take().is_err());
    LONG_VALUE.signal([1; 40]);
    LONG_VALUE.signal([2; 40]);
    hprintln!("a signal: {:?}", LONG_VALUE.try_take().map(|value| value[39]));
    assert!(LONG_VALUE.try_take().is_err());
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::nop();
    }
}
