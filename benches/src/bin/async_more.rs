//! Group `async`: the same with more tasks on the waiter's level, which only wait.

#![no_std]
#![no_main]

quintet_bench_common::with_fillers! {
    (quintet_benches::async_scenario!) {}
}
