//! The exceptions that a campaign pends.
//!
//! An interrupt that no code has enabled does not happen. An interrupt without a handler of its own
//! ends in the default handler. So "all" leaves both out, and both are refused if you ask for them.
//! The campaign checks enables and handlers at every point of the run, because start-up code
//! changes both.

use super::moment::{exception_named, label};
use crate::firmware::Firmware;
use crate::firmware::symbols::resolve;
use crate::report::fault::exception_name;
use anyhow::bail;
use quintet_sim::machine::Machine;
use quintet_sim::processor::exceptions::number::{FIRST_INTERRUPT, NMI, PEND_SV, SYS_TICK};
use std::collections::BTreeMap;

/// The names of default handlers.
const DEFAULT_NAMES: [&str; 5] = [
    "DefaultHandler",
    "DefaultHandler_",
    "Default_Handler",
    "default_handler",
    "Default_IRQHandler",
];

/// A handler that so many interrupts share is the default one.
const SHARED_BY: usize = 3;

/// The halfwords of a handler in which the search looks for a jump to itself.
const LOOP_WITHIN: u32 = 8;

/// SysTick's control register, and its bit that lets it pend its exception.
const SYST_CSR: u32 = 0xe000_e010;
const TICKINT: u32 = 1 << 1;

/// The exceptions that the scenario asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Wanted {
    /// Every enabled interrupt with a handler of its own. Of the other exceptions, those that are
    /// bound.
    All,
    /// One.
    Number(u16),
    /// Those whose vector leads to this handler.
    Handler { name: String, address: u32 },
}

/// Finds the exceptions of a campaign in the state of a machine.
pub struct Chooser<'a> {
    firmware: &'a Firmware,
    wanted: Vec<Wanted>,
    interrupts: u16,
    last: Option<(Key, usize)>,
    sets: Vec<Vec<u16>>,
}

/// The state on which the choice depends.
#[derive(Clone, PartialEq, Eq)]
struct Key {
    enabled: [u32; 8],
    vector_table: u32,
    ticks: bool,
}

impl Key {
    fn of(machine: &Machine) -> Self {
        let system = &machine.processor.system;
        let enabled = std::array::from_fn(|word| system.exceptions.enabled_word(word));
        let ticks = machine.read_word(SYST_CSR).unwrap_or(0) & TICKINT != 0;
        Self { enabled, vector_table: system.scb.vector_table, ticks }
    }
}

impl<'a> Chooser<'a> {
    /// Understands `texts`: `all`, names of exceptions, interrupts' numbers, names of handlers.
    pub fn new(firmware: &'a Firmware, interrupts: u16, texts: &[String]) -> anyhow::Result<Self> {
        let wanted = texts.iter().map(|text| Wanted::parse(firmware, interrupts, text));
        let wanted = wanted.collect::<anyhow::Result<_>>()?;
        Ok(Self { firmware, wanted, interrupts, last: None, sets: Vec::new() })
    }

    /// The index among [`Self::into_sets`] of the exceptions to pend now.
    pub fn choose(&mut self, machine: &Machine) -> usize {
        let key = Key::of(machine);
        if let Some((last, index)) = &self.last
            && *last == key
        {
            return *index;
        }
        let set = self.set(machine, &key);
        let index = self.sets.iter().position(|known| *known == set).unwrap_or_else(|| {
            self.sets.push(set);
            self.sets.len() - 1
        });
        self.last = Some((key, index));
        index
    }

    /// The sets of exceptions that were chosen.
    pub fn into_sets(self) -> Vec<Vec<u16>> {
        self.sets
    }

    fn set(&self, machine: &Machine, key: &Key) -> Vec<u16> {
        let vectors = Vectors::read(self.firmware, machine, self.interrupts);
        let table = &machine.processor.system.exceptions;
        let mut set = Vec::new();
        for wanted in &self.wanted {
            match wanted {
                Wanted::All => {
                    let happens = |exception: &u16| match *exception {
                        SYS_TICK => key.ticks,
                        exception => table.is_enabled(exception),
                    };
                    let bound = |exception: &u16| !vectors.is_default(*exception);
                    set.extend(vectors.exceptions().filter(happens).filter(bound));
                }
                Wanted::Number(exception) => {
                    if table.is_enabled(*exception) && !vectors.is_endless(machine, *exception) {
                        set.push(*exception);
                    }
                }
                Wanted::Handler { address, .. } => {
                    let leads = |exception: &u16| vectors.handler(*exception) == Some(*address);
                    let enabled = |exception: &u16| table.is_enabled(*exception);
                    set.extend(vectors.exceptions().filter(leads).filter(enabled));
                }
            }
        }
        set.sort_unstable();
        set.dedup();
        set
    }

    /// Fails when something that was asked for was never there to be pended, although the windows
    /// were reached. `machine` is at one of their points.
    pub fn check_found(&self, machine: &Machine) -> anyhow::Result<()> {
        let found = |exception: u16| self.sets.iter().any(|set| set.contains(&exception));
        let vectors = Vectors::read(self.firmware, machine, self.interrupts);
        for wanted in &self.wanted {
            match wanted {
                Wanted::Number(exception) if !found(*exception) => {
                    bail!(self.missing(machine, &vectors, *exception));
                }
                Wanted::Handler { name, address } => {
                    let mut led =
                        vectors.exceptions().filter(|e| vectors.handler(*e) == Some(*address));
                    match led.clone().next() {
                        None => bail!("no vector leads to \"{name}\", so nothing can interrupt it"),
                        Some(first) if !led.any(found) => {
                            bail!(self.missing(machine, &vectors, first));
                        }
                        Some(_) => {}
                    }
                }
                _ => {}
            }
        }
        if self.sets.iter().all(Vec::is_empty) {
            bail!(
                "there is no exception to inject: in the windows no interrupt is enabled that has \
                 a handler of its own"
            );
        }
        Ok(())
    }

