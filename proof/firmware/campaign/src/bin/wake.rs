//! Wakes of tasks on a level of one and on a level of four, whose slots have flags.
#![no_std]
#![no_main]

campaign::waking! {}
