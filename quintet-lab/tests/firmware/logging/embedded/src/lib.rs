//! Nothing but tests.
#![no_std]
