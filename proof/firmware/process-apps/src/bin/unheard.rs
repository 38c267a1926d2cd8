//! Waits for any upcall while one comes that has no function. Such an upcall must not be called,
//! and must not end the wait.
#![no_std]
#![no_main]

use process_apps::{command, exit, print, subscribe, yield_wait};

const ALARM: u32 = 0;

#[unsafe(no_mangle)]
extern "C" fn main() {
    print("waits\n");
    subscribe([ALARM, 0, 0, 0]);
    let answer = command([ALARM, 5, 1000, 0]);
    if answer[0] == 129 {
        yield_wait();
        exit(1);
    }
    exit(2);
}
