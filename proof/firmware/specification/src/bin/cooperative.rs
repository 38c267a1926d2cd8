//! The interpreter of a kernel whose threads run until they wait.
#![no_std]
#![no_main]

quintet::__kernel_lock_of_threads!(specification::CEILING, cooperative);
specification::interpreter!();
