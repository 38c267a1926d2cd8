//! The example of `quintet::process::identity`.

// begin: reserve
use quintet::process::System;
use quintet::process::identity::{Known, digest};
use semihosting::println;

/// The digest of `hello`, as `quintet pack --sha256` prints it.
const ID: [u8; 32] = digest("f117020b5e6c42a9d44e29edeaf2452179c9ef85e168eb9919397af4feeded6d");
/// Only this application may be called `hello`.
static KNOWN: Known<1> = Known([("hello", ID)]);

fn start(processes: &'static System) {
    // SAFETY: the linker script leaves flash and memory to the processes.
    unsafe { processes.start_checked(|one| KNOWN.reserve(one), |found| println!("{found}")) };
}
// end: reserve
