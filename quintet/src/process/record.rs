//! The record of a process: a thread that runs unprivileged, and the addresses that it may access.

#![expect(unsafe_code, reason = "a process is found by its first field, the control block")]

use ::core::cell::Cell;
use ::core::ptr;

use super::driver::Numbers;
use super::facts::Facts;
use super::forget::Forgotten;
use super::life::Change;
use super::notice::{self, Notices};
use super::permission::Permit;
use super::regions;
use super::system::system;
use super::upcall::{Place, Queue, Upcall};
use super::window::Window;
#[cfg(not(plain_switch))]
use crate::arch::process::leave_ring;
use crate::arch::process::{
    self, Float, Floating, Frame, REGIONS, SAVED, STACKED, Saved, WINDOW, Words, trampoline,
};
use crate::core::lock::{KernelLock, kernel};
use crate::core::record::WakeTarget;
#[cfg(plain_switch)]
use crate::core::scheduler::leave_ring;
use crate::core::scheduler::{SCHEDULER, ThreadBlock, ThreadInfo};
use crate::core::section::kernel_and_wake;

/// The status of a process, apart from being ready or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing was loaded.
    Empty,
    /// The process runs, is ready to run, or waits.
    Alive,
    /// The process has ended by itself, with this code.
    Exited(u32),
    /// The process was stopped for a fault.
    Faulted,
    /// A call of [`terminate`](Process::terminate) has ended the process.
    Terminated,
    /// The process is about to start again: at once, or when its delay is over.
    Restarting,
    /// The process has started again more often than its [limit](super::RestartLimit) allows. It
    /// runs again when you [restart](Process::restart) it.
    HeldOff,
}

impl Status {
    /// Returns `true` if the process runs, or will run by itself: it is alive, or about to start
    /// again.
    #[must_use]
    pub const fn is_active(self) -> bool {
        matches!(self, Self::Alive | Self::Restarting)
    }
}

/// A process. The fields behind those that the switch knows are touched in SVCall, which runs for
/// the running process. If a job may touch a field too, the kernel's lock guards it.
#[repr(C)]
pub struct Process {
    control: ThreadBlock,
    /// The registers while the process doesn't run: as far as no frame in its memory has them.
    saved: Saved,
    /// The words for the protection unit.
    regions: [Cell<Words>; REGIONS],
    /// The drivers that the process finds at once. `None` once a fault was noted: from then on, no
    /// call of the process is served.
    lines: Cell<Option<&'static Numbers>>,
    /// The commands that the process may give to each driver, if they are limited.
    pub(super) permits: *const Permit,
    /// The floating-point registers.
    floating: Floating,
    flash: Cell<Range>,
    memory: Cell<Range>,
    /// The end of the memory that the process says it uses.
    pub(super) break_: Cell<u32>,
    /// The upcall that the process waits for: [nothing](Self::nothing), [any](Self::any) upcall, or
    /// this upcall, whose arguments become the answer of the call. Or null: the upcall has
    /// [come](Self::delivered), and the process is about to become ready.
    pub(super) waiting: Cell<*const Upcall>,
    /// The notices of other processes that are due.
    pub(super) notices: Notices,
    /// The upcalls that are due.
    pub(super) upcalls: Queue,
    status: Cell<Status>,
    /// The number of restarts.
    pub(super) restarts: Cell<u32>,
    /// How far a call is that the process makes again and again: the end of the used memory
    /// before it grows, or what was compared of names; 0 outside such a call.
    pub(super) progress: Cell<u32>,
    /// The highest end of a lent range, or of the room for the first frame.
    pub(super) lent: Cell<u32>,
    /// The facts from the header of the application.
    pub(super) facts: Cell<Facts>,
    /// The place in the table of processes.
    index: u8,
    /// The change that is to be made, and how far its work is.
    pub(super) change: Cell<Change>,
    pub(super) forgotten: Cell<Forgotten>,
    /// `true` if the process was stopped.
    pub(super) stopped: Cell<bool>,
    /// The memory that other processes share with this process, and this process with others.
    pub(super) window: Window,
    pub(super) order_of_notices: notice::Order,
    /// The identity by a policy.
    #[cfg(feature = "credentials")]
    pub(super) short_id: Cell<Option<::core::num::NonZeroU32>>,
}

