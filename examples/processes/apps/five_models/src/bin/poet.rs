//! Writes three lines.
#![no_std]
#![no_main]

use quintet_process::alarm::{Duration, sleep};
use quintet_process::println;

quintet_process::main!(async main);

async fn main() {
    for line in ["So much depends", "upon", "a red wheelbarrow"] {
        sleep(Duration::from_millis(5)).await;
        println!("{line}");
    }
}
