//! The kernel's lock holds off everything that may touch kernel data: wait lists, the timer queue.
//!
//! Its ceiling depends on the application, so the application's expansion defines it. Sections are
//! a few instructions long; no code of the user runs in them. Within a section there is a proof,
//! [`KernelLock`]: only this file makes one, where a section begins.

#![expect(unsafe_code, reason = "a lock hands out exclusive references")]

use ::core::marker::PhantomData;
use ::core::ops::Deref;
use ::core::ptr::NonNull;

use crate::arch::mask;
#[cfg(not(target_os = "none"))]
use crate::arch::mask::Ceiling;
#[cfg(threads)]
use crate::core::application::has_threads;

pub use crate::arch::mask::Saved;

/// Behind a section in which a thread may have been suspended: that happens before it waits for
/// anything. Nothing where there are no threads.
#[inline(always)]
pub fn take_pending_interrupts() {
    #[cfg(threads)]
    if has_threads() {
        mask::take_pending_interrupts();
    }
}

/// Proof that the kernel lock is held: what it guards takes it by reference.
pub struct KernelLock<'a> {
    /// Not `Send`: it belongs to the context that holds the lock.
    held: PhantomData<(&'a (), *const ())>,
}

#[cfg(threads)]
impl KernelLock<'_> {
    /// The same proof, as a value: to a function that is called by its address, a reference would
    /// be a word.
    #[expect(clippy::unused_self, reason = "it is the proof")]
    #[inline(always)]
    pub const fn again(&self) -> KernelLock<'_> {
        KernelLock { held: PhantomData }
    }
}

/// A section that is a value: it begins with the proof, which it stands for, and ends as the last
/// call says. `core::section` has the ends that do more than release the lock.
#[must_use = "a section that nobody ends holds the lock for ever"]
pub struct Section {
    /// What was found where it began.
    saved: Saved,
    /// Not `Send`, as the proof.
    held: KernelLock<'static>,
}

impl Section {
    /// Begins one. From every context that the kernel knows of.
    #[cfg(threads)]
    #[inline(always)]
    pub fn begin() -> Self {
        Self::since(acquire())
    }

    /// Begins one for `section`, which debug builds name where the context is refused.
    #[inline(always)]
    pub fn begin_for<S>(section: &S) -> Self {
        let begun = Self::begin_unchecked();
        #[cfg(debug_assertions)]
        check_context_of(section);
        #[cfg(not(debug_assertions))]
        let _ = section;
        begun
    }

    /// Begins one where nobody asks again whether the kernel knows of the context.
    #[inline(always)]
    pub fn begin_unchecked() -> Self {
        Self::since(__quintet_kernel_acquire())
    }

    /// Begins one that ends what began where `saved` was found.
    ///
    /// # Safety
    /// `saved` is what an older section of this context found, which is not ended otherwise.
    #[inline(always)]
    pub unsafe fn begin_within(saved: Saved) -> Self {
        let _between = __quintet_kernel_acquire();
        Self::since(saved)
    }

    /// The section of the caller, which began where `saved` was found: assembly, for which there is
    /// no value.
    ///
    /// # Safety
    /// The lock is held, and the caller leaves it to this one to release it.
    #[cfg(threads)]
    #[inline(always)]
    pub const unsafe fn taken_over(saved: Saved) -> Self {
        Self::since(saved)
    }

    #[inline(always)]
    const fn since(saved: Saved) -> Self {
        Self { saved, held: KernelLock { held: PhantomData } }
    }

    /// What was found where it began.
    #[inline(always)]
    pub const fn saved(&self) -> Saved {
        self.saved
    }

    /// Leaves it to the caller to end it, by what was found where it began.
    #[cfg(threads)]
    #[inline(always)]
    pub const fn into_saved(self) -> Saved {
        self.saved
    }

    /// Ends it.
    #[inline(always)]
    pub fn end(self) {
        // SAFETY: from where it began; a section is ended once, and what is within is ended before.
        unsafe { __quintet_kernel_release(self.saved) };
    }
}

impl Deref for Section {
    type Target = KernelLock<'static>;

