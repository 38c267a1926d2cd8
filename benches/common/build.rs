//! Gives the linker the memories of the board that the firmware is built for, and the names of its
//! interrupts.
//!
//! `cargo lab bench` names a linker script in `QUINTET_MEMORY`; without it the firmware is for an
//! STM32F100RB.

use std::path::PathBuf;
use std::{env, fs};

const STM32F100RB: &str = "MEMORY {
  FLASH : ORIGIN = 0x08000000, LENGTH = 128K
  RAM   : ORIGIN = 0x20000000, LENGTH = 8K
}
";

/// The interrupts that have a name in `device`; each has a handler, or the default one.
const INTERRUPTS: [&str; 21] = [
    "EXTI0",
    "EXTI1",
    "EXTI2",
    "EXTI3",
    "EXTI4",
    "DMA1",
    "DMA2",
    "DMA3",
    "DMA4",
    "DMA5",
    "DMA6",
    "TIM15",
    "TIM16",
    "TIM2",
    "TIM3",
    "TIM4",
    "USART1",
    "USART2",
    "EXTI15_10",
    "TIM6",
    "TIM7",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=QUINTET_MEMORY");
    let script = match env::var("QUINTET_MEMORY") {
        Ok(path) => {
            println!("cargo:rerun-if-changed={path}");
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("can't read {path}: {error}"))
        }
        Err(_) => STM32F100RB.to_owned(),
    };
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("memory.x"), script).expect("OUT_DIR can be written");
    let handlers = INTERRUPTS.map(|name| format!("PROVIDE({name} = DefaultHandler);\n"));
    fs::write(out.join("device.x"), handlers.concat()).expect("OUT_DIR can be written");
    println!("cargo:rustc-link-search={}", out.display());
}
