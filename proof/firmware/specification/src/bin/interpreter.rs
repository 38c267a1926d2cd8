//! The interpreter of a kernel that preempts.
#![no_std]
#![no_main]

quintet::__kernel_lock_of_threads!(specification::CEILING);
specification::interpreter!();
