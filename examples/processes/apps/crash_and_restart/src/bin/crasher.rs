//! Counts, and writes to the kernel's memory when it has come to two. Its variables are as at the
//! beginning in each of its lives.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};

use quintet_process::alarm::{Duration, sleep_blocking};
use quintet_process::{ErrorCode, println};

quintet_process::main!(main);

static COUNT: AtomicU32 = AtomicU32::new(0);

fn main() -> Result<(), ErrorCode> {
    loop {
        sleep_blocking(Duration::from_millis(10))?;
        let count = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
        println!("crasher: {count}");
        if count == 2 {
            // SAFETY: none. The protection unit refuses it, and the process goes no further.
            unsafe { (0x2000_0000 as *mut u32).write_volatile(0) };
        }
    }
}
