//! Sleep in thread mode, with one task of priority 0.
#![no_std]
#![no_main]

campaign::one_sleeper!(task = 0, low = 1);
