//! Greets, waits, and counts what an interrupt task of the kernel tells.
#![no_std]
#![no_main]

use quintet_process::alarm::{Duration, Instant, sleep};
use quintet_process::{ErrorCode, println};

quintet_process::main!(async main);

async fn main() -> Result<(), ErrorCode> {
    let begin = Instant::now();
    println!("Hello from a process in Rust");
    for _ in 0..3 {
        sleep(Duration::from_millis(10)).await;
        println!("{} ms", begin.elapsed().as_millis());
    }
    Ok(())
}
