//! A random program as data. [`super::rust`] and [`super::c`] print the same one in two languages.
//!
//! All values are 32-bit numbers. A function gets two of them, a pointer `p` to bytes of any
//! alignment, and a pointer `q` to words. The memory behind both, and the words of `STATE`, are the
//! input of a run.

/// The number of words in `STATE`.
pub const STATE: u32 = 32;
/// The bytes of `DATA`. `p` and `q` begin within the first 24, and a function uses 160 behind them.
pub const DATA: u32 = 256;
/// The number of local variables.
pub const VARIABLES: u32 = 4;
/// The number of functions in the tables: the first ones.
pub const TABLE: u32 = 4;
/// The number of handlers.
pub const HANDLERS: usize = 4;

/// What a function is made to attack with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Accesses whose alignment is not known: packed structures, bytes of numbers, casts.
    Alignment,
    /// Floating-point numbers of both sizes.
    Floats,
    /// 64-bit numbers: divisions, products, shifts.
    Wide,
    /// Divisions and long products of 32-bit numbers.
    Divisions,
    /// Loops with constant bounds, in all directions and sizes.
    Counted,
    /// Loops within loops, with `break`, `continue` and `return`.
    Nested,
    /// Loops whose rounds depend on data.
    Data,
    /// Loops whose counters are changed within.
    Traps,
    /// `match`, `switch`, computed `goto`.
    Jumps,
    /// Tables of functions.
    Tables,
    /// Calls of methods by tables of `dyn`; in C by tables in structures.
    Methods,
    /// Calls, also of several functions within each other, and as the last thing.
    Calls,
    /// Functions that call themselves.
    Recursion,
    /// `memcpy`, `memmove` and `memset`.
    Copies,
    /// Bit-fields, conditional instructions, counts of bits.
    Bits,
    /// Devices, and the aliases of bits.
    Devices,
    /// Masks of interrupts: constant, saved and restored, computed.
    Masks,
    /// Atomic operations and barriers.
    Atomics,
    /// Code in RAM.
    Ram,
    /// All of these.
    Mixed,
}

/// Every kind.
pub const KINDS: [Kind; 20] = [
    Kind::Alignment,
    Kind::Floats,
    Kind::Wide,
    Kind::Divisions,
    Kind::Counted,
    Kind::Nested,
    Kind::Data,
    Kind::Traps,
    Kind::Jumps,
    Kind::Tables,
    Kind::Methods,
    Kind::Calls,
    Kind::Recursion,
    Kind::Copies,
    Kind::Bits,
    Kind::Devices,
    Kind::Masks,
    Kind::Atomics,
    Kind::Ram,
    Kind::Mixed,
];

impl Kind {
    /// The word in tables.
    pub fn word(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// An operation of two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    ShiftSigned,
    Rotate,
    Divide,
    Remainder,
    DivideSigned,
    Least,
    Most,
    MostSigned,
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compare {
    Equal,
    Less,
    LessSigned,
    NotMore,
    Bit,
}

/// A computation with 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wide {
    High,
    HighSigned,
    Accumulate,
    Product,
    Divide,
    Remainder,
    Shift,
}

/// A computation with floating-point numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Float {
    Add,
    Multiply,
    Divide,
    Convert,
    Less,
    Fused,
}

/// A way to read or write memory behind a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// A byte, through `p`.
    Byte,
    /// Two bytes as a number.
    Half,
    /// Four bytes as a number.
    Word,
    /// Eight bytes as a number.
    Long,
    /// Members of a packed structure.
    Packed,
    /// A word through `q`.
    Aligned,
    /// A halfword through `q`.
    AlignedHalf,
    /// Two words through `q`.
    Pair,
    /// A word of `q`, which the program casts to a pointer to halfwords and back.
    Cast,
    /// A structure of several words that is copied whole.
    Structure,
}

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    Constant(u32),
    Variable(u32),
    /// The counter of a loop around.
    Counter(u32),
    /// A word of `STATE`, which is volatile.
    State(u32),
    /// Memory at a constant offset, plus an index up to 63.
    Load(Access, u32, Option<Box<Self>>),
    Binary(Binary, Box<[Self; 2]>),
    Compare(Compare, Box<[Self; 2]>),
    Select(Box<[Self; 3]>),
    Wide(Wide, Box<[Self; 3]>),
    Single(Float, Box<[Self; 2]>),
    Double(Float, Box<[Self; 2]>),
    /// A part of a word: its lowest bit, its width, and whether it has a sign.
    Field(Box<Self>, u32, u32, bool),
    LeadingZeros(Box<Self>),
    SwapBytes(Box<Self>),
    /// A function of a lower number.
    Call(u32, Box<[Self; 2]>),
    /// A function of the constant table, or of that in RAM.
    Table {
        constant: bool,
        arguments: Box<[Self; 2]>,
    },
    /// A method of an object in a table.
    Method(Box<[Self; 2]>),
    /// A register of a device; a register of the processor.
    Device {
        private: bool,
    },
}

