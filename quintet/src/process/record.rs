//! What the kernel knows of a process: a thread that runs unprivileged, and where it may be.

#![expect(unsafe_code, reason = "a process is found by its control block, and so is what is its")]

use ::core::cell::Cell;
use ::core::mem::offset_of;
use ::core::ptr;

use super::driver::Lines;
use super::life::Change;
use super::regions;
use super::system::system;
use super::upcall::{Place, Queue, Upcall};
use super::window::Window;
use crate::arch::process::{
    self, FLOATING, Float, Floating, Frame, LINES, REGIONS, REGIONS_AT, WINDOW, Words, leave_ring,
    trampoline,
};
use crate::core::lock::{KernelLock, kernel};
use crate::core::record::WakeTarget;
use crate::core::scheduler::{SCHEDULER, ThreadBlock, ThreadInfo};
use crate::core::section::kernel_and_wake;

/// The size of the instruction that calls, in bytes.
pub const CALL: u32 = 2;

/// How a process stands, beside being ready or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing was loaded.
    Empty,
    /// It runs, is ready to, or waits.
    Alive,
    /// It has ended by itself, and said this.
    Exited(u32),
    /// It did what it must not, and was stopped.
    Faulted,
    /// Somebody has [ended](Process::terminate) it.
    Terminated,
    /// It is about to start anew: at once, or when its delay is over.
    Restarting,
    /// It started anew more often than its [limit](super::RestartLimit) allows. It starts again
    /// when somebody [restarts](Process::restart) it.
    HeldOff,
}

impl Status {
    /// Whether it runs, or will without anybody's doing: it is alive, or about to start anew.
    #[must_use]
    pub const fn is_active(self) -> bool {
        matches!(self, Self::Alive | Self::Restarting)
    }
}

/// A process: what is behind the words that the switch knows is touched in SVCall, which runs for
/// the process that is running, and under the kernel's lock where a job may touch it as well.
#[repr(C)]
pub struct Process {
    control: ThreadBlock,
    /// The process stack's pointer and r4 to r11, while it doesn't run.
    saved: [Cell<u32>; 9],
    /// What the protection unit gets.
    regions: [Cell<Words>; REGIONS],
    /// The drivers that it finds at once. None, once a fault of its was noted: no call of its is
    /// served any more.
    lines: Cell<Option<&'static Lines>>,
    /// Its floating-point registers.
    floating: Floating,
    status: Cell<Status>,
    /// What it waits for: [nothing](Self::nothing), [any](Self::any) upcall, or this one, which is
    /// not called but told. Or null: it has [come](Self::delivered), and the process is about to
    /// become ready.
    pub(super) waiting: Cell<*const Upcall>,
    /// How often it was restarted.
    pub(super) restarts: Cell<u32>,
    memory: Cell<Range>,
    flash: Cell<Range>,
    /// The end of the memory that it uses, by its own word.
    pub(super) break_: Cell<u32>,
    /// The end of what it has lent at most, or the beginning of its memory.
    pub(super) lent: Cell<u32>,
    /// Where its own flash begins, behind the header.
    pub(super) code: Cell<u32>,
    /// Its upcalls that are due.
    pub(super) upcalls: Queue,
    /// The place in the table of processes.
    index: u8,
    /// Whether its header says what it may call.
    pub(super) is_limited: Cell<bool>,
    /// What is to become of it, as soon as the switch comes.
    pub(super) change: Cell<Change>,
    /// Whether somebody has stopped it.
    pub(super) stopped: Cell<bool>,
    /// What others share with it, and it with others.
    pub(super) window: Window,
}

/// Addresses from the first to behind the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The first.
    pub begin: u32,
    /// Behind the last.
    pub end: u32,
}

impl Range {
    /// Whether it has all of `size` bytes from `begin` on. None are everywhere.
    pub const fn has(self, begin: u32, size: u32) -> bool {
        size == 0 || self.begin <= begin && begin <= self.end && size <= self.end - begin
    }
}

impl ::core::fmt::Display for Range {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        write!(formatter, "{:#010x} to {:#010x}", self.begin, self.end)
    }
}

const _: () = assert!(offset_of!(Process, control) == 0);
const _: () = assert!(offset_of!(Process, lines) == LINES);
const _: () = assert!(offset_of!(Process, floating) == FLOATING);
const _: () = assert!(offset_of!(Process, regions) == REGIONS_AT);
const _: () = assert!(offset_of!(Process, saved) == crate::core::scheduler::offset::SAVED);

// SAFETY: what a job may touch is touched under the kernel's lock; the rest in SVCall.
unsafe impl Sync for Process {}

impl Process {
    /// What room for one upcall that is due takes, in bytes.
    pub const UPCALL_BYTES: usize = size_of::<Place>();