    /// The proof. A proof has no address: so nothing has to be in memory.
    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        let Self { held: KernelLock { held: PhantomData }, .. } = self;
        // SAFETY: it has no size, so every address that isn't null has one.
        unsafe { NonNull::dangling().as_ref() }
    }
}

#[cfg(target_os = "none")]
unsafe extern "Rust" {
    /// Begins a section at the kernel's ceiling; defined by the application's expansion.
    safe fn __quintet_kernel_acquire() -> mask::Saved;
    /// Ends it.
    fn __quintet_kernel_release(saved: mask::Saved);
    /// Whether the kernel's sections hold off the running context.
    #[cfg(threads)]
    safe fn __quintet_kernel_holds_off_this() -> bool;
}

/// Whether the running context is one that the kernel knows of: its sections hold it off. It may
/// say `false` of one that is.
#[cfg(all(threads, target_os = "none"))]
#[inline(always)]
pub fn is_known() -> bool {
    __quintet_kernel_holds_off_this()
}

/// Whether the kernel knows of the running context.
#[cfg(not(target_os = "none"))]
pub const fn is_known() -> bool {
    mask::holds_off_this(Ceiling)
}

/// Refuses, in builds with debug assertions, an interrupt above the kernel's ceiling, which no
/// section holds off: it would touch what a section is in the middle of. `S` is a section, whose
/// name has the object's. Within the section.
#[cfg(debug_assertions)]
#[inline(always)]
fn check_context_of<S>(_section: &S) {
    #[cfg(basepri)]
    if let Some(above) = crate::arch::above_held()
        && !crate::arch::words::get_flag(&IS_TOLD)
    {
        above_ceiling(::core::any::type_name::<S>(), above)
    }
}

/// Whether somebody was refused: what says so in a critical section isn't refused in turn.
#[cfg(all(debug_assertions, basepri))]
static IS_TOLD: ::core::sync::atomic::AtomicBool = ::core::sync::atomic::AtomicBool::new(false);

/// Says who has used what.
#[cfg(all(debug_assertions, basepri))]
#[cold]
#[inline(never)]
fn above_ceiling(section: &str, above: crate::arch::Above) -> ! {
    crate::arch::words::put_flag(&IS_TOLD, true);
    let what = section.split("::{{closure}}").next().unwrap_or(section);
    let crate::arch::Above { exception, priority, held } = above;
    panic!(
        "`{what}` was called by the interrupt {} (exception {exception}), whose hardware priority \
         {priority:#04x} is above the kernel's ceiling {held:#04x}: such an interrupt may wake, or \
         pend a task that uses the object; or give it a lower priority",
        i32::from(exception) - 16
    );
}

/// Begins a section at the one ceiling that the host has.
#[cfg(not(target_os = "none"))]
fn __quintet_kernel_acquire() -> mask::Saved {
    mask::raise(Ceiling)
}

/// Ends it.
///
/// # Safety
/// As for `mask::restore`.
#[cfg(not(target_os = "none"))]
unsafe fn __quintet_kernel_release(saved: mask::Saved) {
    // SAFETY: handed on.
    unsafe { mask::restore(Ceiling, saved) };
}

/// Runs `section` with the kernel's data to itself. From every context that the kernel knows of.
///
/// Keep `section` to a few instructions (the goal is 24 cycles), and call nothing of the user's in
/// it: no waker of another executor, no destructor, no closure.
#[inline(always)]
pub fn kernel<T>(section: impl FnOnce(&KernelLock<'_>) -> T) -> T {
    let begun = Section::begin_for(&section);
    let result = section(&begun);
    begun.end();
    result
}

/// Begins a section at the kernel's ceiling that is neither a closure nor a value: a critical
/// section of a library.
#[cfg(any(threads, feature = "critical-section"))]
#[inline(always)]
pub fn acquire() -> Saved {
    let saved = __quintet_kernel_acquire();
    #[cfg(debug_assertions)]
    check_context_of(&acquire);
    saved
}

/// Ends a section that [`acquire`] began.
///
/// # Safety
/// `saved` is from the matching call; sections end in the reverse order of their beginning.
#[cfg(any(threads, feature = "critical-section"))]
#[inline(always)]
pub unsafe fn release(saved: Saved) {
    // SAFETY: handed on.
    unsafe { __quintet_kernel_release(saved) };
}
