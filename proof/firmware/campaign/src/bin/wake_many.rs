//! Wakes of tasks on a level of one and on a level of eight, whose slots have bits.
#![no_std]
#![no_main]

campaign::waking! { e f g h }
