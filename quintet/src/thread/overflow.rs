//! The report of a stack that overflowed.

use ::core::fmt;

use crate::core::scheduler::ThreadBlock;

/// A stack that overflowed.
pub struct Overflow {
    /// The stack's lowest address.
    pub stack: u32,
    /// The running thread. A switch that has no room to save registers has already made another
    /// thread the running one.
    pub running: &'static ThreadBlock,
}

impl fmt::Display for Overflow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = self.running.about;
        if self.stack == about.stack.addr() as u32 {
            return write!(
                formatter,
                "the stack of the thread `{}` overflowed: its {} bytes don't suffice; \
                 enlarge `stack`, or `host_stack` of a host",
                about.name, about.stack_size
            );
        }
        // Or it came from its own stack, which has no guard, down to another one.
        write!(
            formatter,
            "the guard of the stack at {:#010x} was hit by `{}`, or in a switch to that thread",
            self.stack, about.name
        )
    }
}