/// A range of addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Range {
    /// The first address.
    pub begin: u32,
    /// The address behind the last.
    pub end: u32,
}

impl Range {
    /// Returns `true` if the range has all `size` bytes from `begin` on. Every range has 0 bytes.
    pub const fn has(self, begin: u32, size: u32) -> bool {
        size == 0 || self.begin <= begin && begin <= self.end && size <= self.end - begin
    }
}

impl ::core::fmt::Display for Range {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        write!(formatter, "{:#010x} to {:#010x}", self.begin, self.end)
    }
}

// SAFETY: fields that a job may touch are touched under the kernel's lock; the others in SVCall.
unsafe impl Sync for Process {}

impl Process {
    /// The size of the room for one due upcall, in bytes.
    pub const UPCALL_BYTES: usize = size_of::<Place>();

    /// Makes a process of the table, at `this`, in which nothing is loaded.
    ///
    /// # Safety
    /// The value is put at `this`.
    pub(super) const unsafe fn new(
        this: *const Self,
        index: u8,
        priority: u8,
        (about, due, permits): (&'static ThreadInfo, &'static [Place], &'static [Permit]),
    ) -> Self {
        Self {
            // SAFETY: the caller's; the control block is the first field.
            control: unsafe { ThreadBlock::new(this.cast(), priority, about) },
            saved: [const { Cell::new(0) }; SAVED],
            regions: [const { Cell::new([0; 2]) }; REGIONS],
            lines: Cell::new(None),
            permits: permits.as_ptr(),
            floating: Floating::new(),
            flash: Cell::new(Range { begin: 0, end: 0 }),
            status: Cell::new(Status::Empty),
            // SAFETY: the caller's; nothing is read.
            waiting: Cell::new(unsafe { &raw const (*this).waiting }.cast()),
            restarts: Cell::new(0),
            memory: Cell::new(Range { begin: 0, end: 0 }),
            break_: Cell::new(0),
            progress: Cell::new(0),
            lent: Cell::new(0),
            facts: Cell::new(Facts::NONE),
            upcalls: Queue::new(due),
            notices: Notices::new(),
            index,
            change: Cell::new(Change::None),
            forgotten: Cell::new(Forgotten::NOTHING),
            stopped: Cell::new(false),
            window: Window::new(),
            order_of_notices: notice::Order::new(),
            #[cfg(feature = "credentials")]
            short_id: Cell::new(None),
        }
    }

    /// Returns the process that runs, or that SVCall has interrupted.
    ///
    /// # Safety
    /// A process runs, or was interrupted by SVCall.
    pub(super) unsafe fn running() -> &'static Self {
        // SAFETY: the caller's: the control block is the first field of a process, which is a
        // static.
        unsafe { &*ptr::from_ref(SCHEDULER.running()).cast() }
    }

