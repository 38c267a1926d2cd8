//! A task's cell: the static memory of the task's future, and the state of this memory.
//!
//! ```text
//!             spawn: claim                  spawn: built, then wake
//!      FREE ───────────────> BUILDING ──────────────────────────────> ALIVE
//!        ^                                                              │
//!        └──────────────────────────────────────────────────────────────┘
//!                       poll: the future is ready, and dropped
//! ```
//!
//! A spawn claims a cell by one exchange of a byte. So the future is built with no interrupt held
//! off. A wake in the meantime finds no future; the wake at the end of the spawn is the one that
//! counts.
//!
//! A cell takes the bytes of its future and one more byte.

#![expect(unsafe_code, reason = "a future's type is not part of the cell's, which is a static")]

use ::core::cell::UnsafeCell;
use ::core::future::Future;
use ::core::mem::{MaybeUninit, align_of, size_of};
use ::core::pin::Pin;
use ::core::sync::atomic::AtomicU8;
use ::core::task::{Context, Waker};

use crate::arch::words;
use crate::core::claim::claim;

/// The cell is free.
const FREE: u8 = 0;
/// A spawn is building a future in the cell.
const BUILDING: u8 = 1;
/// The cell has a future.
const ALIVE: u8 = 2;

/// An alignment as a type.
pub struct Align<const BYTES: usize>;

/// Maps an alignment to a type with this alignment.
#[diagnostic::on_unimplemented(
    message = "the future of an async task is aligned to more than 1024 bytes",
    label = "of this task",
    note = "something that lives across an `await` there has this alignment: put it into a \
            `static` of its own, and keep a reference to it"
)]
pub trait Alignment {
    /// A type with this alignment.
    type Type: Copy;
}

macro_rules! alignments {
    ($($bytes:literal $name:ident),*) => {
        $(
            /// A type with this alignment.
            #[derive(Clone, Copy)]
            #[repr(align($bytes))]
            pub struct $name;
            impl Alignment for Align<$bytes> {
                type Type = $name;
            }
        )*
    };
}

alignments!(
    1 Align1, 2 Align2, 4 Align4, 8 Align8, 16 Align16, 32 Align32, 64 Align64, 128 Align128,
    256 Align256, 512 Align512, 1024 Align1024
);

/// A function that makes futures, with the tuple of its arguments.
///
/// Implemented for every function of up to 17 arguments that returns a future. The trait names the
/// future's type, which has no name of its own. (Tasks have up to 16 arguments, and a
/// [context](crate::export::Call).)
pub trait Maker<Arguments>: Copy {
    /// The type of future that the function makes.
    type Future: Future;
}

macro_rules! makers {
    ($($argument:ident)*) => {
        impl<Function, Made, $($argument),*> Maker<($($argument,)*)> for Function
        where
            Function: Copy + FnOnce($($argument),*) -> Made,
            Made: Future,
        {
            type Future = Made;
        }
    };
}

makers!();
makers!(A);
makers!(A B);
makers!(A B C);
makers!(A B C D);
makers!(A B C D E);
makers!(A B C D E F);
makers!(A B C D E F G);
makers!(A B C D E F G H);
makers!(A B C D E F G H I);
makers!(A B C D E F G H I J);
makers!(A B C D E F G H I J K);
makers!(A B C D E F G H I J K L);
makers!(A B C D E F G H I J K L M);
makers!(A B C D E F G H I J K L M N);
makers!(A B C D E F G H I J K L M N O);
makers!(A B C D E F G H I J K L M N O P);
makers!(A B C D E F G H I J K L M N O P Q);

/// Returns the size in bytes of the futures that `maker` makes.
///
/// The future is a parameter, and not `Function::Future` in the body. So if the code of a task has
/// an error, the compiler knows that no size follows from that code, and doesn't report a second
/// error.
#[must_use]
pub const fn size<Arguments, Made, Function>(_maker: Function) -> usize
where
    Function: Maker<Arguments, Future = Made>,
{
    size_of::<Made>()
}

/// Returns the alignment of the futures that `maker` makes. `Made` is a parameter for the same
/// reason as in [`size`].
#[must_use]
pub const fn align<Arguments, Made, Function>(_maker: Function) -> usize
where
    Function: Maker<Arguments, Future = Made>,
{
    align_of::<Made>()
}

