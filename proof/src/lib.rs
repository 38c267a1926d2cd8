//! What proves Quintet, and doesn't ship: models, random programs, mistakes on purpose, and the
//! firmware that they run, in `firmware/`.
//!
//! `docs/proven.md` says what each of them proves. Tests in `tests/` are short versions of the
//! commands, and programs of one behaviour each.

pub mod bounds;
pub mod campaign;
pub mod charts;
pub mod collections;
pub mod command;
pub mod cross;
pub mod emulate;
pub mod firmware;
pub mod hostile;
pub mod isolation;
pub mod masks;
pub mod mutants;
pub mod qemu;
pub mod random;
pub mod random_bounds;
pub mod random_code;
pub mod riscv;
pub mod specification;
