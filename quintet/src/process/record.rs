//! What the kernel knows of a process: a thread that runs unprivileged, and where it may be.

#![expect(unsafe_code, reason = "a process is found by its control block, and so is what is its")]

use ::core::cell::Cell;
use ::core::mem::offset_of;
use ::core::ptr;

use super::driver::Lines;
use super::regions;
use super::upcall::{Queue, Upcall};
use super::window::Window;
use crate::arch::process::{self, Access, DATA, Frame, REGIONS, REGIONS_AT, WINDOW, Words};
use crate::core::lock::Kernel;
use crate::core::scheduler::{About, Control, SCHEDULER};

/// The size of the instruction that calls, in bytes.
const CALL: u32 = 2;

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
}

/// What a process waits for.
#[derive(Clone, Copy, Debug)]
pub enum Waiting {
    /// Nothing.
    No,
    /// Any upcall.
    Upcall,
    /// This upcall, which is not called but told.
    One(&'static Upcall),
}

/// A process: what is behind the words that the switch knows is touched in SVCall, which runs for
/// the process that is running, and under the kernel's lock where a job may touch it as well.
#[repr(C)]
pub struct Process {
    control: Control,
    /// The process stack's pointer and r4 to r11, while it doesn't run.
    saved: [Cell<u32>; 9],
    /// What the protection unit gets.
    regions: [Cell<Words>; REGIONS],
    /// The lowest address that its stack's pointer may have when it calls. None may, once a fault
    /// of its was noted.
    lowest: Cell<u32>,
    /// How far above that it may be.
    span: Cell<u32>,
    /// The lowest address that it may go on at behind a call.
    first_return: Cell<u32>,
    /// How many addresses there are from that on.
    returns: Cell<u32>,
    /// The drivers that it finds at once.
    lines: Cell<&'static Lines>,
    /// The place in the table of processes.
    index: u8,
    status: Cell<Status>,
    /// What it waits for.
    pub(super) waiting: Cell<Waiting>,
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
    /// Whether its header says what it may call.
    pub(super) is_limited: Cell<bool>,
    /// The frame of the call in which it waits.
    pub(super) frame: Cell<*mut Frame>,
    /// Its upcalls that are due.
    pub(super) upcalls: Queue,
    /// Its application in flash.
    application: Cell<&'static [u8]>,
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

/// Where the assembly finds a field.
pub mod offset {
    use super::{Process, offset_of};

    /// In a process.
    pub const LOWEST: usize = offset_of!(Process, lowest);
    /// In a process. Behind it, how many addresses.
    pub const FIRST_RETURN: usize = offset_of!(Process, first_return);
    /// In a process.
    pub const LINES: usize = offset_of!(Process, lines);
}

const _: () = assert!(offset_of!(Process, control) == 0);
const _: () = assert!(offset::LOWEST == REGIONS_AT + REGIONS * 8);
const _: () = assert!(offset::LINES == offset::FIRST_RETURN + 8);
const _: () = assert!(offset::FIRST_RETURN == offset::LOWEST + 8);
const _: () = assert!(offset_of!(Process, span) == offset::LOWEST + 4);
const _: () = assert!(offset_of!(Process, returns) == offset::FIRST_RETURN + 4);
const _: () = assert!(offset_of!(Process, regions) == REGIONS_AT);
const _: () = assert!(offset_of!(Process, saved) == crate::core::scheduler::offset::SAVED);

// SAFETY: what a job may touch is touched under the kernel's lock; the rest in SVCall.
unsafe impl Sync for Process {}

impl Process {
    /// A process of the table at `this`, in which nothing is loaded.
    ///
    /// # Safety
    /// `this` is where it is put.
    pub(super) const unsafe fn new(
        this: *const Self,
        index: u8,
        priority: u8,
        about: &'static About,
    ) -> Self {
        Self {
            // SAFETY: the caller's; the control block is the first field.
            control: unsafe { Control::new(this.cast(), priority, about) },
            saved: [const { Cell::new(0) }; 9],
            regions: [const { Cell::new([0; 2]) }; REGIONS],
            lowest: Cell::new(u32::MAX),
            span: Cell::new(0),
            first_return: Cell::new(0),
            returns: Cell::new(0),
            lines: Cell::new(&Lines::NONE),
            index,
            status: Cell::new(Status::Empty),
            waiting: Cell::new(Waiting::No),
            restarts: Cell::new(0),
            memory: Cell::new(Range { begin: 0, end: 0 }),
            flash: Cell::new(Range { begin: 0, end: 0 }),
            break_: Cell::new(0),
            lent: Cell::new(0),
            code: Cell::new(0),
            is_limited: Cell::new(false),
            frame: Cell::new(ptr::null_mut()),
            upcalls: Queue::new(),
            application: Cell::new(&[]),
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
    pub const fn status(&self) -> Status {
        self.status.get()
    }

    /// The name of its application; empty without one.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match super::tbf::read(self.application.get()) {
            Ok(Some(header)) => header.name,
            _ => "",
        }
    }

