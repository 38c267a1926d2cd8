//! A macro that expands to one of two forms of an application, by what the core has: the first form
//! where the core has threads, and the second otherwise.

/// An application with threads or processes, or what is left of it on a core without them.
#[cfg(threads)]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_threads {
    ({ $($application:tt)* } { $($refused:tt)* }) => { $($application)* };
}

#[cfg(not(threads))]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_threads {
    ({ $($application:tt)* } { $($refused:tt)* }) => { $($refused)* };
}