    /// Returns the place in the table of processes.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index as usize
    }

    /// Returns the status. From every context that the kernel knows of.
    #[must_use]
    pub fn status(&self) -> Status {
        // Under the lock: a caller in a loop must see all changes that SVCall has made.
        kernel(|_| self.status.get())
    }

    /// Returns the status, under the kernel's lock or in SVCall.
    pub(super) const fn standing(&self) -> Status {
        self.status.get()
    }

    /// Returns the number of restarts. From every context that the kernel knows of.
    #[must_use]
    pub fn restarts(&self) -> u32 {
        kernel(|_| self.restarts.get())
    }

    /// Returns the number of upcalls that were dropped since the process started, as there was no
    /// room for another due upcall. Counts up to 255.
    #[must_use]
    pub fn dropped_upcalls(&self) -> u8 {
        kernel(|_| self.upcalls.dropped())
    }

    /// Returns `true` if the process waits for an upcall. From every context that the kernel knows
    /// of.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        let waiting = kernel(|_| self.waiting.get());
        let none = [self.nothing(), Self::delivered(), self.marked()];
        !none.iter().any(|other| ptr::eq(waiting, *other))
    }

    /// Returns the break: the end of the memory that the process says it uses.
    #[must_use]
    pub fn break_address(&self) -> u32 {
        kernel(|_| self.break_.get())
    }

    /// Returns the process's memory.
    #[must_use]
    pub const fn memory(&self) -> Range {
        self.memory.get()
    }

    /// Returns the range of the process's application in flash.
    #[must_use]
    pub const fn flash(&self) -> Range {
        self.flash.get()
    }

    pub(super) const fn control(&self) -> &ThreadBlock {
        &self.control
    }

    pub(super) fn set_status(&self, status: Status) {
        self.status.set(status);
    }

    /// Gives the process its application's flash and its memory, with the regions `words`.
    pub(super) fn load(
        &self,
        (flash, facts): (Range, Facts),
        memory: Range,
        words: [Words; REGIONS],
    ) {
        self.flash.set(flash);
        self.facts.set(facts);
        self.memory.set(memory);
        for (region, words) in self.regions.iter().zip(words) {
            region.set(words);
        }
    }

    /// Returns the frame with which the process begins, and lets the process continue with it,
    /// without floating-point registers.
    pub(super) fn first_frame(&self) -> *mut Frame {
        let frame = process::first_frame(&self.saved, self.memory().begin);
        self.floating.end(self.address());
        frame
    }

    /// Sets the other registers to zero.
    pub(super) fn clear_registers(&self) {
        for register in &self.saved[1..] {
            register.set(0);
        }
    }

    /// Opens the process's flash, or closes it: then the next instruction of the process is a
    /// fault, wherever it is. In SVCall or the switch, or before the process first runs.
    pub(super) fn open_flash(&self, is_open: bool) {
        regions::open_code(&self.regions, is_open);
        self.refresh();
    }

    /// Lets the kernel serve the process's calls.
    pub(super) fn open(&self) {
        self.lines.set(Some(system().lines.of_process(self.is_limited())));
    }

    /// Opens the process's memory up to its break, and nothing above, except memory that a region
    /// of the protection unit can't leave out. In SVCall or the switch, or before the process first
    /// runs.
    ///
    /// A call that moves the break is served only if its frame lies below the break. So the memory
    /// that the process gets never contains the frame of the call that asks for it, and all of it
    /// can be zeroed.
    pub(super) fn open_memory(&self) {
        regions::open(&self.regions, (self.memory.get().begin, self.break_.get()));
        self.refresh();
    }

    /// Opens memory of another process, of an address and a size, or closes it. In SVCall or the
    /// switch.
    pub(super) fn show(&self, shared: Option<(u32, u32)>) {
        self.regions[WINDOW].set(regions::window(shared));
        self.refresh();
    }

    /// Updates the protection unit if the unit has the regions of this process.
    fn refresh(&self) {
        // SAFETY: in SVCall or the switch, and the words are in the process.
        unsafe { process::refresh(self.address(), self.regions.as_ptr().cast()) };
    }

    /// Lets the process use floating-point registers from now on, if it may not yet. The process
    /// continues with another frame, if its used memory has room for that frame. In SVCall, where
    /// the process has stored `frame`.
    pub(super) fn float(&self, frame: *mut Frame) -> Float {
        let used = Range { begin: self.memory.get().begin, end: self.break_.get() };
        // SAFETY: the hardware has stored the frame, and the room is in the process's memory.
        unsafe { self.floating.begin(self.address(), frame, |begin, size| used.has(begin, size)) }
    }

    /// Returns the address by which the protection unit's regions are known to be this process's.
    pub(super) const fn address(&self) -> *const () {
        ptr::from_ref(self).cast()
    }

    /// Returns `true` if the hardware's frame lies in the used memory, and no fault was noted.
    #[inline(always)]
    pub(super) fn owns_frame(&self, frame: u32) -> bool {
        self.lines.get().is_some() && self.has_frame(frame)
    }

    /// Returns `true` if the hardware's frame lies in the used memory, with its floating-point
    /// state. So no call clears this state.
    #[inline(always)]
    pub(super) fn has_frame(&self, frame: u32) -> bool {
        let used = Range { begin: self.memory.get().begin, end: self.break_.get() };
        STACKED == 0 || used.has(frame, self.floating.frame_size())
    }

    /// Returns the address behind the hardware's frame, which is in the used memory; 0 if it lies
    /// elsewhere.
    pub(super) fn end_of_frame(&self, frame: u32) -> u32 {
        if STACKED == 0 { 0 } else { frame + self.floating.frame_size() }
    }

    /// Returns `true` if a call may come from the instruction before this address.
    pub(super) const fn may_return_to(&self, address: u32) -> bool {
        self.flash.get().has(address.wrapping_sub(process::CALL), process::CALL)
    }

    /// Marks that the process has not waited since now. The process must not wait.
    #[cfg(feature = "time")]
    pub(super) fn mark_run(&self, _lock: &KernelLock<'_>) {
        if ptr::eq(self.waiting.get(), self.nothing()) {
            self.waiting.set(self.marked());
        }
    }

    /// Returns `true` if the process has waited since [`mark_run`](Self::mark_run), or waits now.
    #[cfg(feature = "time")]
    pub(super) fn has_waited(&self, _lock: &KernelLock<'_>) -> bool {
        !ptr::eq(self.waiting.get(), self.marked())
    }

    /// Stands for an upcall in `waiting`: the process waits for none, and was marked.
    #[inline(always)]
    const fn marked(&self) -> *const Upcall {
        ptr::from_ref(&self.memory).cast()
    }

    /// Ends the service of the process's calls, and its wait.
    pub(super) fn close(&self) {
        self.lines.set(None);
        self.waiting.set(self.nothing());
    }

    /// Lets the loaded process run. From here on the process may be stopped, ended or restarted.
    /// Switches are held off.
    pub(super) fn begin(&'static self) {
        kernel(|lock| SCHEDULER.set_begun(&self.control, trampoline(), lock));
        kernel_and_wake(|_| ((), Some(WakeTarget::of_thread(&self.control))));
        kernel(|_| self.set_status(Status::Alive));
    }

    /// Returns `true` if the process may write there.
    #[inline]
    pub(super) const fn may_write(&self, begin: u32, size: u32) -> bool {
        self.memory.get().has(begin, size)
    }

    /// Stands for an upcall in `waiting`: the process waits for any. The process's own address,
    /// which is in a register.
    #[inline(always)]
    pub(super) const fn any(&self) -> *const Upcall {
        ptr::from_ref(self).cast()
    }

    /// Stands for an upcall in `waiting`: the process waits for none. This address is in a register
    /// where it is written under the lock.
    #[inline(always)]
    const fn nothing(&self) -> *const Upcall {
        ptr::from_ref(&self.waiting).cast()
    }

    /// Stands for an upcall in `waiting`: the upcall has come.
    #[inline(always)]
    pub(super) const fn delivered() -> *const Upcall {
        ptr::null()
    }

    /// Notes the address of the frame of the process's call. No other code reads this address
    /// before the process waits in the call.
    pub(super) fn set_frame(&self, frame: *mut Frame) {
        process::note_frame(&self.saved, frame);
    }

    /// Returns the frame of the call in which the process waits, or with which it was saved.
    #[inline(always)]
    pub(super) const fn frame(&self) -> *mut Frame {
        process::frame_in(&self.saved)
    }

    /// Lets the process wait. The process is the running one, and the processor leaves it when
    /// SVCall returns.
    #[inline(always)]
    pub(super) fn wait(&self, waiting: *const Upcall, _lock: &KernelLock<'_>) {
        self.waiting.set(waiting);
        // SAFETY: the lock is held, and the process runs.
        unsafe { leave_ring(&self.control) };
    }

    /// Takes the running process out of the ring of ready threads, unless it was suspended since.
    /// In SVCall; the switch must be pended then.
    pub(super) fn leave(&self, lock: &KernelLock<'_>) {
        if !self.control.is_suspended(lock) {
            // SAFETY: the lock is held, and the process runs.
            unsafe { leave_ring(&self.control) };
        }
    }

    /// Makes the process ready after an upcall was [delivered](Self::delivered), unless the process
    /// was restarted since.
    pub(super) fn wake(&'static self) {
        kernel_and_wake(|_| {
            let is_due = ptr::eq(self.waiting.get(), Self::delivered());
            if is_due {
                // Once: a thread may come here when the process is in another life.
                self.waiting.set(self.nothing());
            } else {
                rarely();
            }
            ((), is_due.then(|| WakeTarget::of_thread(&self.control)))
        });
    }
}

/// Tells the compiler that the caller's branch is rare.
#[cold]
#[inline(always)]
const fn rarely() {}

impl ::core::fmt::Debug for Process {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        formatter
            .debug_struct("Process")
            .field("index", &self.index)
            .field("name", &self.name())
            .field("status", &self.status.get())
            .finish_non_exhaustive()
    }
}

mod layout;
