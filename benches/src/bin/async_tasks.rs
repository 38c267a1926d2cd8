//! Group `async`: what waking, spawning and sending cost in Quintet.

#![no_std]
#![no_main]

quintet_benches::async_scenario! {
    /// There is nothing else on the waiter's level.
    fn spawn_more() {}
}
