//! Drives one end of a wire, and hears of it at the other end.
#![no_std]
#![no_main]

use quintet_process::gpio::{Edge, Pin, Pull};
use quintet_process::{ErrorCode, join, println};

quintet_process::main!(async main);

async fn main() -> Result<(), ErrorCode> {
    let mut output = Pin(0).output()?;
    let input = Pin(1).input(Pull::Down)?;
    for edge in [Edge::Rising, Edge::Falling, Edge::Both] {
        let (heard, driven) = join(input.changed(edge), async { output.toggle() }).await;
        driven?;
        println!("the wire is {}", if heard? { "high" } else { "low" });
    }
    output.clear()?;
    println!("and {} at the end", if input.is_high()? { "high" } else { "low" });
    Ok(())
}
