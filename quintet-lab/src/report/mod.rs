//! What people read: the post-mortem of firmware that died, its faults in words, tables.

mod awaited;
pub mod death;
pub mod fault;
pub mod first_fault;
mod floating_point;
pub mod foreign;
pub mod instruction;
pub mod livelock;
pub mod markup;
pub mod missing;
pub mod page;
pub mod panic;
pub mod polling;
pub mod process_fault;
pub mod riscv;
pub mod room;
pub mod standstill;
pub mod stuck;
pub mod table;
pub mod thread;
pub mod trace;
pub mod trap;
pub mod waiting;
