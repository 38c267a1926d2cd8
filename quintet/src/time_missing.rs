//! Without the feature `time`: the names that it adds, so that the error names the feature.
//!
//! For paths, such as `quintet::time::delay`, the compiler names the feature by itself.

#[cfg(threads)]
use crate::{
    sync::channel::{Channel, Full, Receiver, Sender},
    sync::mailbox::Occupied,
    sync::pool::{Block, OutOfMemory, Pool},
    sync::rwlock::{ReadGuard, RwLock, WriteGuard},
    sync::thread_flags::OwnFlags,
    sync::thread_mutex::{LockError, Protocol, Recursion, ThreadMutex, ThreadMutexGuard},
    sync::{Barrier, Condvar, Flags, Mailbox, Permit, Semaphore, Signal},
    thread::{JoinError, This, Thread},
};

/// Refuses a source of time. Its name then has only the function that starts it.
#[doc(hidden)]
#[macro_export]
macro_rules! __time_refused {
    ($visibility:vis $name:ident $start:item) => {
        ::core::compile_error!(
            "a source of time needs the feature `time` of quintet: enable it in Cargo.toml, as in \
             `quintet = { version = \"..\", features = [\"time\"] }`"
        );

        $visibility struct $name;

        impl $name {
            #[allow(dead_code)]
            $start
        }
    };
}

/// Refuses a source of time, as the feature `time` is off.
#[macro_export]
macro_rules! systick_timer {
    ($(#[$attribute:meta])* $visibility:vis $name:ident $($rest:tt)*) => {
        $crate::__time_refused! { $visibility $name $visibility fn start<T>(_: T) {} }
    };
}

/// Refuses a source of time, as the feature `time` is off.
#[macro_export]
macro_rules! systick_tick {
    ($(#[$attribute:meta])* $visibility:vis $name:ident $($rest:tt)*) => {
        $crate::__time_refused! { $visibility $name $visibility fn start<T>(_: T) {} }
    };
}

/// Refuses a source of time, as the feature `time` is off.
#[macro_export]
macro_rules! timer_source {
    ($(#[$attribute:meta])* $visibility:vis $name:ident $($rest:tt)*) => {
        $crate::__time_refused! { $visibility $name $visibility unsafe fn start() {} }
    };
}

/// A trait that no type implements without the feature.
#[cfg(threads)]
#[diagnostic::on_unimplemented(
    message = "waiting for a time needs the feature `time` of quintet",
    label = "enable the feature `time` of quintet in Cargo.toml",
    note = "as in `quintet = {{ version = \"..\", features = [\"time\"] }}`"
)]
pub trait FeatureTime {}

#[cfg(threads)]
impl crate::thread::This<'_> {
    /// Refuses to wait.
    #[doc(hidden)]
    pub fn delay<T: FeatureTime>(&self, _: T) {}

    /// Refuses to wait.
    #[doc(hidden)]
    pub fn delay_until<T: FeatureTime>(&self, _: T) {}
}

/// The error of a wait until a time. Without the feature, no wait comes that far.
#[cfg(threads)]
#[derive(Debug)]
pub struct NoTime;

/// Gives objects the calls that wait until a time, and refuses each call. The arguments are the
/// parameters before the time, and the type that the call returns.
#[cfg(threads)]
macro_rules! refuse_times {
    ($({ $($generics:tt)* } $object:ty {
        $($until:ident, $timeout:ident($($before:ty),*) -> $granted:ty;)*
    })*) => { $(
        impl<$($generics)*> $object { $(
            refuse_times!(@$until($($before),*) -> $granted);
            refuse_times!(@$timeout($($before),*) -> $granted);
        )* }
    )* };
    (@$name:ident() -> $granted:ty) => {
        /// Refuses to wait.
        #[doc(hidden)]
        pub fn $name<Time: FeatureTime>(&self, _: Time) -> $granted {
            unreachable!("nothing implements `FeatureTime`")
        }
    };
    (@$name:ident($before:ty) -> $granted:ty) => {
        /// Refuses to wait.
        #[doc(hidden)]
        pub fn $name<Time: FeatureTime>(&self, _: $before, _: Time) -> $granted {
            unreachable!("nothing implements `FeatureTime`")
        }
    };
    (@$name:ident($first:ty, $second:ty) -> $granted:ty) => {
        /// Refuses to wait.
        #[doc(hidden)]
        pub fn $name<Time: FeatureTime>(&self, _: $first, _: $second, _: Time) -> $granted {
            unreachable!("nothing implements `FeatureTime`")
        }
    };
}

