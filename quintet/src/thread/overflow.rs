//! What is said of a stack that overflowed.

use ::core::fmt;

use crate::core::scheduler::Control;

/// A stack that overflowed.
pub struct Overflow {
    /// Where it begins.
    pub stack: u32,
    /// Who runs. A switch that has no room to save registers has another one running already.
    pub running: &'static Control,
}

impl fmt::Display for Overflow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = self.running.about;
        if self.stack == about.stack.addr() as u32 {
            return write!(
                formatter,
                "the stack of the thread `{}` overflowed: its {} bytes don't suffice",
                about.name, about.stack_size
            );
        }
        write!(
            formatter,
            "the stack that begins at {:#010x} overflowed, in a switch from its thread to `{}`",
            self.stack, about.name
        )
    }
}
