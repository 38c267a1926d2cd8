//! The commands behind GDB's `monitor`.

use std::fmt::Write;

use crate::debugger::Debugger;
use crate::firmware::Firmware;
use crate::report::death::{Cause, examine};
use crate::svd::Register;

const HELP: &str = "\
monitor cycles              cycles and instructions since reset
monitor fault               the report about the fault that is being handled, as of `quintet run`
monitor register NAME       a register as RCC.CR, or those of RCC, with their fields (--svd FILE)
monitor reset               reset the board; the processor halts before its first instruction
monitor maskints [on|off]   whether steps (stepi, step, next) hold interrupts off, as at first
monitor help                this list
";

const NO_SVD: &str = "\
no names of registers are known: start with `quintet run --gdb --svd FILE`, the file in which the
chip's maker describes its registers
";

const NO_FAULT: &str = "no fault is being handled\n";

/// The exceptions of faults: HardFault to UsageFault.
const FAULTS: std::ops::RangeInclusive<u16> = 3..=6;

const MASKED: &str = "\
maskints on: a step holds PendSV, SysTick and the interrupts off; they come when the program runs
";
const NOT_MASKED: &str = "maskints off: a step may end in the handler of an interrupt\n";

/// Runs a command. The answer is for people.
pub fn command(debugger: &mut Debugger, firmware: &Firmware, command: &str) -> String {
    let mut answer = String::new();
    match command.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["cycles"] => {
            let machine = debugger.machine();
            let (cycles, instructions) = (machine.cycle(), machine.instructions());
            // Writing to a string never fails.
            let _ = writeln!(answer, "{cycles} cycles, {instructions} instructions");
        }
        ["register", name] => answer.push_str(&registers(debugger, firmware, name)),
        ["fault"] => answer.push_str(&fault(debugger, firmware)),
        // Other servers need a word for the action after the reset. This one always halts.
        ["reset"] | ["reset", "halt" | "init"] => {
            debugger.reset();
            let _ = writeln!(answer, "reset, halted at {:#010x}", debugger.pc());
            answer.push_str("GDB shows old registers until `maintenance flush register-cache`\n");
        }
        ["maskints", rest @ ..] if matches!(rest, [] | ["on" | "off"]) => {
            if let [word] = rest {
                debugger.mask_steps(*word == "on");
            }
            answer.push_str(if debugger.masks_steps() { MASKED } else { NOT_MASKED });
        }
        ["help"] | [] => answer.push_str(HELP),
        _ => {
            let _ = write!(answer, "there is no `monitor {command}`\n{HELP}");
        }
    }
    answer
}

/// Registers of devices with their values, a line each.
fn registers(debugger: &Debugger, firmware: &Firmware, name: &str) -> String {
    let Some(svd) = &firmware.svd else { return NO_SVD.into() };
    let found = match svd.find(name) {
        Ok(found) => found,
        Err(error) => return format!("{error}\n"),
    };
    let line = |register: &&Register| {
        let lane = 8 * (register.address & 3);
        let word = debugger.machine().read_word(register.address & !3);
        let ones = u32::MAX >> (32 - 8 * register.bytes.min(4));
        let value = word.map(|word| register.in_words(word >> lane & ones));
        let value = value.unwrap_or_else(|| "the board has nothing there".into());
        format!("{:#010x} {} {value}\n", register.address, register.path())
    };
    found.iter().map(line).collect()
}

/// The report about the fault whose handler runs, or that has locked the processor up.
fn fault(debugger: &Debugger, firmware: &Firmware) -> String {
    let machine = debugger.machine();
    let active = machine.processor.registers.ipsr;
    let cause = match active {
        _ if machine.processor.is_locked_up() => Cause::Lockup,
        exception if FAULTS.contains(&exception) => Cause::FaultHandler { exception },
        _ => return NO_FAULT.into(),
    };
    examine(firmware, machine, &cause).text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debug::DebugInfo;
    use crate::svd::Svd;
    use quintet_sim::board::Board;
    use quintet_sim::image::Image;
    use quintet_sim::machine::Machine;
    use std::sync::Arc;

    /// Code that loads from where nothing is, and a HardFault handler that loops.
    fn faulty() -> Firmware {
        let mut words = vec![0x2000_1000, 0x41, 0x4d, 0x4d];
        words.resize(16, 0);
        // ldr r0, =0x70000000; ldr r0, [r0]; nop; nop; the literal; b .
        words.extend([0x6800_4801, 0xbf00_bf00, 0x7000_0000, 0xe7fe_e7fe]);
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        let image = Image::raw(&bytes, 0).unwrap();
        Firmware {
            path: "a.bin".into(),
            image,
            debug: DebugInfo::load(&[]),
            guests: Vec::new(),
            svd: None,
        }
    }

    #[test]
    fn registers_are_shown_with_their_fields() {
        let mut firmware = faulty();
        let machine = Machine::new(&Board::named("lm3s6965").unwrap());
        let mut debugger = Debugger::attach(machine);
        assert_eq!(command(&mut debugger, &firmware, "register UART0"), NO_SVD);
        let text = "<device><name>X</name><version>1</version><description>x</description>\
            <addressUnitBits>8</addressUnitBits><width>32</width><size>32</size><peripherals>\
            <peripheral><name>UART0</name><baseAddress>0x4000c000</baseAddress><registers>\
            <register><name>FR</name><addressOffset>0x18</addressOffset><fields>\
            <field><name>TXFE</name><bitRange>[7:7]</bitRange></field>\
            <field><name>RXFE</name><bitRange>[4:4]</bitRange></field></fields></register>\
            <register><name>AWAY</name><addressOffset>0x3000000</addressOffset></register>\
            </registers></peripheral></peripherals></device>";
        firmware.svd = Some(Arc::new(Svd::parse(text).unwrap()));
        let mut said = |words: &str| command(&mut debugger, &firmware, words);
        let flags = "0x4000c018 UART0.FR 0x00000090: RXFE 1, TXFE 1\n";
        assert_eq!(said("register uart0.fr"), flags);
        let both = said("register UART0");
        assert!(both.starts_with(flags), "{both}");
        assert!(both.ends_with("0x4300c000 UART0.AWAY the board has nothing there\n"), "{both}");
        assert_eq!(said("register X"), "no peripheral has the name \"X\"; there are UART0\n");
    }

    #[test]
    fn a_fault_is_reported_while_it_is_handled() {
        let firmware = faulty();
        let mut machine = Machine::new(&Board::named("lm3s6965").unwrap());
        machine.load_with_table(&firmware.image, None).unwrap();
        machine.reset();
        let mut debugger = Debugger::attach(machine);
        assert_eq!(command(&mut debugger, &firmware, "fault"), NO_FAULT);
        debugger.resume(1000);
        let text = command(&mut debugger, &firmware, "fault");
        for part in [
            "a fault at 0x00000042",
            "a load of 4 bytes from 0x70000000, where nothing is",
            "the handler of HardFault runs, at 0x0000004c in handler of NMI and HardFault",
            "Backtrace:",
        ] {
            assert!(text.contains(part), "no \"{part}\" in:\n{text}");
        }
    }
}