    /// A process of the table at `this`, in which nothing is loaded.
    ///
    /// # Safety
    /// `this` is where it is put.
    pub(super) const unsafe fn new(
        this: *const Self,
        index: u8,
        priority: u8,
        (about, due): (&'static ThreadInfo, &'static [Place]),
    ) -> Self {
        Self {
            // SAFETY: the caller's; the control block is the first field.
            control: unsafe { ThreadBlock::new(this.cast(), priority, about) },
            saved: [const { Cell::new(0) }; 9],
            regions: [const { Cell::new([0; 2]) }; REGIONS],
            lines: Cell::new(None),
            floating: Floating::new(),
            status: Cell::new(Status::Empty),
            // SAFETY: the caller's; nothing is read.
            waiting: Cell::new(unsafe { &raw const (*this).waiting }.cast()),
            restarts: Cell::new(0),
            memory: Cell::new(Range { begin: 0, end: 0 }),
            flash: Cell::new(Range { begin: 0, end: 0 }),
            break_: Cell::new(0),
            lent: Cell::new(0),
            code: Cell::new(0),
            upcalls: Queue::new(due),
            index,
            is_limited: Cell::new(false),
            change: Cell::new(Change::None),
            stopped: Cell::new(false),
            window: Window::new(),
        }
    }

