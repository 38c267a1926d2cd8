//! The features of the application. Its expansion answers each question by a constant, so that no
//! code remains for a feature that the application lacks.

#![cfg_attr(
    all(threads, target_os = "none"),
    expect(unsafe_code, reason = "the application's expansion defines the symbols")
)]

#[cfg(all(threads, target_os = "none"))]
unsafe extern "Rust" {
    /// Returns `true` if the application has threads.
    safe fn __quintet_has_threads() -> bool;
    /// Returns `true` if threads run until they wait. If the linker misses all of these symbols,
    /// the name of this one tells the user what to do. The reason is that every start of a thread
    /// calls this function, and that no instruction remains of the call, to which tools would give
    /// this name.
    #[link_name = "__quintet_needs_an_application_or_the_macro_kernel"]
    safe fn __quintet_is_cooperative() -> bool;
    /// Returns the highest ceiling that a thread may run under, or 0. The answer is a number, not a
    /// `bool`: the compiler merges functions that are alike, and then no longer sees their results.
    safe fn __quintet_highest_ceiling() -> u32;
}

/// Returns `true` if the application has threads. The answer is a constant, so that no code for
/// threads remains without them.
#[cfg(all(threads, target_os = "none"))]
#[inline(always)]
pub fn has_threads() -> bool {
    __quintet_has_threads()
}

/// Returns `false`: this processor has no threads.
#[cfg(all(not(threads), target_os = "none", feature = "time"))]
pub const fn has_threads() -> bool {
    false
}

/// Returns `true`: tests have threads.
#[cfg(not(target_os = "none"))]
pub const fn has_threads() -> bool {
    true
}

/// Returns `true` if threads run until they wait, even if a more urgent thread becomes ready: a
/// constant.
#[cfg(all(threads, target_os = "none"))]
#[inline(always)]
pub fn is_cooperative() -> bool {
    __quintet_is_cooperative()
}

/// Returns `false`: in tests, threads are preempted.
#[cfg(not(target_os = "none"))]
pub const fn is_cooperative() -> bool {
    false
}

/// Returns `true` if threads may run under a ceiling of threads: a constant.
#[cfg(all(threads, target_os = "none"))]
#[inline(always)]
pub fn has_ceilings() -> bool {
    __quintet_highest_ceiling() != 0
}

/// Returns `true`: in tests, threads run under ceilings.
#[cfg(not(target_os = "none"))]
pub const fn has_ceilings() -> bool {
    true
}

/// Returns `true` if the limit of a running thread may hold off a thread that is more urgent than
/// all ready threads: under a ceiling of threads, or if the scheduler is cooperative. A constant.
#[cfg(all(threads, target_os = "none", not(any(noted_pauses, plain_switch))))]
#[inline(always)]
pub fn has_limits() -> bool {
    has_ceilings() || is_cooperative()
}
