//! The functions `on_level_begin` and `on_level_end` are called around what each interrupt of the
//! application runs: a hardware task, a level of one, few and many slots, one within another where
//! they preempt; not around `init`, idle, and tasks of priority 0. Here they drive pins of port A.

#![no_std]
#![no_main]

// begin: hooks
mod activity {
    /// The data register of port A: bits 2 to 9 of the address say which pins are written.
    const PORT: usize = 0x4000_4000;

    /// Pin n is high while the level of priority n runs.
    pub fn begin(priority: u8) {
        set(priority, true);
    }

    pub fn end(priority: u8) {
        set(priority, false);
    }

    fn set(pin: u8, high: bool) {
        let mask = 1_u32 << pin;
        let register = PORT + ((mask as usize) << 2);
        // SAFETY: no other code writes these pins.
        unsafe { (register as *mut u32).write_volatile(if high { mask } else { 0 }) };
    }
    // end: hooks

    /// The pins that are high.
    pub fn pins() -> u32 {
        // SAFETY: reading has no effect.
        unsafe { ((PORT + 0x3fc) as *const u32).read_volatile() }
    }

    /// Makes all pins outputs.
    pub fn start() {
        for register in [0x400, 0x51c] {
            // SAFETY: no other code uses the port.
            unsafe { ((PORT + register) as *mut u32).write_volatile(0xff) };
        }
    }
    // begin: hooks
}

#[quintet::app(
    device = lm3s6965,
    dispatchers = [SSI0, UART1, UART0],
    on_level_begin = super::activity::begin,
    on_level_end = super::activity::end,
)]
mod app {
    // end: hooks
    use super::activity;
    use lm3s6965::Interrupt;
    use semihosting::println;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        activity::start();
        show("init");
        background::spawn().unwrap();
        one::spawn().unwrap();
        (Shared {}, Local {})
    }

    #[task]
    async fn background(_: background::Context) {
        show("priority 0");
        quintet::pend(Interrupt::GPIOA);
        show("priority 0 again");
        few::spawn().unwrap();
        show("at the end");
        semihosting::process::exit(0)
    }

    #[task(priority = 1)]
    async fn one(_: one::Context) {
        show("one");
        few::spawn().unwrap();
        show("one again");
    }

    #[task(priority = 2, instances = 2)]
    async fn few(_: few::Context) {
        show("few");
        many::spawn().unwrap();
        show("few again");
    }

    #[task(priority = 3, instances = 7)]
    async fn many(_: many::Context) {
        quintet::pend(Interrupt::GPIOA);
        show("many");
    }

    #[task(binds = GPIOA, priority = 4)]
    fn hardware(_: hardware::Context) {
        show("hardware");
    }

    fn show(place: &str) {
        println!("{place}: {:#07b}", activity::pins());
    }
    // begin: hooks
}
// end: hooks