    /// How often it was restarted.
    #[must_use]
    pub const fn restarts(&self) -> u32 {
        self.restarts.get()
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

    pub(super) const fn control(&self) -> &Control {
        &self.control
    }

    pub(super) const fn application(&self) -> &'static [u8] {
        self.application.get()
    }

    pub(super) fn set_status(&self, status: Status) {
        self.status.set(status);
    }

    /// Gives it an application, its flash and its memory, of which the regions are `words`.
    pub(super) fn load(
        &self,
        application: &'static [u8],
        flash: Range,
        memory: Range,
        words: [Words; REGIONS],
    ) {
        self.application.set(application);
        self.flash.set(flash);
        self.first_return.set(flash.begin + CALL);
        self.returns.set(flash.end - flash.begin - (CALL - 1));
        self.memory.set(memory);
        for (region, words) in self.regions.iter().zip(words) {
            region.set(words);
        }
    }

    /// Lets it begin with this stack pointer, and zeros in the other registers.
    pub(super) fn set_begin(&self, stack_pointer: u32) {
        for register in &self.saved {
            register.set(0);
        }
        self.saved[0].set(stack_pointer);
        self.waiting.set(Waiting::No);
        self.open();
        self.open_memory();
    }

    /// Its calls are served.
    pub(super) fn open(&self) {
        self.lowest.set(self.memory.get().begin);
    }

    /// Lets it access its memory up to the end of what it uses, rounded up to the end of an eighth
    /// of a region, and nothing above. In SVCall or the switch, or before it first runs.
    ///
    /// A call is served only if its frame lies below that end. So what a process gets anew never
    /// holds the frame of the call that asks for it, and all of it can be made zero.
    pub(super) fn open_memory(&self) {
        let (begin, end) = (self.memory.get().begin, self.break_.get());
        for slot in DATA {
            let place = &self.regions[slot];
            let words = place.get();
            let Some((base, size)) = process::extent(words) else { continue };
            place.set(match regions::used(base, size, begin, end) {
                Some(open) => process::region(slot, open.base, size, open.without, Access::Data),
                None => process::closed(words),
            });
        }
        self.span.set((end - begin).saturating_sub(size_of::<Frame>() as u32));
        self.refresh();
    }

    /// Lets it access this memory of another process as well, of an address and a size, or no
    /// longer any. In SVCall or the switch.
    pub(super) fn show(&self, shared: Option<(u32, u32)>) {
        self.regions[WINDOW].set(match shared {
            Some((begin, size)) => process::region(WINDOW, begin, size, 0, Access::Data),
            None => process::no_region(WINDOW),
        });
        self.refresh();
    }

    /// Lets the protection unit know that regions have changed, if it has this process's.
    fn refresh(&self) {
        let words = self.regions.each_ref().map(Cell::get);
        // SAFETY: in SVCall or the switch, and they are in the process.
        unsafe { process::refresh(ptr::from_ref(self).cast(), &words) };
    }

    /// Whether a frame that the hardware is said to have stored lies in its memory, and no fault
    /// was noted.
    #[inline(always)]
    pub(super) fn owns_frame(&self, frame: u32) -> bool {
        frame.wrapping_sub(self.lowest.get()) <= self.span.get()
    }

    /// Lets it find drivers at once.
    pub(super) fn set_lines(&self, lines: &'static Lines) {
        self.lines.set(lines);
    }

    /// Whether a call may come from before this address.
    pub(super) const fn may_return_to(&self, address: u32) -> bool {
        address.wrapping_sub(self.first_return.get()) < self.returns.get()
    }

    /// No call of its is served any more.
    pub(super) fn close(&self) {
        self.lowest.set(u32::MAX);
    }

    /// Whether it may write there.
    #[inline]
    pub(super) const fn may_write(&self, begin: u32, size: u32) -> bool {
        self.memory.get().has(begin, size)
    }

    /// Lets it wait: it is the running one, and is left as soon as SVCall returns.
    pub(super) fn wait(&self, waiting: Waiting, frame: *mut Frame, lock: &Kernel<'_>) {
        self.frame.set(frame);
        self.waiting.set(waiting);
        SCHEDULER.make_unready(lock);
    }

    /// Ends its wait.
    pub(super) fn wake(&self, lock: &Kernel<'_>) {
        self.waiting.set(Waiting::No);
        SCHEDULER.make_ready(&self.control, lock);
    }
}

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
