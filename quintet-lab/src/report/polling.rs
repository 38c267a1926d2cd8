//! Firmware that waits for a device which nothing models: a loop that reads a register again and
//! again, and never finds what it waits for.

use std::collections::BTreeMap;

use quintet_sim::board::DeviceDescription;
use quintet_sim::bus::{AccessKind, WatchedRange};
use quintet_sim::machine::{Machine, Stop, Until, Watch, WatchHit};
use quintet_sim::peripherals::{DeviceKind, RegisterDescription};
use serde::Serialize;

use super::awaited::{self, Awaited};
use super::missing;
use super::waiting::is_unmodelled;
use crate::debug::Place;
use crate::debug::backtrace::places;
use crate::firmware::Firmware;
use crate::svd::{Field, Register};

/// How long a copy of the machine goes on, to be looked at; and how many loads tell enough.
const CYCLES: u64 = 20_000;
const LOADS_MAX: usize = 64;
/// So many loads from one register are no accident.
const LOADS_MIN: usize = 8;

/// A loop that waits for a device which nothing models.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Wait {
    /// The address that it reads.
    pub address: u32,
    /// The name of the device on the board.
    pub device: String,
    /// The name of the register, as `RCC.CR`, where it is known.
    pub register: Option<String>,
    /// The names of the fields that it waits for, where they are known.
    pub fields: Vec<String>,
    /// The bits of the register that it waits for; null if they can't be told.
    pub bits: Option<u32>,
    /// The value of these bits for which it waits.
    pub value: Option<u32>,
    /// The function and the line of the loop.
    pub place: String,
    /// What to do about it.
    pub advice: String,
}

/// Finds what is polled of a device that nothing models, as firmware stands; `None` if nothing is.
pub fn find(firmware: &Firmware, machine: &Machine) -> Option<Wait> {
    let (copy, hit) = polled(machine)?;
    let board = machine.board();
    let is_here =
        |device: &&DeviceDescription| hit.address.wrapping_sub(device.base) < device.span();
    let device = board.devices.iter().find(is_here)?;
    let register = firmware.svd.as_ref().and_then(|svd| svd.at(hit.address, Some(&device.name)));
    let scene = Scene { machine, device, address: hit.address, register };
    let fields = register.map_or(&[][..], |register| register.fields.as_slice());
    let masks: Vec<u32> = fields.iter().map(Field::mask).collect();
    let awaited = awaited::find(&copy, &hit, &masks);
    let place = Place::at(hit.pc, &places(firmware, hit.pc));
    let named = |awaited: Awaited| register.map(|register| register.fields_in(awaited.mask));
    Some(Wait {
        address: hit.address,
        device: device.name.clone(),
        register: scene.path(),
        fields: awaited
            .and_then(named)
            .into_iter()
            .flatten()
            .map(|field| field.name.clone())
            .collect(),
        bits: awaited.map(|awaited| awaited.mask),
        value: awaited.map(|awaited| awaited.value),
        advice: scene.advice(awaited, &place),
        place,
    })
}

/// The copy of the machine that has just read the register of such a device which is read most, and
/// that read.
fn polled(machine: &Machine) -> Option<(Machine, WatchHit)> {
    let mut copy = machine.clone();
    copy.clear_watches();
    let devices = machine.board().devices.iter();
    for device in devices.filter(|device| is_unmodelled(device.kind)) {
        let (start, length, kind) = (device.base, device.span(), AccessKind::Read);
        copy.watch(Watch::Memory(WatchedRange { start, length, kind }));
    }
    let start = copy.clone();
    let until =
        Until { max_cycles: Some(machine.cycle().saturating_add(CYCLES)), ..Until::default() };
    let mut loads: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for _ in 0..LOADS_MAX {
        let Stop::Watch(hit) = copy.run(&until) else { break };
        *loads.entry((hit.address, hit.pc)).or_default() += 1;
    }
    let most = loads.into_iter().max_by_key(|(_, count)| *count);
    let (place, _) = most.filter(|(_, count)| *count >= LOADS_MIN)?;
    let mut copy = start;
    for _ in 0..LOADS_MAX {
        let Stop::Watch(hit) = copy.run(&until) else { break };
        if (hit.address, hit.pc) == place {
            return Some((copy, hit));
        }
    }
    None
}

