//! Prints on both semihosting channels and ends well.
#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    semihosting::println!("hello from the simulator");
    semihosting::eprintln!("and from its error channel");
    semihosting::process::exit(0)
}
