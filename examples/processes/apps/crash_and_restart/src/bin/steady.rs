//! Counts, and is not disturbed.
#![no_std]
#![no_main]

use quintet_process::alarm::{Duration, Ticker};
use quintet_process::println;

quintet_process::main!(async main);

async fn main() {
    let mut ticker = Ticker::every(Duration::from_millis(25));
    for count in 1..=3 {
        ticker.next().await;
        println!("steady: {count}");
    }
}
