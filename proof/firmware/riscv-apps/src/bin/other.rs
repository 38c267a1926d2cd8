//! Counts upcalls, and looks whether its registers stay as they are while others run.
#![no_std]
#![no_main]

use quintet_process::Upcall;
use riscv_apps::{Do, JUDGE, ask, keeps_registers};

quintet_process::main!(main, stack = 1024);

static SENT: Upcall = Upcall::new(JUDGE, 0);

fn main() -> u32 {
    if ask(Do::Listen).done().is_err() {
        return 3;
    }
    while keeps_registers() {
        SENT.wait();
        if ask(Do::Count).done().is_err() {
            return 2;
        }
    }
    1
}
