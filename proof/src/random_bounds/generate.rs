//! Makes random programs.
//!
//! What a function may cost is estimated while it is made, so that runs are short: loops multiply,
//! and calls add what the callee costs. About half of the statements of a function are of its kind.

mod loops;

use super::program::{
    Access, Atomic, Binary, Compare, Expr, Float, Function, HANDLERS, KINDS, Kind, Mask, Program,
    STATE, Stmt, TABLE, VARIABLES, Wide,
};
use crate::random::Random;

/// The functions of a program.
pub const FUNCTIONS: u32 = 40;
/// What a function may cost, in simple statements.
const COST: u32 = 1200;
/// What a handler, or a function of the tables, may.
const SMALL: u32 = 60;
/// Loops and branches within each other.
const DEPTH: u32 = 3;

/// A program with so many functions. Handlers have floating-point numbers if the processor has a
/// unit for them: without it, they take long, and few have bounds.
pub fn program(random: &mut Random, functions: u32, has_floats: bool) -> Program {
    let mut costs: Vec<(u32, Kind)> = Vec::new();
    // What isn't known leaves all tasks open: a mask's value, a priority, where a jump goes.
    let plain = random.one_in(2);
    let masks_by_value = !plain && random.one_in(3);
    let mut all = Vec::new();
    for number in 0..functions {
        let mut kind = if number < TABLE { simple(random) } else { kind(number, random) };
        if plain && kind == Kind::Jumps {
            kind = Kind::Masks;
        }
        let most = if number < TABLE { SMALL } else { COST };
        let mut maker = Maker::new(random, kind, most, &costs);
        (maker.is_plain, maker.masks_by_value) = (plain, masks_by_value);
        let function = maker.function();
        let cost = most - maker.left;
        costs.push((cost + 10, kind));
        all.push(Some(function));
    }
    let handlers = (0..HANDLERS).map(|_| {
        let kinds = [
            Kind::Alignment,
            Kind::Bits,
            Kind::Bits,
            Kind::Divisions,
            Kind::Devices,
            Kind::Masks,
            if has_floats { Kind::Floats } else { Kind::Ram },
        ];
        let counts = !plain && random.one_in(8);
        let kind = if counts { Kind::Counted } else { random.pick(&kinds) };
        let mut maker = Maker::new(random, kind, SMALL, &[]);
        maker.is_plain = plain;
        maker.function()
    });
    let handlers = handlers.collect();
    let priorities = [(); HANDLERS].map(|()| (random.below(8) << 5) as u8);
    let calls_by_table = plain || random.one_in(3);
    let sets_priorities = !plain && random.one_in(4);
    Program {
        functions: all,
        handlers,
        priorities,
        masks_by_value,
        sets_priorities,
        calls_by_table,
    }
}

/// Each kind in its turn: functions without calls of others come first.
fn kind(number: u32, random: &mut Random) -> Kind {
    if random.one_in(3) { random.pick(&KINDS) } else { KINDS[number as usize % KINDS.len()] }
}

/// A kind that has a bound if anything has.
fn simple(random: &mut Random) -> Kind {
    let kinds = [
        Kind::Alignment,
        Kind::Counted,
        Kind::Bits,
        Kind::Divisions,
        Kind::Devices,
        Kind::Atomics,
        Kind::Nested,
    ];
    random.pick(&kinds)
}

/// Makes a function.
struct Maker<'a> {
    random: &'a mut Random,
    kind: Kind,
    /// The functions before, with what they cost.
    before: &'a [(u32, Kind)],
    left: u32,
    /// By how much loops around multiply.
    times: u32,
    counters: Vec<u32>,
    /// The number of the next loop.
    next: u32,
    masked: bool,
    /// Whether `break` and `continue` may come: in a loop, but not across a mask.
    in_loop: bool,
    /// Whether values of BASEPRI may be computed.
    masks_by_value: bool,
    /// Whether all sections and jumps are to have bounds.
    is_plain: bool,
}

impl<'a> Maker<'a> {
    fn new(random: &'a mut Random, kind: Kind, most: u32, before: &'a [(u32, Kind)]) -> Self {
        Self {
            random,
            kind,
            before,
            left: most,
            times: 1,
            counters: Vec::new(),
            next: 0,
            masked: false,
            in_loop: false,
            masks_by_value: false,
            is_plain: false,
        }
    }

