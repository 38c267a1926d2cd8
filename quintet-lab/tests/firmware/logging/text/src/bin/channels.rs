//! Text on two channels of RTT, and what comes on a down-channel.
#![no_std]
#![no_main]

use core::fmt::Write;
use panic_probe as _;

#[cortex_m_rt::entry]
fn main() -> ! {
    let channels = rtt_target::rtt_init! {
        up: {
            0: { size: 64, name: "Terminal" }
            1: { size: 32, name: "Trace" }
        }
        down: {
            0: { size: 8, name: "Terminal" }
        }
    };
    let (mut terminal, mut trace) = channels.up;
    let mut input = channels.down.0;
    writeln!(terminal, "ready").unwrap();
    let mut bytes = [0; 8];
    let mut quiet = 0;
    while quiet < 3 {
        let count = input.read(&mut bytes);
        quiet = if count == 0 { quiet + 1 } else { 0 };
        if count > 0 {
            terminal.write(&bytes[..count]);
        }
    }
    writeln!(trace, "no more input").unwrap();
    writeln!(terminal, "done").unwrap();
    semihosting::process::exit(0)
}
