//! A message of each level, and of many types.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};
use {defmt_rtt as _, lm3s6965 as _, panic_probe as _};

static TIME: AtomicU32 = AtomicU32::new(0);

defmt::timestamp!("{=u32:us}", TIME.fetch_add(1_000, Ordering::Relaxed));

#[derive(defmt::Format)]
enum Shape {
    Circle { radius: u16 },
    Point,
}

#[cortex_m_rt::entry]
fn main() -> ! {
    defmt::println!("a line without a level");
    defmt::trace!("from {=str}", "flash");
    defmt::debug!("{=[u8]:#04x} {=bool} {=f32}", [1, 0, 254], true, 1.5);
    defmt::info!("{} {}", Shape::Circle { radius: 300 }, Shape::Point);
    defmt::warn!("{=i64} {=char} {=0..4}", -1_000_000_000_000, 'ß', 0b1011_u8);
    defmt::error!("{=[?]} {}", [Shape::Point, Shape::Point], Some(7_u8));
    semihosting::process::exit(0)
}
