//! Prints each sixth pulse.
#![no_std]
#![no_main]

quintet_process::main!(async main);

async fn main() -> Result<(), quintet_process::ErrorCode> {
    shared_driver::print_every(6).await
}
