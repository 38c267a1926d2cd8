//! Makes the calls that a script says: the same program, at another place.
#![no_std]
#![no_main]

#[unsafe(no_mangle)]
extern "C" fn main() {
    process_apps::script::run()
}
