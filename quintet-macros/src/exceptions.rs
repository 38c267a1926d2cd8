//! The exceptions of the core, which have vectors as the device's interrupts have.

use syn::Ident;

/// Exceptions of the core with a priority that can be set.
pub const CONFIGURABLE: [&str; 8] = [
    "MemoryManagement",
    "BusFault",
    "UsageFault",
    "SecureFault",
    "SVCall",
    "DebugMonitor",
    "PendSV",
    "SysTick",
];
/// Exceptions with a fixed priority, each with the reason.
pub const FIXED: [(&str, &str); 2] =
    [("NonMaskableInt", "no mask holds it off"), ("HardFault", "it preempts everything else")];

/// Returns `true` if `name` is an exception with a priority that can be set.
pub fn is_configurable(name: &Ident) -> bool {
    CONFIGURABLE.iter().any(|exception| name == exception)
}

/// Returns `true` if `name` is an exception of the core.
pub fn is_exception(name: &Ident) -> bool {
    is_configurable(name) || FIXED.iter().any(|(exception, _)| name == exception)
}
