//! Drivers of devices, and the functions by which an application serves them.

mod console {
    // begin: console
    use lm3s6965::Interrupt;
    use quintet::process::console::Console;

    static CONSOLE: Console<4> = Console::new(|| quintet::pend(Interrupt::UART0));

    /// The task of the UART's interrupt calls this, with your functions for the transmitter.
    fn serve(has_room: fn() -> bool, send: fn(u8), received: Option<u8>) {
        while has_room() {
            let Some(byte) = CONSOLE.next_byte() else { break };
            send(byte);
        }
        if let Some(byte) = received {
            CONSOLE.receive(byte);
        }
    }
    // end: console
}

mod gpio {
    // begin: gpio
    use core::sync::atomic::{AtomicU32, Ordering};
    use quintet::process::gpio::{Edges, Gpio, Pins, Setting};

    /// The levels of 8 pins, in place of the registers of a port.
    static LEVELS: AtomicU32 = AtomicU32::new(0);

    /// Pins for up to 4 processes, with your functions for the port.
    static GPIO: Gpio<4, 8> = Gpio::new(Pins { set_up, write, read, listen });

    fn set_up(_pin: usize, setting: Setting) {
        match setting {
            // Let the port drive the pin.
            Setting::Output => {}
            // Let the port read the pin, with this pull.
            Setting::Input(_pull) => {}
            // Switch the pin off.
            Setting::Off => {}
        }
    }

    fn write(pin: usize, level: bool) {
        let levels = LEVELS.load(Ordering::Relaxed) & !(1 << pin);
        LEVELS.store(levels | u32::from(level) << pin, Ordering::Relaxed);
    }

    fn read(pin: usize) -> bool {
        LEVELS.load(Ordering::Relaxed) >> pin & 1 != 0
    }

    fn listen(_pin: usize, _edges: Edges) {
        // Let the port interrupt at these edges.
    }

    /// The task of the port's interrupt calls this.
    fn changed(pin: usize) {
        GPIO.changed(pin, read(pin));
    }
    // end: gpio
}

mod buttons {
    // begin: buttons
    use core::sync::atomic::{AtomicU32, Ordering};
    use quintet::process::buttons::Buttons;

    /// The levels of 2 buttons, in place of the register of a port.
    static PRESSED: AtomicU32 = AtomicU32::new(0);

    static BUTTONS: Buttons<4, 2> = Buttons::new(is_pressed);

    fn is_pressed(button: usize) -> bool {
        PRESSED.load(Ordering::Relaxed) >> button & 1 != 0
    }

    /// The task of a button's interrupt calls this.
    fn changed(button: usize) {
        BUTTONS.changed(button, is_pressed(button));
    }
    // end: buttons
}

mod leds {
    // begin: leds
    use core::sync::atomic::{AtomicBool, Ordering};
    use quintet::process::leds::Leds;

    /// Two LEDs, in place of the pins of a port.
    static LIT: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

    static LEDS: Leds<2> = Leds::new(|led, on| LIT[led].store(on, Ordering::Relaxed));
    // end: leds

    static _LISTED: quintet::process::Entry = quintet::process::Entry::of(&LEDS, 0);
}

mod low_level_debug {
    // begin: low_level_debug
    use quintet::process::low_level_debug::LowLevelDebug;
    use semihosting::println;

    /// Prints the messages, each with the process's name.
    static DEBUG: LowLevelDebug =
        LowLevelDebug::new(|process, said| println!("{}: {said}", process.name()));
    // end: low_level_debug

    static _LISTED: quintet::process::Entry = quintet::process::Entry::of(&DEBUG, 0);
}

mod random {
    // begin: random
    use lm3s6965::Interrupt;
    use quintet::process::random::Random;

    static RANDOM: Random<4> = Random::new(|| quintet::pend(Interrupt::GPIOB));

    /// The task of the generator's interrupt calls this with each word. Returns `true` if the
    /// generator must go on.
    fn drawn(word: u32) -> bool {
        RANDOM.provide(&word.to_le_bytes())
    }
    // end: random
}

mod temperature {
    // begin: temperature
    use lm3s6965::Interrupt;
    use quintet::process::temperature::Temperature;

    static TEMPERATURE: Temperature<4> = Temperature::new(|| quintet::pend(Interrupt::GPIOC));

    /// The task of the sensor's interrupt calls this with each reading: 2150 is 21.5 °C.
    fn measured(hundredths: i32) {
        TEMPERATURE.read(hundredths);
    }
    // end: temperature
}
