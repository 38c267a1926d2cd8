//! Prints its command line, one argument on a line.
#![no_std]
#![no_main]

#[cortex_m_rt::entry]
fn main() -> ! {
    let arguments = semihosting::experimental::env::args::<256>().unwrap();
    for argument in &arguments {
        semihosting::println!("argument {}", argument.unwrap());
    }
    semihosting::process::exit(0)
}
