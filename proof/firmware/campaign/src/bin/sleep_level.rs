//! Sleep in thread mode without tasks of priority 0: only interrupts, and a level of one.
#![no_std]
#![no_main]

campaign::one_sleeper!(task = 1, low = 3, dispatchers = [SSI0]);