    fn missing(&self, machine: &Machine, vectors: &Vectors, exception: u16) -> String {
        let name = exception_name(exception);
        let handler = vectors.handler(exception).unwrap_or(0);
        if vectors.is_endless(machine, exception) {
            return format!(
                "{name} has no handler of its own: its vector leads to {}, which loops for ever",
                self.firmware.describe(handler)
            );
        }
        format!(
            "{name} is not enabled anywhere in the windows, so it cannot happen there: let the \
             firmware enable it before, or leave it out"
        )
    }
}

impl Wanted {
    fn parse(firmware: &Firmware, interrupts: u16, text: &str) -> anyhow::Result<Self> {
        if text.eq_ignore_ascii_case("all") {
            return Ok(Self::All);
        }
        if let Some(exception) = exception_named(text) {
            if exception >= FIRST_INTERRUPT + interrupts {
                bail!("there is no interrupt {text} on this board; its last is {}", interrupts - 1);
            }
            return Ok(Self::Number(exception));
        }
        let own = (1..FIRST_INTERRUPT).find(|&e| exception_name(e).eq_ignore_ascii_case(text));
        if own.is_some() {
            bail!(
                "{text} does not come from outside; interrupts, SysTick, PendSV and NMI can be \
                 injected"
            );
        }
        match resolve(&firmware.image, text) {
            Ok(address) => Ok(Self::Handler { name: text.into(), address }),
            Err(error) => bail!(
                "\"{text}\" is no exception (SysTick, PendSV, NMI, irq5, 5, all), and as the name \
                 of a handler: {error}"
            ),
        }
    }
}

/// The vector table as it is now.
pub struct Vectors {
    handlers: BTreeMap<u16, u32>,
    defaults: Vec<u32>,
}

impl Vectors {
    /// Reads the table, up to the board's last interrupt.
    pub fn read(firmware: &Firmware, machine: &Machine, interrupts: u16) -> Self {
        let table = machine.processor.system.scb.vector_table;
        let injectable = [NMI, PEND_SV, SYS_TICK]
            .into_iter()
            .chain((0..interrupts).map(|n| FIRST_INTERRUPT + n));
        let handler = |exception: u16| {
            let word = machine.read_word(table.wrapping_add(4 * u32::from(exception)))?;
            (word & 1 != 0).then_some((exception, word & !1))
        };
        let handlers: BTreeMap<u16, u32> = injectable.filter_map(handler).collect();
        let named = DEFAULT_NAMES.iter().filter_map(|name| firmware.image.symbol(name));
        let mut defaults: Vec<u32> = named.map(|symbol| symbol.address & !1).collect();
        let mut shared: BTreeMap<u32, usize> = BTreeMap::new();
        for (_, &handler) in handlers.range(FIRST_INTERRUPT..) {
            *shared.entry(handler).or_default() += 1;
        }
        let most = shared.into_iter().max_by_key(|(_, count)| *count);
        defaults.extend(most.filter(|(_, count)| *count >= SHARED_BY).map(|(handler, _)| handler));
        Self { handlers, defaults }
    }

    /// The address of an exception's handler.
    pub fn handler(&self, exception: u16) -> Option<u32> {
        self.handlers.get(&exception).copied()
    }

    fn exceptions(&self) -> impl Iterator<Item = u16> + Clone {
        self.handlers.keys().copied()
    }

    fn is_default(&self, exception: u16) -> bool {
        self.handler(exception).is_none_or(|handler| self.defaults.contains(&handler))
    }

    /// Returns `true` if the exception has no handler, or one that only loops.
    fn is_endless(&self, machine: &Machine, exception: u16) -> bool {
        const JUMP_TO_ITSELF: u16 = 0xe7fe;
        let Some(handler) = self.handler(exception) else { return true };
        let halfword = |index: u32| {
            let mut bytes = [0; 2];
            machine.read_memory(handler.wrapping_add(2 * index), &mut bytes).ok()?;
            Some(u16::from_le_bytes(bytes))
        };
        self.is_default(exception)
            && (0..LOOP_WITHIN).any(|index| halfword(index) == Some(JUMP_TO_ITSELF))
    }
}

/// An exception of a campaign, for people.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Source {
    /// The exception's name on a command line.
    pub name: String,
    /// The exception's number, as in IPSR.
    pub exception: u16,
    /// The exception's priority byte.
    pub priority: u8,
    /// The exception's handler.
    pub handler: String,
}

impl Source {
    /// Describes the machine's present state of an exception.
    pub fn describe(firmware: &Firmware, machine: &Machine, exception: u16) -> Self {
        let vectors = Vectors::read(firmware, machine, machine.board().interrupts);
        let handler = vectors.handler(exception).map(|handler| firmware.describe(handler));
        Self {
            name: label(exception),
            exception,
            priority: machine.processor.system.exceptions.priority_byte(exception),
            handler: handler.unwrap_or_default(),
        }
    }
}