/// A register that is polled.
struct Scene<'a> {
    machine: &'a Machine,
    device: &'a DeviceDescription,
    address: u32,
    register: Option<&'a Register>,
}

impl Scene<'_> {
    /// The offset of the register's word in the device.
    fn offset(&self) -> u32 {
        (self.address - self.device.base) & !3
    }

    /// What the board says of the register.
    fn described(&self) -> Option<&RegisterDescription> {
        let offset = self.offset();
        self.device.registers.iter().find(|register| register.offset == offset)
    }

    /// The register's name, by the maker's file or by the board.
    fn path(&self) -> Option<String> {
        let of_board = || {
            let name = self.described()?.name.as_deref()?;
            Some(format!("{}.{name}", self.device.name.to_uppercase()))
        };
        self.register.map(Register::path).or_else(of_board)
    }

    fn advice(&self, awaited: Option<Awaited>, place: &str) -> String {
        let Self { device, address, .. } = self;
        let known = self.path().map(|path| format!(", {path},")).unwrap_or_default();
        let what = awaited.map_or_else(String::new, |awaited| {
            let plural = if awaited.mask.count_ones() == 1 { "" } else { "s" };
            format!(" It waits for {}, bit{plural} {}", self.awaited(awaited), bits(awaited.mask))
                + &value(awaited)
                + "."
        });
        let why = match device.kind {
            DeviceKind::Inert => "which is inert: all its registers read as 0".to_owned(),
            _ => "whose registers remember and do what the board says: nothing sets what it waits \
                  for"
            .to_owned(),
        };
        format!(
            "it polls {address:#010x}{known} of `{}`, {why}.{what} It does so at {place}; {}",
            device.name,
            self.way_out(awaited)
        )
    }

    /// The fields in words, or the register.
    fn awaited(&self, awaited: Awaited) -> String {
        let path = self.path().unwrap_or_else(|| format!("the register at {:#x}", self.offset()));
        let fields = self.register.into_iter().flat_map(|one| one.fields_in(awaited.mask));
        let names: Vec<String> = fields.map(|field| format!("{path}.{}", field.name)).collect();
        match names.as_slice() {
            [] => path,
            names => names.join(if awaited.is_any { " or " } else { " and " }),
        }
    }

    /// How the loop can go on.
    fn way_out(&self, awaited: Option<Awaited>) -> String {
        let board = self.machine.board();
        let Some(awaited) = awaited else {
            return format!(
                "let the bit `follow` the one that starts it, or give it by `reset`, in a board \
                 file of your own (docs/boards.md); `quintet boards {}` says what is not modelled",
                board.name
            );
        };
        // One bit of several is enough.
        let mask = match awaited.is_any {
            true => awaited.mask & awaited.mask.wrapping_neg(),
            false => awaited.mask,
        };
        let follows = self
            .described()
            .and_then(|register| register.follow.iter().find(|follow| follow.mask() & mask != 0));
        if let Some(follow) = follows {
            return format!(
                "the bit follows bit {} of the register at {:#x}, which the program has not set",
                follow.of,
                follow.register.unwrap_or(self.offset())
            );
        }
        let known = self.described();
        let reset = known.and_then(|register| register.reset).unwrap_or(0);
        let writable = known.and_then(|register| register.writable).unwrap_or(u32::MAX);
        let text = missing::register_file(
            board,
            self.device,
            &format!(
                "offset = {:#x}\nreset = {:#x}\nwritable = {:#x}\n",
                self.offset(),
                reset & !mask | awaited.value & mask,
                writable & !mask
            ),
        );
        format!(
            "a board file with a register that has it lets it go on (or let it `follow` the bit \
             that starts it, docs/boards.md); {}:\n\n{text}",
            missing::how(board)
        )
    }
}

/// The value that is awaited, in words.
fn value(awaited: Awaited) -> String {
    let value = awaited.value >> awaited.mask.trailing_zeros();
    match (awaited.is_any, awaited.mask.count_ones()) {
        (true, _) => String::new(),
        (false, 1) => format!(", to be {value}"),
        (false, _) => format!(", to be {value:#x}"),
    }
}

/// The numbers of bits.
fn bits(mask: u32) -> String {
    let numbers = (0..32).filter(|bit| mask >> bit & 1 != 0).map(|bit| bit.to_string());
    numbers.collect::<Vec<_>>().join(", ")
}