    fn function(&mut self) -> Function {
        let constants = [self.random.value(), self.random.value()];
        let count = 2 + self.random.below(4);
        let mut body = Vec::new();
        for _ in 0..count {
            let kind = if self.random.one_in(3) { None } else { Some(self.kind) };
            body.push(self.statement(kind, 0));
        }
        if self.kind == Kind::Recursion {
            body.push(Stmt::Recurse(1 + self.random.below(6)));
        }
        let result = self.expr(2);
        let in_ram = self.kind == Kind::Ram;
        Function { kind: self.kind, constants, body, result, in_ram }
    }

    fn block(&mut self, depth: u32) -> Vec<Stmt> {
        let count = 1 + self.random.below(3);
        let statement = |maker: &mut Self| {
            let kind = maker.random.one_in(2).then_some(maker.kind);
            maker.statement(kind, depth + 1)
        };
        (0..count).map(|_| statement(self)).collect()
    }

    /// A statement of a kind, or of one that is simple.
    fn statement(&mut self, kind: Option<Kind>, depth: u32) -> Stmt {
        self.left = self.left.saturating_sub(self.times);
        let kind = match kind {
            Some(Kind::Mixed) => self.random.pick(&KINDS),
            Some(kind) => kind,
            None => return self.plain(depth),
        };
        match kind {
            Kind::Alignment => self.alignment(),
            Kind::Floats | Kind::Wide | Kind::Divisions => {
                let value = self.computation(kind);
                self.assign(value)
            }
            Kind::Counted | Kind::Nested | Kind::Data | Kind::Traps => self.repeat(kind, depth),
            Kind::Jumps if self.is_plain => self.plain(depth),
            Kind::Jumps => self.jump(depth),
            Kind::Tables | Kind::Methods | Kind::Calls => {
                let value = self.call(kind);
                self.assign(value)
            }
            Kind::Copies => self.copy(),
            Kind::Bits => {
                let value = self.bits();
                self.assign(value)
            }
            Kind::Devices => self.device(),
            Kind::Masks => self.mask(depth),
            Kind::Atomics => match self.random.below(5) {
                0 => Stmt::Barrier,
                _ => {
                    let all = [Atomic::Add, Atomic::Swap, Atomic::Most, Atomic::Exchange];
                    let one = self.random.pick(&all);
                    Stmt::Atomic(one, self.random.below(STATE), self.expr(1))
                }
            },
            Kind::Recursion | Kind::Ram | Kind::Mixed => self.plain(depth),
        }
    }

    /// What is in all functions.
    fn plain(&mut self, depth: u32) -> Stmt {
        match self.random.below(9) {
            0 if depth < DEPTH => {
                let condition = self.condition();
                let then = self.block(depth);
                let other = if self.random.one_in(2) { self.block(depth) } else { Vec::new() };
                Stmt::If(condition, then, other)
            }
            1 if self.in_loop && !self.masked => match self.random.below(3) {
                0 => Stmt::Continue(self.condition()),
                1 => Stmt::Break(self.condition()),
                _ => Stmt::Return(self.condition(), self.expr(1)),
            },
            2 if !self.masked && self.random.one_in(2) => {
                Stmt::Return(self.condition(), self.expr(1))
            }
            3 => Stmt::State(self.random.below(STATE), self.expr(2)),
            4 => {
                let (access, offset) = (self.access(), 4 * self.random.below(10));
                Stmt::Store(access, offset, None, self.expr(2))
            }
            _ => {
                let value = self.expr(3);
                self.assign(value)
            }
        }
    }

    fn assign(&mut self, value: Expr) -> Stmt {
        Stmt::Assign(self.random.below(VARIABLES), value)
    }

    /// A way of access that needs no proof.
    fn access(&mut self) -> Access {
        let all = [Access::Byte, Access::Aligned, Access::AlignedHalf, Access::Pair];
        self.random.pick(&all)
    }

