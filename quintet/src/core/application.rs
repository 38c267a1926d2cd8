//! What an application has: asked of its expansion, by constants, so that nothing is left of what
//! it lacks.

#![cfg_attr(
    all(threads, target_os = "none"),
    expect(unsafe_code, reason = "the application's expansion defines the symbols")
)]

#[cfg(all(threads, target_os = "none"))]
unsafe extern "Rust" {
    /// Whether the application has threads.
    safe fn __quintet_has_threads() -> bool;
    /// Whether threads run until they wait. Where the linker misses all of these, the symbol of
    /// this one says what to do: every start of a thread asks it, and no instruction is left of it
    /// that tools would give this name.
    #[link_name = "__quintet_needs_an_application_or_the_macro_kernel"]
    safe fn __quintet_is_cooperative() -> bool;
    /// The highest ceiling that a thread may run under; 0 without any. A number, as the compiler
    /// merges functions that are alike, and then no longer sees what they return.
    safe fn __quintet_highest_ceiling() -> u32;
}

/// Whether the application has threads: a constant, so that nothing is left of them otherwise.
#[cfg(all(threads, target_os = "none"))]
#[inline(always)]
pub fn has_threads() -> bool {
    __quintet_has_threads()
}

/// Whether the application has threads: there are none on this processor.
#[cfg(all(not(threads), target_os = "none", feature = "time"))]
pub const fn has_threads() -> bool {
    false
}

/// Whether the application has threads: tests have.
#[cfg(not(target_os = "none"))]
pub const fn has_threads() -> bool {
    true
}

/// Whether threads run until they wait, whatever becomes ready meanwhile: a constant.
#[cfg(all(threads, target_os = "none"))]
#[inline(always)]
pub fn is_cooperative() -> bool {
    __quintet_is_cooperative()
}

/// Whether threads run until they wait: in tests they don't.
#[cfg(not(target_os = "none"))]
pub const fn is_cooperative() -> bool {
    false
}

/// Whether threads may run under a ceiling of threads: a constant.
#[cfg(all(threads, target_os = "none"))]
#[inline(always)]
pub fn has_ceilings() -> bool {
    __quintet_highest_ceiling() != 0
}

/// Whether threads may run under a ceiling of threads: tests do.
#[cfg(not(target_os = "none"))]
pub const fn has_ceilings() -> bool {
    true
}
