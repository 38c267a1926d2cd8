//! The counters of cycles that a debugger can read on a chip.

use super::store;
use crate::gdb::client::Remote;
use anyhow::{Context, ensure};

/// Debug exception and monitor control, with the bit that switches the trace unit on.
const DEMCR: u32 = 0xe000_edfc;
const TRACE_ENABLE: u32 = 1 << 24;
/// The control register of the trace unit, with the bits that start the counter, and that say that
/// there is none.
const DWT_CTRL: u32 = 0xe000_1000;
const COUNTER_ENABLE: u32 = 1;
const NO_COUNTER: u32 = 1 << 25;
/// The cycle counter.
const CYCCNT: u32 = 0xe000_1004;

/// SysTick's control, reload value and current value.
const SYST_CSR: u32 = 0xe000_e010;
const SYST_RVR: u32 = 0xe000_e014;
const SYST_CVR: u32 = 0xe000_e018;
/// Counts the processor's clock, without an interrupt.
const SYST_RUNS: u32 = 5;
/// Counts, or has an interrupt.
const SYST_USED: u32 = 3;
/// The bits of SysTick, and its longest period.
const SYST_MAX: u32 = 0xff_ffff;

/// A counter of cycles.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Counter {
    /// The cycle counter of the trace unit: ARMv7-M and ARMv8-M Mainline have it
    #[default]
    Cyccnt,
    /// SysTick, where the firmware doesn't use it: a Cortex-M0 and M0+ have nothing else. Up to
    /// 16 777 215 cycles
    Systick,
}

impl Counter {
    /// The counter's name in the manuals.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cyccnt => "DWT_CYCCNT",
            Self::Systick => "SysTick",
        }
    }

    /// Starts the counter, and makes sure that there is one.
    pub fn start(self, remote: &mut Remote) -> anyhow::Result<()> {
        match self {
            Self::Cyccnt => start_cycle_counter(remote),
            Self::Systick => start_systick(remote),
        }
    }

    /// Reads the counter.
    pub fn read(self, remote: &mut Remote) -> anyhow::Result<u32> {
        if self == Self::Cyccnt {
            return remote.word(CYCCNT);
        }
        ensure!(
            is_full(remote)?,
            "the firmware has set SysTick, which --counter systick counts with: measure with \
             --counter cyccnt, or without what sets SysTick"
        );
        remote.word(SYST_CVR)
    }

    /// Returns the cycles between two readings, which is right for less than a whole period.
    pub const fn between(self, began: u32, ended: u32) -> u64 {
        match self {
            Self::Cyccnt => ended.wrapping_sub(began) as u64,
            Self::Systick => (began.wrapping_sub(ended) & SYST_MAX) as u64,
        }
    }
}

fn start_cycle_counter(remote: &mut Remote) -> anyhow::Result<()> {
    let advice = "a Cortex-M0, M0+ or M23 has none, nor have QEMU's processors; --counter systick \
                  takes SysTick in its place";
    let start = |remote: &mut Remote| -> anyhow::Result<u32> {
        let demcr = remote.word(DEMCR)?;
        remote.write_word(DEMCR, demcr | TRACE_ENABLE)?;
        let control = remote.word(DWT_CTRL)?;
        remote.write_word(DWT_CTRL, control | COUNTER_ENABLE)?;
        remote.word(DWT_CTRL)
    };
    let control = start(remote).with_context(|| {
        format!("the processor's cycle counter, CYCCNT at {CYCCNT:#x}, can't be reached: {advice}")
    })?;
    ensure!(
        control & COUNTER_ENABLE != 0 && control & NO_COUNTER == 0,
        "the processor has no cycle counter: DWT_CTRL is {control:#010x} after it was asked to \
         count; {advice}"
    );
    Ok(())
}

fn start_systick(remote: &mut Remote) -> anyhow::Result<()> {
    if is_full(remote)? {
        // The firmware has started it as it is needed here.
        return Ok(());
    }
    ensure!(
        remote.word(SYST_CSR)? & SYST_USED == 0,
        "the firmware uses SysTick itself, so that --counter systick can't count with it: measure \
         with --counter cyccnt, or what comes before SysTick is set"
    );
    let registers = [(SYST_RVR, SYST_MAX), (SYST_CVR, 0), (SYST_CSR, SYST_RUNS)];
    let start = |remote: &mut Remote| -> anyhow::Result<bool> {
        registers.iter().try_for_each(|(at, value)| remote.write_word(*at, *value))?;
        if !is_full(remote)? {
            // QEMU drops what a debugger writes to registers of devices.
            let mut all = registers.iter();
            all.try_for_each(|(at, value)| store::by_processor(remote, *at, *value))?;
        }
        is_full(remote)
    };
    let advice = format!(
        "SysTick can't be started; let the firmware start it with the period {SYST_MAX:#x}, by the \
         processor's clock and without an interrupt"
    );
    let has_started = start(remote).with_context(|| advice.clone())?;
    ensure!(has_started, "{advice}");
    Ok(())
}

/// Whether SysTick counts cycles in its longest period, without an interrupt.
fn is_full(remote: &mut Remote) -> anyhow::Result<bool> {
    let (control, reload) = (remote.word(SYST_CSR)?, remote.word(SYST_RVR)?);
    Ok(control & 7 == SYST_RUNS && reload & SYST_MAX == SYST_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    /// A server of a chip whose memory is 0 whatever is written.
    fn deaf() -> Remote {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let (mut packet, mut byte) = (Vec::new(), [0]);
            while stream.read(&mut byte).is_ok_and(|count| count > 0) {
                if byte[0] == b'$' {
                    packet.clear();
                }
                packet.push(byte[0]);
                if byte[0] != b'#' {
                    continue;
                }
                let asked = String::from_utf8_lossy(&packet[1..packet.len() - 1]).into_owned();
                let length = asked.split(',').nth(1).and_then(|digits| digits.parse().ok());
                let answer = match asked.as_bytes()[0] {
                    b'?' => "S05".to_owned(),
                    b'm' => "00".repeat(length.unwrap_or(0)),
                    b'g' => "00".repeat(64),
                    b'M' | b'P' => "OK".to_owned(),
                    _ => String::new(),
                };
                let sum = answer.bytes().fold(0_u8, u8::wrapping_add);
                let _ = stream.write_all(format!("+${answer}#{sum:02x}").as_bytes());
            }
        });
        Remote::connect(&address).unwrap()
    }

    #[test]
    fn a_counter_that_cannot_be_started_is_told() {
        let said = |counter: Counter| format!("{:#}", counter.start(&mut deaf()).unwrap_err());
        let systick = said(Counter::Systick);
        assert!(systick.starts_with("SysTick can't be started; let the firmware"), "{systick}");
        let neither = "neither by the debugger, nor by code that it writes to 0x00000000";
        assert!(systick.contains(neither), "{systick}");
        assert!(said(Counter::Cyccnt).contains("the processor has no cycle counter"));
    }

    #[test]
    fn counters_begin_anew() {
        assert_eq!(Counter::Cyccnt.between(0xffff_fff0, 0x10), 0x20);
        assert_eq!(Counter::Systick.between(0x10, 0xff_fff0), 0x20);
        assert_eq!(Counter::Systick.between(0x20, 0x10), 0x10);
    }
}
