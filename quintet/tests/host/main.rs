//! State machines under test on the host: what a test sees of them, and what it says when it fails.

mod both_forms;
mod ends;
mod forms;
mod generic;
mod hooks;
mod incubator;
mod incubator_tests;
mod machines;
mod messages;
mod offer_and_stop;
mod seen;
mod time;
mod unusual_outcomes;

quintet::virtual_clock!();
