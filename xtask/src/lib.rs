//! Checks of the tree itself.

pub mod book;
pub mod bounds;
pub mod browser;
pub mod campaign;
pub mod charts;
pub mod collections;
pub mod command;
pub mod cross;
pub mod dependencies;
pub mod emulate;
pub mod figures;
pub mod hals;
pub mod hostile;
pub mod isolation;
pub mod markdown;
pub mod masks;
pub mod mutants;
pub mod new;
pub mod package;
pub mod pages;
pub mod random_bounds;
pub mod random_code;
pub mod riscv;
pub mod specification;
pub mod tidy;
pub mod web;