/// The memory of one task's future.
///
/// The methods are generic over the future's type. All calls on one cell use one type, and the cell
/// has the size and the alignment of this type: [`size`] and [`align`] return them.
pub struct Cell<const SIZE: usize, const ALIGN: usize>
where
    Align<ALIGN>: Alignment,
{
    /// The future, in state `ALIVE`.
    future: UnsafeCell<MaybeUninit<[u8; SIZE]>>,
    _align: [<Align<ALIGN> as Alignment>::Type; 0],
    /// `FREE`, `BUILDING` or `ALIVE`.
    state: AtomicU8,
}

// SAFETY: the future is touched by the spawn that claimed the cell, and then by the level that
// polls it; `state` hands it over. A future is built from arguments that are `Send`, on which the
// expansion insists.
unsafe impl<const SIZE: usize, const ALIGN: usize> Sync for Cell<SIZE, ALIGN> where
    Align<ALIGN>: Alignment
{
}

impl<const SIZE: usize, const ALIGN: usize> Default for Cell<SIZE, ALIGN>
where
    Align<ALIGN>: Alignment,
{
    fn default() -> Self {
        Self::new()
    }
}

impl<const SIZE: usize, const ALIGN: usize> Cell<SIZE, ALIGN>
where
    Align<ALIGN>: Alignment,
{
    /// A free cell.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            future: UnsafeCell::new(MaybeUninit::uninit()),
            _align: [],
            state: AtomicU8::new(FREE),
        }
    }

    /// Claims the cell for a future that [`fill`](Self::fill) then builds. Returns `false` if the
    /// task is alive, or another spawn has claimed the cell. From any context.
    #[inline(always)]
    #[must_use]
    pub fn claim(&self) -> bool {
        claim(&self.state, FREE, BUILDING)
    }

    /// Builds the future in the cell. The caller then wakes the task.
    ///
    /// # Safety
    /// The caller has [claimed](Self::claim) the cell. `_maker` is this cell's.
    #[inline(always)]
    pub unsafe fn fill<Arguments: 'static, Function: Maker<Arguments>>(
        &'static self,
        _maker: Function,
        build: impl FnOnce() -> Function::Future,
    ) {
        // SAFETY: the claim makes the memory the caller's; size and alignment are those of the
        // future, as the cell is this maker's.
        unsafe { self.pointer::<Function::Future>().write(build()) };
        words::put_byte(&self.state, ALIVE);
    }

    /// Returns `true` if the cell has a future.
    #[inline(always)]
    #[must_use]
    pub fn is_alive(&self) -> bool {
        words::get_byte(&self.state) == ALIVE
    }

    /// Polls the future, if there is one, with `waker`. Drops the future when it is ready.
    ///
    /// There may be no future to poll: wakers may outlive their task, and a wake may come while the
    /// future is built.
    ///
    /// # Safety
    /// Called from the task's level only, never nested. `maker` is this cell's, `waker` the task's.
    #[inline(always)]
    pub unsafe fn poll<Arguments, Function: Maker<Arguments>>(
        &'static self,
        maker: Function,
        waker: &Waker,
    ) {
        if self.is_alive() {
            // SAFETY: it is; the rest is handed on.
            unsafe { self.poll_alive(maker, waker) };
        }
    }

    /// Polls the future with `waker`. When the future is ready, drops the future and returns
    /// `true`.
    ///
    /// # Safety
    /// As for [`poll`](Self::poll), and a future is alive.
    #[inline(always)]
    pub unsafe fn poll_alive<Arguments, Function: Maker<Arguments>>(
        &'static self,
        _maker: Function,
        waker: &Waker,
    ) -> bool {
        // SAFETY: a future is alive there, nobody else polls it, and it doesn't move until it is
        // dropped.
        let future = unsafe { Pin::new_unchecked(&mut *self.pointer::<Function::Future>()) };
        let ready = future.poll(&mut Context::from_waker(waker)).is_ready();
        if ready {
            // SAFETY: a future is there, and nobody else polls it.
            unsafe { self.end::<Arguments, Function>() };
        }
        ready
    }

    /// Drops the future, and frees the cell.
    ///
    /// # Safety
    /// From the task's level only, while a future is alive and isn't being polled. The maker is
    /// this cell's.
    #[inline(always)]
    pub unsafe fn end<Arguments, Function: Maker<Arguments>>(&'static self) {
        // SAFETY: it is not used again: the state says so before anybody looks.
        unsafe { self.pointer::<Function::Future>().drop_in_place() };
        words::put_byte(&self.state, FREE);
    }

    /// The future's place.
    #[inline(always)]
    fn pointer<F>(&self) -> *mut F {
        const { assert!(size_of::<F>() == SIZE && align_of::<F>() == ALIGN) };
        self.future.get().cast()
    }
}

#[cfg(test)]
mod tests;
