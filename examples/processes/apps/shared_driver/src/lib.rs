//! What the processes share: the other side of the kernel's driver.
#![no_std]

use quintet_process::{ErrorCode, Upcall, command, println};

/// The driver's number.
const PULSES: u32 = 0x8000_0001;
/// Comes with the number of the pulse.
static PULSE: Upcall = Upcall::new(PULSES, 0);

/// Prints each pulse whose number is a multiple of `every`, up to the thirtieth.
pub async fn print_every(every: u32) -> Result<(), ErrorCode> {
    let mut next = PULSE.next();
    command(PULSES, 1, every, 0).done()?;
    loop {
        let [pulse, ..] = next.await?;
        // From here on, so that none is missed while this one is printed.
        next = PULSE.next();
        println!("pulse {pulse}, a multiple of {every}");
        if pulse >= 30 {
            return Ok(());
        }
    }
}