    /// The process that runs, or was interrupted by SVCall.
    ///
    /// # Safety
    /// One does.
    pub(super) unsafe fn running() -> &'static Self {
        // SAFETY: the caller's: the control block is the first field of a process, which is a
        // static.
        unsafe { &*ptr::from_ref(SCHEDULER.running()).cast() }
    }

    /// Its place in the table of processes.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index as usize
    }

    /// How it stands. From every context that the kernel knows of.
    #[must_use]
    pub fn status(&self) -> Status {
        // Under the lock: who asks in a loop must see what SVCall has changed, and all of it.
        kernel(|_| self.status.get())
    }

    /// The same, under the kernel's lock or in SVCall.
    pub(super) const fn standing(&self) -> Status {
        self.status.get()
    }

    /// The name of its application; empty without one.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match super::tbf::read(self.application()) {
            Ok(Some(header)) => header.name,
            _ => "",
        }
    }

    /// How often it was restarted. From every context that the kernel knows of.
    #[must_use]
    pub fn restarts(&self) -> u32 {
        kernel(|_| self.restarts.get())
    }

    /// How many of its upcalls were dropped since it started, as so many were due: at most 255 are
    /// counted.
    #[must_use]
    pub fn dropped_upcalls(&self) -> u8 {
        kernel(|_| self.upcalls.dropped())
    }

    /// Whether it waits for an upcall. From every context that the kernel knows of.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        let waiting = kernel(|_| self.waiting.get());
        let none = [self.nothing(), Self::delivered(), self.marked()];
        !none.iter().any(|other| ptr::eq(waiting, *other))
    }

    /// The end of the memory that it says it uses: its break.
    #[must_use]
    pub fn break_address(&self) -> u32 {
        kernel(|_| self.break_.get())
    }

    /// Its memory.
    #[must_use]
    pub const fn memory(&self) -> Range {
        self.memory.get()
    }

    /// Its application in flash.
    #[must_use]
    pub const fn flash(&self) -> Range {
        self.flash.get()
    }

    /// Its application in flash.
    pub(super) fn application(&self) -> &'static [u8] {
        let Range { begin, end } = self.flash.get();
        if begin == end {
            return &[];
        }
        // SAFETY: it was read there when it was loaded, and nobody writes to flash.
        unsafe {
            ::core::slice::from_raw_parts(begin as usize as *const u8, (end - begin) as usize)
        }
    }

    pub(super) const fn control(&self) -> &ThreadBlock {
        &self.control
    }

    pub(super) fn set_status(&self, status: Status) {
        self.status.set(status);
    }

    /// Gives it its application's flash and its memory, of which the regions are `words`.
    pub(super) fn load(&self, flash: Range, memory: Range, words: [Words; REGIONS]) {
        self.flash.set(flash);
        self.memory.set(memory);
        for (region, words) in self.regions.iter().zip(words) {
            region.set(words);
        }
    }

    /// Lets it begin with this stack pointer, zeros in the other registers, and without
    /// floating-point ones.
    pub(super) fn set_begin(&self, stack_pointer: u32) {
        for register in &self.saved {
            register.set(0);
        }
        self.saved[0].set(stack_pointer);
        self.floating.end(self.address());
        self.waiting.set(self.nothing());
        self.open();
        self.open_memory();
    }

    /// Lets its calls be served. One that may not call every driver finds none at once.
    pub(super) fn open(&self) {
        let lines = if self.is_limited.get() { &Lines::NONE } else { system().lines };
        self.lines.set(Some(lines));
    }

    /// Lets it access its memory up to the end of what it uses, and nothing above, but what one
    /// region of the protection unit can't leave out. In SVCall or the switch, or before it first
    /// runs.
    ///
    /// A call that moves that end is served only if its frame lies below it. So what a process gets
    /// anew never holds the frame of the call that asks for it, and all of it can be made zero.
    pub(super) fn open_memory(&self) {
        let mut words = self.regions.each_ref().map(Cell::get);
        regions::open(&mut words, (self.memory.get().begin, self.break_.get()));
        self.set_regions(&words);
    }

    /// Lets it access this memory of another process as well, of an address and a size, or no
    /// longer any. In SVCall or the switch.
    pub(super) fn show(&self, shared: Option<(u32, u32)>) {
        let mut words = self.regions.each_ref().map(Cell::get);
        words[WINDOW] = regions::window(shared);
        self.set_regions(&words);
    }

    /// Changes its regions, and lets the protection unit know, if it has this process's.
    fn set_regions(&self, words: &[Words; REGIONS]) {
        for (region, &words) in self.regions.iter().zip(words) {
            region.set(words);
        }
        // SAFETY: in SVCall or the switch, and they are in the process.
        unsafe { process::refresh(self.address(), words) };
    }

    /// Lets it use floating-point registers from now on, if it may not yet: it goes on with another
    /// frame, if there is room for that in what it uses. In SVCall, where it has stored `frame`.
    pub(super) fn float(&self, frame: *mut Frame) -> Float {
        let used = Range { begin: self.memory.get().begin, end: self.break_.get() };
        // SAFETY: the hardware has stored the frame, and what there is room for is its memory.
        unsafe { self.floating.begin(self.address(), frame, |begin, size| used.has(begin, size)) }
    }

    /// What the protection unit's regions are said to be of.
    const fn address(&self) -> *const () {
        ptr::from_ref(self).cast()
    }

    /// Whether a frame that the hardware is said to have stored lies in its memory, and no fault
    /// was noted.
    #[inline(always)]
    pub(super) fn owns_frame(&self, frame: u32) -> bool {
        let used = Range { begin: self.memory.get().begin, end: self.break_.get() };
        self.lines.get().is_some() && used.has(frame, size_of::<Frame>() as u32)
    }

    /// Whether a call may come from before this address.
    pub(super) const fn may_return_to(&self, address: u32) -> bool {
        self.flash.get().has(address.wrapping_sub(CALL), CALL)
    }

    /// Where its stack pointer is kept while it doesn't run.
    pub(super) const fn saved_stack_pointer(&self) -> u32 {
        self.saved[0].get()
    }

    /// Marks that it has not waited since. It must not wait.
    #[cfg(feature = "time")]
    pub(super) fn mark_run(&self, _lock: &KernelLock<'_>) {
        if ptr::eq(self.waiting.get(), self.nothing()) {
            self.waiting.set(self.marked());
        }
    }

    /// Whether it has waited since [`mark_run`](Self::mark_run), or does.
    #[cfg(feature = "time")]
    pub(super) fn has_waited(&self, _lock: &KernelLock<'_>) -> bool {
        !ptr::eq(self.waiting.get(), self.marked())
    }

    /// In the place of the upcall that it waits for: none, and it was marked.
    #[inline(always)]
    const fn marked(&self) -> *const Upcall {
        ptr::from_ref(&self.memory).cast()
    }

    /// No call of its is served any more, and it waits for nothing.
    pub(super) fn close(&self) {
        self.lines.set(None);
        self.waiting.set(self.nothing());
    }

    /// Lets it run, once it is loaded: from here on it may be stopped, and all that. Switches are
    /// held off.
    pub(super) fn begin(&'static self) {
        kernel(|lock| SCHEDULER.set_begun(&self.control, trampoline(), lock));
        kernel_and_wake(|_| ((), Some(WakeTarget::of_thread(&self.control))));
        kernel(|_| self.set_status(Status::Alive));
    }

    /// Whether it may write there.
    #[inline]
    pub(super) const fn may_write(&self, begin: u32, size: u32) -> bool {
        self.memory.get().has(begin, size)
    }

    /// In the place of the upcall that it waits for: any. Its own address, which is at hand.
    #[inline(always)]
    pub(super) const fn any(&self) -> *const Upcall {
        ptr::from_ref(self).cast()
    }

    /// In the place of the upcall that it waits for: none. The address is at hand where it is
    /// written under the lock.
    #[inline(always)]
    const fn nothing(&self) -> *const Upcall {
        ptr::from_ref(&self.waiting).cast()
    }

    /// In the place of the upcall that it waits for: it has come.
    #[inline(always)]
    pub(super) const fn delivered() -> *const Upcall {
        ptr::null()
    }

    /// Says where the frame of its call is, in which it may wait. Nobody asks until it does.
    pub(super) fn set_frame(&self, frame: *mut Frame) {
        self.saved[0].set(frame.addr() as u32);
    }

    /// The frame of the call in which it waits: where its stack pointer is.
    #[inline(always)]
    pub(super) fn frame(&self) -> *mut Frame {
        ptr::with_exposed_provenance_mut(self.saved[0].get() as usize)
    }

    /// Lets it wait: it is the running one, and is left as soon as SVCall returns.
    #[inline(always)]
    pub(super) fn wait(&self, waiting: *const Upcall, _lock: &KernelLock<'_>) {
        self.waiting.set(waiting);
        // SAFETY: the lock is held, and it runs.
        unsafe { leave_ring(&self.control) };
    }

    /// Makes it ready behind an upcall that was [delivered](Self::delivered), unless it was begun
    /// anew since.
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

/// Says that its caller's branch is not the one to be fast.
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