    fn alignment(&mut self) -> Stmt {
        let all = [
            Access::Half,
            Access::Word,
            Access::Word,
            Access::Long,
            Access::Packed,
            Access::Cast,
            Access::Structure,
            Access::Pair,
        ];
        let (access, offset) = (self.random.pick(&all), self.random.below(24));
        let index = self.random.one_in(3).then(|| self.expr(1));
        if self.random.one_in(3) {
            let value = self.expr(1);
            return Stmt::Store(access, offset, index, value);
        }
        let value = Expr::Load(access, offset, index.map(Box::new));
        let value = self.mixed(value);
        self.assign(value)
    }

    /// A value with a simple one.
    fn mixed(&mut self, value: Expr) -> Expr {
        let all = [Binary::Add, Binary::Xor, Binary::Subtract, Binary::Or];
        let operation = self.random.pick(&all);
        let other = self.expr(0);
        Expr::Binary(operation, Box::new([value, other]))
    }

    fn leaf(&mut self) -> Expr {
        match self.random.below(8) {
            0 => Expr::Constant(self.random.value()),
            1 => Expr::State(self.random.below(STATE)),
            2 if !self.counters.is_empty() => {
                Expr::Counter(self.random.pick(&self.counters.clone()))
            }
            3 => {
                let access = self.access();
                Expr::Load(access, 4 * self.random.below(10), None)
            }
            _ => Expr::Variable(self.random.below(VARIABLES)),
        }
    }

    fn expr(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.random.one_in(3) {
            return self.leaf();
        }
        let two = |maker: &mut Self| Box::new([maker.expr(depth - 1), maker.expr(depth - 1)]);
        match self.random.below(12) {
            0 => Expr::Compare(self.comparison(), two(self)),
            1 => Expr::Select(Box::new([self.condition(), self.expr(depth - 1), self.leaf()])),
            2 => {
                let (lsb, width) = (self.random.below(24), 1 + self.random.below(8));
                Expr::Field(Box::new(self.expr(depth - 1)), lsb, width, self.random.one_in(2))
            }
            _ => {
                let all = [
                    Binary::Add,
                    Binary::Add,
                    Binary::Subtract,
                    Binary::Multiply,
                    Binary::And,
                    Binary::Or,
                    Binary::Xor,
                    Binary::ShiftLeft,
                    Binary::ShiftRight,
                    Binary::ShiftSigned,
                ];
                Expr::Binary(self.random.pick(&all), two(self))
            }
        }
    }

    fn comparison(&mut self) -> Compare {
        let all = [
            Compare::Equal,
            Compare::Less,
            Compare::LessSigned,
            Compare::NotMore,
            Compare::Bit,
            Compare::Bit,
        ];
        self.random.pick(&all)
    }

    fn condition(&mut self) -> Expr {
        let comparison = self.comparison();
        Expr::Compare(comparison, Box::new([self.expr(1), self.leaf()]))
    }

    fn computation(&mut self, kind: Kind) -> Expr {
        self.left = self.left.saturating_sub(8 * self.times);
        let two = |maker: &mut Self| Box::new([maker.expr(1), maker.expr(1)]);
        let value = match kind {
            Kind::Floats => {
                let all = [
                    Float::Add,
                    Float::Multiply,
                    Float::Divide,
                    Float::Convert,
                    Float::Less,
                    Float::Fused,
                ];
                let operation = self.random.pick(&all);
                if self.random.one_in(4) {
                    Expr::Double(operation, two(self))
                } else {
                    Expr::Single(operation, two(self))
                }
            }
            Kind::Wide => {
                let all = [
                    Wide::High,
                    Wide::HighSigned,
                    Wide::Accumulate,
                    Wide::Product,
                    Wide::Shift,
                    if self.random.one_in(3) { Wide::Divide } else { Wide::Product },
                    if self.random.one_in(3) { Wide::Remainder } else { Wide::High },
                ];
                let operation = self.random.pick(&all);
                Expr::Wide(operation, Box::new([self.expr(1), self.expr(1), self.leaf()]))
            }
            _ => {
                let all = [Binary::Divide, Binary::Remainder, Binary::DivideSigned];
                Expr::Binary(self.random.pick(&all), two(self))
            }
        };
        self.mixed(value)
    }

