//! Writes a line, and begins anew before its end.

use crate::patterns::steps;
use crate::{allow_read_only, command, restart};

/// The console.
const CONSOLE: u32 = 1;
/// It takes longer to be written than this lives.
const LINE: &str = "a line that never comes to its end\n";

pub fn run() -> ! {
    allow_read_only([CONSOLE, 1, LINE.as_ptr() as u32, LINE.len() as u32]);
    command([CONSOLE, 1, LINE.len() as u32, 0]);
    for _ in 0..60 {
        steps(0x4000_0000);
    }
    restart()
}
