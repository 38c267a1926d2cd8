//! A thermometer, Tock's driver 0x60000.
//!
//! | call | effect |
//! |---|---|
//! | command 1 | asks for a reading |
//! | subscribe 0 | the upcall: the reading, in hundredths of a degree Celsius |

use super::{Answer, Client, Clients, Driver, ErrorCode, Slots};

/// A thermometer for `N` processes.
///
/// ```
/// use lm3s6965::Interrupt;
/// use quintet::process::temperature::Temperature;
///
/// static TEMPERATURE: Temperature<4> = Temperature::new(|| quintet::pend(Interrupt::GPIOC));
///
/// /// The task of the sensor's interrupt calls this with each reading: 2150 is 21.5 °C.
/// fn measured(hundredths: i32) {
///     TEMPERATURE.read(hundredths);
/// }
/// ```
pub struct Temperature<const N: usize> {
    clients: Clients<N, (), 1>,
    kick: fn(),
}

debug_by_name!([const N: usize] Temperature<N>: "Temperature");

impl<const N: usize> Temperature<N> {
    /// Makes the driver. The driver calls `kick` in SVCall when a process wants a reading: let
    /// `kick` begin the work that ends with [`read`](Self::read).
    #[must_use]
    pub const fn new(kick: fn()) -> Self {
        Self { clients: Clients::new([(); N]), kick }
    }

    /// Gives a reading, in hundredths of a degree Celsius, to all processes that have asked since
    /// the last one. From every context that the kernel knows of.
    pub fn read(&'static self, hundredths: i32) {
        for client in self.clients.noted() {
            if self.clients.drop_note(client) {
                let _no_room = client.upcall(0, [hundredths as u32, 0, 0]);
            }
        }
    }
}

impl<const N: usize> Driver for Temperature<N> {
    const NUMBER: u32 = 0x6_0000;
    const PLACES: usize = N;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, command: u32, _: u32, _: u32) -> Answer {
        if command != 1 {
            return Answer::Failure(ErrorCode::NoSupport);
        }
        self.clients.note(client);
        (self.kick)();
        Answer::Success
    }

    fn forget(&'static self, client: Client) {
        self.clients.drop_note(client);
    }
}
