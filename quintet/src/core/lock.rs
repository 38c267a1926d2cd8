//! The kernel's lock holds off everything that may touch kernel data, such as wait lists and the
//! timer queue.
//!
//! The lock's ceiling depends on the application, so the application's expansion defines the
//! ceiling. Sections are a few instructions long, and run no user code. Within a section there is a
//! proof, [`KernelLock`]. Only this file makes proofs, at the beginning of a section.

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

/// Takes interrupts that are pending. A thread calls this after a section in which the thread may
/// have been suspended, so that the suspension takes effect before the thread waits for anything.
/// Does nothing if there are no threads.
#[inline(always)]
pub fn take_pending_interrupts() {
    #[cfg(threads)]
    if has_threads() {
        mask::take_pending_interrupts();
    }
}

/// Proof that the kernel lock is held. Functions that touch guarded data take the proof by
/// reference.
pub struct KernelLock<'a> {
    /// Makes the proof not `Send`: the proof belongs to the context that holds the lock.
    held: PhantomData<(&'a (), *const ())>,
}

#[cfg(threads)]
impl KernelLock<'_> {
    /// Returns the same proof as a value. A reference would be a word, if a function is called by
    /// its address.
    #[expect(clippy::unused_self, reason = "the receiver is the proof")]
    #[inline(always)]
    pub const fn again(&self) -> KernelLock<'_> {
        KernelLock { held: PhantomData }
    }
}

/// A section as a value. The section begins with the proof, stands for the proof, and ends with the
/// last call. `core::section` has the ends that do more than release the lock.
#[must_use = "a section that nobody ends holds the lock for ever"]
pub struct Section {
    /// The mask that was found at the beginning of the section.
    saved: Saved,
    /// Not `Send`, as the proof.
    held: KernelLock<'static>,
}

impl Section {
    /// Begins a section. From every context that the kernel knows of.
    #[cfg(threads)]
    #[inline(always)]
    pub fn begin() -> Self {
        Self::since(acquire())
    }

    /// Begins a section for `section`. If the kernel refuses the context, debug builds name this
    /// section.
    #[inline(always)]
    pub fn begin_for<S>(section: &S) -> Self {
        let begun = Self::begin_unchecked();
        #[cfg(debug_assertions)]
        check_context_of(section);
        #[cfg(not(debug_assertions))]
        let _ = section;
        begun
    }

    /// Begins a section without a check that the kernel knows of the context.
    #[inline(always)]
    pub fn begin_unchecked() -> Self {
        Self::since(__quintet_kernel_acquire())
    }

    /// Begins a section that will end a pause, which began with an older section.
    ///
    /// # Safety
    /// `saved` is from the beginning of the pause, which nothing else ends.
    #[inline(always)]
    pub unsafe fn begin_within(saved: Saved) -> Self {
        let _between = __quintet_kernel_acquire();
        #[cfg(threads)]
        // SAFETY: in the section that has just begun, for the caller's pause.
        let saved = if has_threads() { unsafe { mask::end_pause(saved) } } else { saved };
        Self::since(saved)
    }

    /// Takes over the caller's section, which found `saved` at its beginning. Assembly has no value
    /// for its section.
    ///
    /// # Safety
    /// The lock is held, and the caller leaves the release to the returned section.
    #[cfg(threads)]
    #[inline(always)]
    pub const unsafe fn taken_over(saved: Saved) -> Self {
        Self::since(saved)
    }

    #[inline(always)]
    const fn since(saved: Saved) -> Self {
        Self { saved, held: KernelLock { held: PhantomData } }
    }

    /// Returns the mask that was found at the beginning of the section.
    #[inline(always)]
    pub const fn saved(&self) -> Saved {
        self.saved
    }

    /// Leaves the end of the section to the caller, and returns the mask that the caller restores
    /// for this.
    #[cfg(threads)]
    #[inline(always)]
    pub const fn into_saved(self) -> Saved {
        self.saved
    }

    /// Ends the section.
    #[inline(always)]
    pub fn end(self) {
        // SAFETY: `saved` is from the beginning of this section. A section is ended once, and inner
        // sections end before outer ones.
        unsafe { __quintet_kernel_release(self.saved) };
    }
}

impl Deref for Section {
    type Target = KernelLock<'static>;

    /// Returns the proof. A proof has no address, so nothing has to be in memory.
    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        let Self { held: KernelLock { held: PhantomData }, .. } = self;
        // SAFETY: the proof has no size, so there is one at every address that isn't null.
        unsafe { NonNull::dangling().as_ref() }
    }
}