    fn bits(&mut self) -> Expr {
        let value = self.expr(1);
        let value = Box::new(value);
        match self.random.below(6) {
            0 => Expr::Field(
                value,
                self.random.below(24),
                1 + self.random.below(8),
                self.random.one_in(2),
            ),
            1 => Expr::LeadingZeros(value),
            2 => Expr::SwapBytes(value),
            3 => Expr::Select(Box::new([self.condition(), *value, self.leaf()])),
            4 => {
                let all = [Binary::Least, Binary::Most, Binary::MostSigned, Binary::Rotate];
                Expr::Binary(self.random.pick(&all), Box::new([*value, self.leaf()]))
            }
            _ => Expr::Compare(self.comparison(), Box::new([*value, self.leaf()])),
        }
    }

    fn jump(&mut self, depth: u32) -> Stmt {
        if depth + 1 >= DEPTH {
            return self.plain(DEPTH);
        }
        let of = self.expr(1);
        let count = 3 + self.random.below(9);
        let mut arms = Vec::new();
        for _ in 0..count {
            let kind = self.random.one_in(4).then_some(Kind::Divisions);
            arms.push(vec![self.statement(kind, DEPTH)]);
        }
        if self.random.one_in(3) {
            return Stmt::Goto { of, arms };
        }
        Stmt::Switch { of, arms, dense: !self.random.one_in(4) }
    }

    fn call(&mut self, kind: Kind) -> Expr {
        let arguments = Box::new([self.expr(1), self.leaf()]);
        let room = self.left / self.times.max(1);
        if self.before.len() < TABLE as usize || room < SMALL + 20 {
            return self.mixed(Expr::Variable(0));
        }
        match kind {
            Kind::Tables => {
                self.left = self.left.saturating_sub(SMALL * self.times);
                Expr::Table { constant: !self.random.one_in(3), arguments }
            }
            Kind::Methods => {
                self.left = self.left.saturating_sub(SMALL * self.times);
                Expr::Method(arguments)
            }
            _ => {
                let callee = self.random.below(self.before.len() as u32);
                let (cost, kind) = self.before[callee as usize];
                let often_open =
                    matches!(kind, Kind::Recursion | Kind::Tables | Kind::Methods | Kind::Mixed);
                if cost > room || often_open && !self.random.one_in(4) {
                    let callee = self.random.below(TABLE);
                    self.left = self.left.saturating_sub(SMALL * self.times);
                    return Expr::Call(callee, arguments);
                }
                self.left = self.left.saturating_sub(cost * self.times);
                Expr::Call(callee, arguments)
            }
        }
    }

    fn copy(&mut self) -> Stmt {
        let bytes = self.random.below(60);
        self.left = self.left.saturating_sub(bytes / 2 * self.times);
        let value = self.random.one_in(2).then(|| self.expr(1));
        match self.random.below(3) {
            0 => Stmt::Fill { bytes, value, with: self.random.below(256) },
            _ => Stmt::Copy { bytes, value, overlaps: self.random.one_in(3) },
        }
    }

    fn device(&mut self) -> Stmt {
        match self.random.below(5) {
            0 => Stmt::Device(self.expr(1)),
            1 | 2 => {
                let (word, bit) = (self.random.below(STATE), self.random.below(32));
                Stmt::Bit { word, bit, unknown: self.random.one_in(2), value: self.expr(1) }
            }
            _ => {
                let value = Expr::Device { private: self.random.one_in(2) };
                let value = self.mixed(value);
                self.assign(value)
            }
        }
    }

    fn mask(&mut self, depth: u32) -> Stmt {
        if self.masked || depth >= DEPTH {
            return self.plain(DEPTH);
        }
        let mask = match self.random.below(5) {
            0 => Mask::Off,
            1 => Mask::Level(self.random.below(8) << 5),
            2 if self.masks_by_value => Mask::Value(self.expr(1)),
            _ => Mask::Saved,
        };
        let in_loop = std::mem::replace(&mut self.in_loop, false);
        self.masked = true;
        let count = 1 + self.random.below(2);
        let kinds = [Kind::Bits, Kind::Divisions, Kind::Alignment, Kind::Calls, Kind::Counted];
        let kinds = if self.is_plain { &kinds[..3] } else { &kinds[..] };
        let mut body = Vec::new();
        for _ in 0..count {
            let kind = self.random.pick(kinds);
            body.push(self.statement(Some(kind), DEPTH - 1));
        }
        self.masked = false;
        self.in_loop = in_loop;
        Stmt::Masked(mask, body)
    }
}