#[cfg(threads)]
refuse_times! {
    {T, const N: usize} Channel<T, N> {
        send_blocking_until, send_blocking_timeout(T, &This<'_>) -> Result<(), Full<T>>;
        receive_blocking_until, receive_blocking_timeout(&This<'_>) -> Result<T, NoTime>;
    }
    {T, const N: usize} Sender<'_, T, N> {
        send_blocking_until, send_blocking_timeout(T, &This<'_>) -> Result<(), Full<T>>;
    }
    {T, const N: usize} Receiver<'_, T, N> {
        receive_blocking_until, receive_blocking_timeout(&This<'_>) -> Result<T, NoTime>;
    }
    {} This<'_> {
        park_until, park_timeout() -> Result<(), NoTime>;
    }
    {} Thread {
        join_until, join_timeout(&This<'_>) -> Result<(), JoinError>;
    }
    {} Barrier {
        wait_blocking_until, wait_blocking_timeout(&This<'_>) -> Result<bool, NoTime>;
    }
    {} Flags {
        wait_any_blocking_until, wait_any_blocking_timeout(u32, &This<'_>) -> Result<u32, NoTime>;
        wait_all_blocking_until, wait_all_blocking_timeout(u32, &This<'_>) -> Result<u32, NoTime>;
        take_any_blocking_until, take_any_blocking_timeout(u32, &This<'_>) -> Result<u32, NoTime>;
        take_all_blocking_until, take_all_blocking_timeout(u32, &This<'_>) -> Result<u32, NoTime>;
    }
    {} OwnFlags<'_> {
        wait_any_blocking_until, wait_any_blocking_timeout(u32) -> Result<u32, NoTime>;
        wait_all_blocking_until, wait_all_blocking_timeout(u32) -> Result<u32, NoTime>;
        take_any_blocking_until, take_any_blocking_timeout(u32) -> Result<u32, NoTime>;
        take_all_blocking_until, take_all_blocking_timeout(u32) -> Result<u32, NoTime>;
    }
    {T} Mailbox<T> {
        post_blocking_until, post_blocking_timeout(T, &This<'_>) -> Result<(), Occupied<T>>;
        take_blocking_until, take_blocking_timeout(&This<'_>) -> Result<T, NoTime>;
    }
    {T, const N: usize} Pool<T, N> {
        alloc_blocking_until, alloc_blocking_timeout(T, &This<'_>)
            -> Result<Block<T, N>, OutOfMemory<T>>;
    }
    {T: ?Sized} RwLock<T> {
        read_blocking_until, read_blocking_timeout(&This<'_>) -> Result<ReadGuard<'_, T>, NoTime>;
        write_blocking_until, write_blocking_timeout(&This<'_>)
            -> Result<WriteGuard<'_, T>, NoTime>;
    }
    {} Semaphore {
        take_blocking_until, take_blocking_timeout(&This<'_>) -> Result<(), NoTime>;
        acquire_blocking_until, acquire_blocking_timeout(&This<'_>) -> Result<Permit<'_>, NoTime>;
    }
    {T} Signal<T> {
        wait_blocking_until, wait_blocking_timeout(&This<'_>) -> Result<T, NoTime>;
    }
    {T: ?Sized, P: Protocol, R: Recursion} ThreadMutex<T, P, R> {
        lock_blocking_until, lock_blocking_timeout(&This<'_>)
            -> Result<ThreadMutexGuard<'_, T, P, R>, LockError>;
    }
    {} Condvar {
        wait_blocking_until, wait_blocking_timeout(
            ThreadMutexGuard<'_, impl ?Sized, impl Protocol>, &This<'_>
        ) -> ((), Result<(), NoTime>);
    }
}
