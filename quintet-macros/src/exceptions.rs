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
/// Exceptions whose priority is fixed, each with what it is for.
pub const FIXED: [(&str, &str); 2] =
    [("NonMaskableInt", "no mask holds it off"), ("HardFault", "it preempts everything else")];

/// Whether `name` is one of those with a priority that can be set.
pub fn is_configurable(name: &Ident) -> bool {
    CONFIGURABLE.iter().any(|exception| name == exception)
}

/// Whether `name` is an exception of the core.
pub fn is_exception(name: &Ident) -> bool {
    is_configurable(name) || FIXED.iter().any(|(exception, _)| name == exception)
}