#[cfg(target_os = "none")]
unsafe extern "Rust" {
    /// Begins a section at the kernel's ceiling. The application's expansion defines this function.
    safe fn __quintet_kernel_acquire() -> mask::Saved;
    /// Ends a section.
    fn __quintet_kernel_release(saved: mask::Saved);
    /// Returns `true` if the kernel's sections hold off the running context.
    #[cfg(threads)]
    safe fn __quintet_kernel_holds_off_this() -> bool;
    /// Returns the kernel's ceiling.
    #[cfg(any(all(feature = "time", systick), basepri))]
    safe fn __quintet_kernel_ceiling() -> mask::Ceiling;
}

/// Returns `true` if the kernel knows of the running context: sections hold the context off. May
/// return `false` for a context that the kernel knows of.
#[cfg(all(threads, target_os = "none"))]
#[inline(always)]
pub fn is_known() -> bool {
    __quintet_kernel_holds_off_this()
}

/// Returns `true` if the kernel knows of the running context.
#[cfg(not(target_os = "none"))]
pub const fn is_known() -> bool {
    mask::holds_off_this(Ceiling)
}

/// Returns the priority byte of the kernel's ceiling; 0 if sections hold every interrupt off.
#[cfg(all(feature = "time", systick))]
#[must_use]
pub fn ceiling() -> u8 {
    __quintet_kernel_ceiling().hardware()
}

/// Returns the only ceiling of the host.
#[cfg(all(feature = "time", not(target_os = "none")))]
const fn __quintet_kernel_ceiling() -> Ceiling {
    Ceiling
}

/// Refuses an interrupt above the kernel's ceiling, in builds with debug assertions. No section
/// holds such an interrupt off, so the interrupt would touch data that a section is about to
/// change. `S` is the type of a section; the type's name contains the name of the object. Call this
/// within the section.
#[cfg(debug_assertions)]
#[inline(always)]
fn check_context_of<S>(_section: &S) {
    #[cfg(basepri)]
    if !__quintet_kernel_holds_off_this()
        && !crate::arch::words::get_flag(&IS_TOLD)
        && let Some(running) = crate::arch::running_interrupt()
    {
        above_ceiling(::core::any::type_name::<S>(), running)
    }
}

/// `true` once a context was refused. The panic handler may print in a critical section, and must
/// not be refused in turn.
#[cfg(all(debug_assertions, basepri))]
static IS_TOLD: ::core::sync::atomic::AtomicBool = ::core::sync::atomic::AtomicBool::new(false);

/// Panics with the names of the interrupt and of the function that it has called.
#[cfg(all(debug_assertions, basepri))]
#[cold]
#[inline(never)]
fn above_ceiling(section: &str, running: crate::arch::RunningInterrupt) -> ! {
    crate::arch::words::put_flag(&IS_TOLD, true);
    let what = section.split("::{{closure}}").next().unwrap_or(section);
    let crate::arch::RunningInterrupt { exception, priority } = running;
    let ceiling = __quintet_kernel_ceiling().hardware();
    panic!(
        "`{what}` was called by the interrupt {} (exception {exception}), whose hardware priority \
         {priority:#04x} is above the kernel's ceiling {ceiling:#04x}: such an interrupt may wake, \
         or pend a task that uses the object; or give it a lower priority",
        i32::from(exception) - 16
    );
}

/// Begins a section at the only ceiling of the host.
#[cfg(not(target_os = "none"))]
fn __quintet_kernel_acquire() -> mask::Saved {
    mask::raise(Ceiling)
}

/// Ends a section.
///
/// # Safety
/// As for `mask::restore`.
#[cfg(not(target_os = "none"))]
unsafe fn __quintet_kernel_release(saved: mask::Saved) {
    // SAFETY: the caller's.
    unsafe { mask::restore(Ceiling, saved) };
}

/// Runs `section` while no other context can touch the kernel's data. From every context that the
/// kernel knows of.
///
/// Keep `section` to a few instructions (the goal is 24 cycles), and call no user code in
/// `section`: no waker of another executor, no destructor, no closure.
#[inline(always)]
pub fn kernel<T>(section: impl FnOnce(&KernelLock<'_>) -> T) -> T {
    let begun = Section::begin_for(&section);
    let result = section(&begun);
    begun.end();
    result
}

/// Begins a section at the kernel's ceiling that is neither a closure nor a value, for the critical
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
    // SAFETY: the caller's.
    unsafe { __quintet_kernel_release(saved) };
}
