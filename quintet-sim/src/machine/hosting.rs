//! The host's side of RTT of a machine with a Cortex-M.

use super::Machine;
use crate::bus::SystemBus;
use crate::rtt::{Hosting, Rtt};
use crate::semihosting::{Channel, Host};

impl Hosting for Machine {
    fn rtt(&self) -> &Rtt {
        &self.rtt
    }

    fn rtt_mut(&mut self) -> &mut Rtt {
        &mut self.rtt
    }

    fn bus(&self) -> &SystemBus {
        &self.processor.bus
    }

    fn bus_mut(&mut self) -> &mut SystemBus {
        &mut self.processor.bus
    }

    fn host(&self) -> &Host {
        &self.host
    }

    fn host_mut(&mut self) -> &mut Host {
        &mut self.host
    }

    fn now(&self) -> u64 {
        self.cycle()
    }

    fn collect_sent(&mut self) {
        for (device, bytes) in self.processor.bus.take_sent() {
            self.host.print(Channel::Device(device), &bytes);
        }
        for (port, byte) in self.processor.system.itm.take_output() {
            self.host.print(Channel::Itm(port), &[byte]);
        }
    }
}
