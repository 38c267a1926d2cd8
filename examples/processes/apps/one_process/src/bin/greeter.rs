//! Greets, and says each ten milliseconds how late it is. Ends with a code.
#![no_std]
#![no_main]

use quintet_process::alarm::{Duration, Instant, Ticker};
use quintet_process::println;

quintet_process::main!(async main, stack = 1536);

async fn main() -> u32 {
    println!("Hello from a process");
    let begin = Instant::now();
    let mut ticker = Ticker::every(Duration::from_millis(10));
    for _ in 0..3 {
        ticker.next().await;
        println!("{} ms", begin.elapsed().as_millis());
    }
    7
}