/// The limits of a loop's counter, and how it goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counted {
    /// The type of the counter.
    pub counter: Counter,
    pub from: u32,
    pub to: u32,
    pub step: u32,
    pub until: Until,
    /// Whether the test comes behind the body.
    pub tests_last: bool,
}

/// The type of a counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counter {
    U8,
    U16,
    U32,
    I32,
}

/// When a loop goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Until {
    /// Up, while less.
    Less,
    /// Up, while not more.
    NotMore,
    /// Up, while it isn't the limit.
    NotEqual,
    /// Down, while more.
    More,
    /// Down, while not less.
    NotLess,
    /// Down, while it isn't the limit.
    DownNotEqual,
}

/// A loop.
#[derive(Clone, PartialEq, Debug)]
pub enum Rounds {
    Counted(Counted),
    /// As often as a value says, at most so often.
    Clamped(Expr, u32),
    /// As often as the counter of the loop around says.
    Triangle(u32),
    /// As often as a value has bits.
    Bits(Expr),
    /// Until nothing is left of a value, which is shifted.
    Shifts(Expr, u32),
    /// As `Counted`, and the body adds to the counter where a value is odd.
    Skips(Counted, Expr),
    /// As `Counted`, and the body sets the counter back, at most so often.
    Resets(Counted, Expr, u32),
    /// The step is one of two.
    Steps(u32, Expr, [u32; 2]),
    /// A pointer over words.
    Pointer(u32),
    /// While a byte of memory isn't zero, at most so often.
    Search(u32),
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    Assign(u32, Expr),
    Store(Access, u32, Option<Expr>, Expr),
    State(u32, Expr),
    If(Expr, Vec<Self>, Vec<Self>),
    Loop {
        id: u32,
        rounds: Rounds,
        body: Vec<Self>,
    },
    Switch {
        of: Expr,
        arms: Vec<Vec<Self>>,
        dense: bool,
    },
    /// In C a computed `goto`.
    Goto {
        of: Expr,
        arms: Vec<Vec<Self>>,
    },
    Break(Expr),
    Continue(Expr),
    Return(Expr, Expr),
    /// `memcpy` of so many bytes, or as many as a value says, from one offset to another.
    Copy {
        bytes: u32,
        value: Option<Expr>,
        overlaps: bool,
    },
    Fill {
        bytes: u32,
        value: Option<Expr>,
        with: u32,
    },
    Device(Expr),
    /// A bit of `STATE` by its alias; by a pointer that isn't known, if `unknown`.
    Bit {
        word: u32,
        bit: u32,
        unknown: bool,
        value: Expr,
    },
    /// A section in which interrupts are held off.
    Masked(Mask, Vec<Self>),
    Atomic(Atomic, u32, Expr),
    Barrier,
    /// The function calls itself, at most so deep.
    Recurse(u32),
}

/// A way to hold interrupts off.
#[derive(Clone, PartialEq, Debug)]
pub enum Mask {
    /// CPSID, CPSIE.
    Off,
    /// PRIMASK, saved and restored.
    Saved,
    /// BASEPRI, constant.
    Level(u32),
    /// BASEPRI, computed.
    Value(Expr),
}

/// An atomic operation on a word of `STATE`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atomic {
    Add,
    Swap,
    Most,
    Exchange,
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub kind: Kind,
    /// The constants that two of the variables begin with.
    pub constants: [u32; 2],
    pub body: Vec<Stmt>,
    /// What is returned.
    pub result: Expr,
    /// Whether the code lies in RAM.
    pub in_ram: bool,
}

/// A program.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// The functions by their numbers. One that shrinking took away is `None`.
    pub functions: Vec<Option<Function>>,
    /// The handlers of the first interrupts.
    pub handlers: Vec<Function>,
    /// The priorities of the interrupts.
    pub priorities: [u8; HANDLERS],
    /// Whether values of BASEPRI are computed.
    pub masks_by_value: bool,
    /// Whether the main loop sets other priorities before each call.
    pub sets_priorities: bool,
    /// Whether the main loop calls through a table in place of a `match`.
    pub calls_by_table: bool,
}

impl Program {
    /// What the main loop and the masks do, in words.
    pub fn attacks(&self) -> String {
        let all = [
            (self.masks_by_value, "computed masks"),
            (self.sets_priorities, "priorities set at run time"),
            (self.calls_by_table, "calls by a table"),
        ];
        let all = all.iter().filter(|(is_there, _)| *is_there).map(|(_, what)| format!("; {what}"));
        all.collect()
    }
}
