//! The drivers of the kernel for tests.

#![expect(unsafe_code, reason = "it reads and writes what is lent, as a kernel does")]

use std::boxed::Box;
use std::collections::VecDeque;
use std::string::String;
use std::vec::Vec;

use super::{Arrival, Kernel};
use crate::system::class;
use crate::{ErrorCode, alarm, buttons, console, leds, low_level_debug, random, temperature};

/// The answer of a driver: no word, or one, two or three words.
type Answer = Result<Vec<u32>, ErrorCode>;

/// A driver that a test defines.
pub type Custom = Box<dyn FnMut(&mut Call<'_>) -> Answer>;

/// How long the writing of a byte takes, in microseconds.
const BYTE: u64 = 100;
/// How long a reading takes.
const READING: u64 = 1000;
/// The number of LEDs.
const LEDS: u32 = 4;
const BUTTONS: u32 = 2;

/// The state of the drivers.
#[derive(Default)]
pub struct Drivers {
    pub printed: String,
    pub pieces: Vec<String>,
    pub debugged: Vec<[u32; 3]>,
    pub leds: u32,
    pub temperature: i32,
    pressed: u32,
    enabled: u32,
    input: VecDeque<(u64, u8)>,
    random: u32,
    /// The time that the alarm is set for.
    alarm: Option<u64>,
    writes: bool,
    reads: bool,
}

impl Drivers {
    /// How many numbers a driver has for a class of calls; `None` if there is no such driver.
    pub fn slots(class: u8, driver: u32) -> Option<u32> {
        let of = |subscribe, read_write, read_only| match class {
            class::SUBSCRIBE => subscribe,
            class::READ_WRITE => read_write,
            _ => read_only,
        };
        match driver {
            alarm::DRIVER | buttons::DRIVER | temperature::DRIVER => Some(of(1, 0, 0)),
            console::DRIVER => Some(of(3, 2, 2)),
            random::DRIVER => Some(of(1, 1, 0)),
            leds::DRIVER | low_level_debug::DRIVER => Some(0),
            _ => None,
        }
    }

    pub fn input(&mut self, microseconds: u64, text: &str) {
        let times = (microseconds..).step_by(BYTE as usize);
        self.input.extend(times.zip(text.bytes()));
    }

    /// Handles an upcall whose time has come. Returns `true` if the upcall comes.
    pub fn comes(&mut self, arrival: &Arrival, now: u64) -> bool {
        match *arrival {
            // Another alarm has taken its place.
            (alarm::DRIVER, ..) => self.alarm.take_if(|when| *when <= now).is_some(),
            (buttons::DRIVER, _, [which, pressed, _]) => {
                self.pressed = self.pressed & !(1 << which) | pressed << which;
                self.enabled >> which & 1 != 0
            }
            (console::DRIVER, 1, _) => {
                self.writes = false;
                true
            }
            (console::DRIVER, 2, _) => core::mem::take(&mut self.reads),
            _ => true,
        }
    }

    /// The bytes of the read that this upcall ends.
    pub fn bytes(&mut self, arrival: &Arrival) -> Vec<u8> {
        match *arrival {
            (console::DRIVER, 2, [0, size, _]) => {
                let size = self.input.len().min(size as usize);
                self.input.drain(..size).map(|(_, byte)| byte).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// A command, as a driver sees it.
#[derive(Debug)]
pub struct Call<'a> {
    pub(super) kernel: &'a mut Kernel,
    pub(super) driver: u32,
    /// The command's number.
    pub number: u32,
    /// The command's first argument.
    pub first: u32,
    /// The command's second argument.
    pub second: u32,
}

impl Call<'_> {
    /// Sends an upcall of the driver after `microseconds`.
    pub fn upcall(&mut self, number: u32, words: [u32; 3], microseconds: u64) {
        let when = self.kernel.time + microseconds;
        self.kernel.say(when, (self.driver, number, words));
    }

    /// Returns the bytes that the application lends for reading, under a number.
    #[must_use]
    pub fn read(&self, number: u32) -> Vec<u8> {
        let lent = self.kernel.lent.get(&(class::READ_ONLY, self.driver, number));
        let Some(&(address, length)) = lent.filter(|(_, length)| *length > 0) else {
            return Vec::new();
        };
        let bytes = core::ptr::with_exposed_provenance::<u8>(address);
        // SAFETY: the application lends it.
        unsafe { core::slice::from_raw_parts(bytes, length) }.to_vec()
    }

    /// Writes to the buffer that the application lends for writing, under a number. Returns how
    /// many bytes there was room for.
    pub fn write(&mut self, number: u32, bytes: &[u8]) -> usize {
        let lent = self.kernel.lent.get(&(class::READ_WRITE, self.driver, number));
        let Some(&(address, length)) = lent else { return 0 };
        let count = length.min(bytes.len());
        store(address, &bytes[..count]);
        count
    }

    /// The size of the buffer that is lent for writing, under a number.
    fn room(&self, number: u32) -> usize {
        self.kernel.lent.get(&(class::READ_WRITE, self.driver, number)).map_or(0, |lent| lent.1)
    }
}

/// Writes to memory of the application.
pub fn store(address: usize, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    let place = core::ptr::with_exposed_provenance_mut::<u8>(address);
    // SAFETY: the application lends it.
    unsafe { place.copy_from(bytes.as_ptr(), bytes.len()) };
}

/// Calls a function of the application.
pub fn upcall(function: usize, words: [u32; 3], data: usize) {
    type Function = extern "C" fn(usize, usize, usize, usize);
    let function = core::ptr::with_exposed_provenance::<()>(function);
    // SAFETY: it was subscribed as one.
    let function = unsafe { core::mem::transmute::<*const (), Function>(function) };
    let [first, second, third] = words.map(|word| word as usize);
    function(first, second, third, data);
}

/// A command of a built-in driver.
pub fn command(call: &mut Call<'_>) -> Answer {
    match call.driver {
        alarm::DRIVER => of_alarm(call),
        console::DRIVER => of_console(call),
        leds::DRIVER => of_leds(call),
        buttons::DRIVER => of_buttons(call),
        low_level_debug::DRIVER => {
            let said = [call.number, call.first, call.second];
            call.kernel.drivers.debugged.push(said);
            Ok(Vec::new())
        }
        random::DRIVER => of_random(call),
        temperature::DRIVER if call.number == 1 => {
            let reading = call.kernel.drivers.temperature as u32;
            call.upcall(0, [reading, 0, 0], READING);
            Ok(Vec::new())
        }
        temperature::DRIVER => exists(call),
        _ => Err(ErrorCode::NoDevice),
    }
}

/// Command 0, for drivers whose command 0 returns no value.
fn exists(call: &Call<'_>) -> Answer {
    if call.number == 0 { Ok(Vec::new()) } else { Err(ErrorCode::NoSupport) }
}

fn of_alarm(call: &mut Call<'_>) -> Answer {
    let now = call.kernel.time;
    match call.number {
        1 => Ok(Vec::from([1_000_000])),
        2 => Ok(Vec::from([now as u32])),
        6 => {
            let (reference, ticks) = (call.first, call.second);
            let gone = (now as u32).wrapping_sub(reference);
            let left = u64::from(ticks.saturating_sub(gone));
            call.kernel.drivers.alarm = Some(now + left);
            call.upcall(0, [reference, reference.wrapping_add(ticks), 0], left);
            Ok(Vec::from([reference.wrapping_add(ticks)]))
        }
        _ => exists(call),
    }
}

fn of_console(call: &mut Call<'_>) -> Answer {
    match call.number {
        1 if call.kernel.drivers.writes => Err(ErrorCode::Busy),
        1 => {
            let mut bytes = call.read(1);
            bytes.truncate(call.first as usize);
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let drivers = &mut call.kernel.drivers;
            drivers.writes = true;
            drivers.printed.push_str(&text);
            drivers.pieces.push(text);
            call.upcall(1, [bytes.len() as u32, 0, 0], BYTE * bytes.len() as u64);
            Ok(Vec::new())
        }
        2 => begin_read(call),
        3 => {
            if call.kernel.drivers.reads {
                // What was to come is not this read's any more.
                call.kernel.coming.retain(|_, arrival| (arrival.0, arrival.1) != (1, 2));
                call.upcall(2, [ErrorCode::Cancel as u32, 0, 0], 0);
            }
            Ok(Vec::new())
        }
        _ => exists(call),
    }
}

fn begin_read(call: &mut Call<'_>) -> Answer {
    let size = call.room(1).min(call.first as usize);
    let now = call.kernel.time;
    let drivers = &mut call.kernel.drivers;
    if drivers.reads {
        return Err(ErrorCode::Busy);
    }
    if size == 0 || size > console::READ_MAX {
        return Err(ErrorCode::Invalid);
    }
    drivers.reads = true;
    // What came while nobody read is lost.
    drivers.input.retain(|(when, _)| *when >= now);
    if let Some(&(last, _)) = drivers.input.get(size - 1) {
        call.upcall(2, [0, size as u32, 0], last - now);
    }
    Ok(Vec::new())
}

fn of_leds(call: &mut Call<'_>) -> Answer {
    let (which, leds) = (call.first, &mut call.kernel.drivers.leds);
    if call.number == 0 {
        return Ok(Vec::from([LEDS]));
    }
    if which >= LEDS {
        return Err(ErrorCode::Invalid);
    }
    match call.number {
        1 => *leds |= 1 << which,
        2 => *leds &= !(1 << which),
        3 => *leds ^= 1 << which,
        4 => return Ok(Vec::from([*leds >> which & 1])),
        _ => return Err(ErrorCode::NoSupport),
    }
    Ok(Vec::new())
}

fn of_buttons(call: &mut Call<'_>) -> Answer {
    let (which, drivers) = (call.first, &mut call.kernel.drivers);
    if call.number == 0 {
        return Ok(Vec::from([BUTTONS]));
    }
    if which >= BUTTONS {
        return Err(ErrorCode::Invalid);
    }
    match call.number {
        1 => drivers.enabled |= 1 << which,
        2 => drivers.enabled &= !(1 << which),
        3 => return Ok(Vec::from([drivers.pressed >> which & 1])),
        _ => return Err(ErrorCode::NoSupport),
    }
    Ok(Vec::new())
}

fn of_random(call: &mut Call<'_>) -> Answer {
    if call.number != 1 {
        return exists(call);
    }
    let size = call.room(0).min(call.first as usize);
    let mut bytes = Vec::new();
    for _ in 0..size {
        let random = &mut call.kernel.drivers.random;
        *random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        bytes.push((*random >> 24) as u8);
    }
    call.write(0, &bytes);
    call.upcall(0, [0, size as u32, 0], READING);
    Ok(Vec::new())
}
