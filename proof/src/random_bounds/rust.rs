//! Prints a program in Rust.

mod value;

use super::program::{
    Atomic, Counted, Counter, DATA, Expr, Function, Mask, Program, Rounds, STATE, Stmt, TABLE,
    Until,
};
use super::target::Place;
use value::{expr, store};

/// What stands before the functions.
const PRELUDE: &str = "\
#![no_std]
#![no_main]
#![allow(warnings)]
use core::arch::asm;
use core::ptr::{read_unaligned, read_volatile, write_unaligned, write_volatile};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop { unsafe { asm!(\"nop\") } }
}

#[repr(C, align(8))]
pub struct Area([u8; DATA_BYTES]);
#[repr(C, packed)]
pub struct Pack { a: u8, b: u32, c: u16, d: u32 }
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Words([u32; 4]);
type Function = unsafe extern \"C\" fn(u32, u32, *mut u8, *mut u32) -> u32;

#[no_mangle] pub static mut DATA: Area = Area([0; DATA_BYTES]);
#[no_mangle] pub static mut STATE: [u32; STATE_WORDS] = [0; STATE_WORDS];
#[no_mangle] pub static mut INPUT: [u32; 8] = [0; 8];
#[no_mangle] pub static mut OUTPUT: u32 = 0;

#[inline(always)]
fn place(word: usize) -> *mut u32 { unsafe { (&raw mut STATE as *mut u32).add(word) } }
#[inline(always)]
fn state(word: usize) -> u32 { unsafe { read_volatile(place(word)) } }
#[inline(always)]
fn atom(word: usize) -> &'static AtomicU32 { unsafe { &*(place(word) as *const AtomicU32) } }
#[inline(always)]
fn fold(value: u64) -> u32 { (value ^ value >> 32) as u32 }
#[inline(always)]
fn long(high: u32, low: u32) -> u64 { (high as u64) << 32 | low as u64 }

trait Method: Sync {
    unsafe fn step(&self, x: u32, p: *mut u8, q: *mut u32) -> u32;
}
struct First;
struct Second(u32);
struct Third { add: u32 }
impl Method for First {
    unsafe fn step(&self, x: u32, p: *mut u8, _: *mut u32) -> u32 { *p as u32 ^ x }
}
impl Method for Second {
    unsafe fn step(&self, x: u32, _: *mut u8, q: *mut u32) -> u32 { *q / (x | 1) ^ self.0 }
}
impl Method for Third {
    unsafe fn step(&self, x: u32, p: *mut u8, q: *mut u32) -> u32 {
        let mut sum = x;
        for index in 0..9 { sum = sum.wrapping_add(*q.add(index)).wrapping_mul(self.add); }
        sum
    }
}
static METHODS: [&dyn Method; 3] = [&First, &Second(7), &Third { add: 5 }];
#[no_mangle] #[inline(never)]
pub extern \"C\" fn next_input() { unsafe { asm!(\"nop\") } }
#[no_mangle]
pub extern \"C\" fn fault() -> ! { loop { unsafe { asm!(\"nop\") } } }
";

/// The source of a program for a place.
pub fn source(program: &Program, place: &Place) -> String {
    let prelude = PRELUDE.replace("DATA_BYTES", &DATA.to_string());
    let mut text = prelude.replace("STATE_WORDS", &STATE.to_string());
    text += &format!("const DEVICE: usize = 0x{:x};\n", place.device);
    let there = |number: &u32| matches!(program.functions.get(*number as usize), Some(Some(_)));
    let tables: Vec<u32> = (0..TABLE).filter(there).collect();
    if let Some(first) = tables.first() {
        let all = |number| format!("f{}", if there(&number) { number } else { *first });
        let names = (0..TABLE).map(all).collect::<Vec<_>>().join(", ");
        text += &format!("static TABLE: [Function; {TABLE}] = [{names}];\n");
        text += "#[no_mangle] #[link_section = \".data.table\"]\n";
        text += &format!("pub static mut RAM_TABLE: [Function; {TABLE}] = [{names}];\n");
    }
    for (number, function) in program.functions.iter().enumerate() {
        if let Some(one) = function {
            let section = if one.in_ram { "#[link_section = \".data.code\"] " } else { "" };
            text += &format!("#[no_mangle] #[inline(never)] {section}pub ");
            text += &function_text(&format!("f{number}"), one);
        }
    }
    for (number, handler) in program.handlers.iter().enumerate() {
        text += "#[inline(always)] ";
        text += &function_text(&format!("h{number}"), handler);
        text += &format!(
            "#[no_mangle] pub unsafe extern \"C\" fn irq{number}() {{\n    let base = &raw mut \
             DATA as *mut u8;\n    let result = h{number}(state({}), state({}), base.add({}), \
             base as *mut u32);\n    write_volatile(place({}), result);\n}}\n",
            2 * number,
            2 * number + 1,
            1 + number,
            STATE - 1
        );
    }
    text + &main_text(program, place)
}

fn main_text(program: &Program, place: &Place) -> String {
    let numbers: Vec<usize> =
        (0..program.functions.len()).filter(|one| program.functions[*one].is_some()).collect();
    let mut text = String::new();
    text += "#[no_mangle] pub unsafe extern \"C\" fn Reset() -> ! {\n";
    for (address, value) in place.start_up(&program.priorities) {
        text += &format!("    write_volatile(0x{address:x} as *mut u32, 0x{value:x});\n");
    }
    text += "    asm!(\"dsb\", \"isb\");\n    run()\n}\n";
    if program.calls_by_table {
        let names = numbers.iter().map(|one| format!("f{one}")).collect::<Vec<_>>().join(", ");
        let count = numbers.len();
        text += &format!("static ALL: [Function; {count}] = [{names}];\n");
    }
    text += "#[no_mangle] #[inline(never)] pub unsafe extern \"C\" fn run() -> ! {\n    loop {\n";
    text += "        next_input();\n        let input = &raw const INPUT as *const u32;\n";
    text += "        let get = |word: usize| unsafe { read_volatile(input.add(word)) };\n";
    text += "        write_volatile(0xe000e100 as *mut u32, get(5));\n";
    if program.sets_priorities {
        text += "        write_volatile(0xe000e400 as *mut u32, get(6));\n";
    }
    text += "        let (x, y, p, q) = (get(1), get(2), get(3) as *mut u8, get(4) as *mut u32);\n";
    if program.calls_by_table {
        text += &format!(
            "        let output = ALL[get(0) as usize % {}](x, y, p, q);\n",
            numbers.len()
        );
    } else {
        text += "        let output = match get(0) {\n";
        for (index, number) in numbers.iter().enumerate() {
            text += &format!("            {index} => f{number}(x, y, p, q),\n");
        }
        text += "            _ => 0,\n        };\n";
    }
    text += "        write_volatile(&raw mut OUTPUT, output);\n    }\n}\n";
    text += "#[repr(C)] pub union Vector { code: unsafe extern \"C\" fn(), word: u32 }\n";
    text += "unsafe impl Sync for Vector {}\n";
    text + &vectors(program)
}

fn vectors(program: &Program) -> String {
    let mut text =
        "#[no_mangle] #[link_section = \".vectors\"] pub static VECTORS: [Vector; 24] = [\n"
            .to_owned();
    text += "    Vector { word: 0x20002000 },\n";
    text += "    Vector { code: unsafe { core::mem::transmute(Reset as *const ()) } },\n";
    for exception in 2..24_usize {
        let name = match exception.checked_sub(16) {
            Some(number) if number < program.handlers.len() => format!("irq{number} as *const ()"),
            _ => "fault as *const ()".to_owned(),
        };
        text += &format!("    Vector {{ code: unsafe {{ core::mem::transmute({name}) }} }},\n");
    }
    text + "];\n"
}

/// One function by its name.
pub fn function_text(name: &str, function: &Function) -> String {
    let mut printer = Printer { text: String::new(), depth: 1, name: name.to_owned() };
    printer.line(&format!(
        "unsafe extern \"C\" fn {name}(x: u32, y: u32, p: *mut u8, q: *mut u32) -> u32 {{"
    ));
    let [one, other] = function.constants;
    printer.depth += 1;
    printer.line(&format!(
        "let (mut v0, mut v1, mut v2, mut v3) = (x, y, 0x{one:x}u32, 0x{other:x}u32);"
    ));
    printer.block(&function.body, None);
    let result = expr(&function.result);
    printer.line(&format!("v0 ^ v1 ^ v2.rotate_left(7) ^ v3.rotate_left(9) ^ {result}"));
    printer.depth -= 1;
    printer.line("}");
    printer.text
}

struct Printer {
    text: String,
    depth: usize,
    name: String,
}

impl Printer {
    fn line(&mut self, line: &str) {
        self.text += &"    ".repeat(self.depth - 1);
        self.text += line;
        self.text.push('\n');
    }

    fn nested(&mut self, head: &str, body: &[Stmt], around: Option<u32>) {
        self.line(head);
        self.depth += 1;
        self.block(body, around);
        self.depth -= 1;
        self.line("}");
    }

    fn block(&mut self, body: &[Stmt], around: Option<u32>) {
        body.iter().for_each(|one| self.statement(one, around));
    }

    /// `around` is the innermost loop.
    fn statement(&mut self, one: &Stmt, around: Option<u32>) {
        match one {
            Stmt::Assign(variable, value) => self.line(&format!("v{variable} = {};", expr(value))),
            Stmt::Store(access, offset, index, value) => {
                let value = expr(value);
                self.line(&store(*access, *offset, index.as_ref(), &value));
            }
            Stmt::State(word, value) => {
                self.line(&format!("write_volatile(place({word}), {});", expr(value)));
            }
            Stmt::If(condition, then, other) => {
                self.nested(&format!("if {} != 0 {{", expr(condition)), then, around);
                if !other.is_empty() {
                    self.text.truncate(self.text.len() - 1);
                    self.text += " else {\n";
                    self.depth += 1;
                    self.block(other, around);
                    self.depth -= 1;
                    self.line("}");
                }
            }
            Stmt::Loop { id, rounds, body } => self.repeat(*id, rounds, body),
            Stmt::Switch { of, arms, dense } => self.switch(&expr(of), arms, *dense, around),
            Stmt::Goto { of, arms } => {
                self.switch(&format!("{} & 7", expr(of)), arms, true, around);
            }
            Stmt::Break(condition) => {
                if let Some(id) = around {
                    self.line(&format!("if {} != 0 {{ break 'l{id}; }}", expr(condition)));
                }
            }
            Stmt::Continue(condition) => {
                if let Some(id) = around {
                    self.line(&format!("if {} != 0 {{ break 'b{id}; }}", expr(condition)));
                }
            }
            Stmt::Return(condition, value) => {
                self.line(&format!("if {} != 0 {{ return {}; }}", expr(condition), expr(value)));
            }
            other => self.effect(other, around),
        }
    }

    fn switch(&mut self, of: &str, arms: &[Vec<Stmt>], dense: bool, around: Option<u32>) {
        self.line(&format!("match {of} & 31 {{"));
        self.depth += 1;
        for (index, arm) in arms.iter().enumerate() {
            let value = if dense { index } else { index * index % 29 };
            self.nested(&format!("{value} => {{"), arm, around);
        }
        self.line("_ => {}");
        self.depth -= 1;
        self.line("}");
    }

    /// A statement without others around it, but for masks.
    fn effect(&mut self, one: &Stmt, around: Option<u32>) {
        let bytes = |bytes: &u32, value: &Option<Expr>| match value {
            Some(value) => format!("({} & 63) as usize", expr(value)),
            None => bytes.to_string(),
        };
        match one {
            Stmt::Copy { bytes: count, value, overlaps } => {
                let count = bytes(count, value);
                let (how, to) = if *overlaps { ("copy", 3) } else { ("copy_nonoverlapping", 64) };
                self.line(&format!("core::ptr::{how}(p, p.add({to}), {count});"));
            }
            Stmt::Fill { bytes: count, value, with } => {
                let count = bytes(count, value);
                self.line(&format!("core::ptr::write_bytes(p.add(5), {with}, {count});"));
            }
            Stmt::Device(value) => {
                self.line(&format!("write_volatile(DEVICE as *mut u32, {});", expr(value)));
            }
            Stmt::Bit { word, bit, unknown, value } => {
                let base = if *unknown { "q" } else { "place(0)" };
                let size = ["u8", "u16", "u32"][*bit as usize % 3];
                self.line(&format!(
                    "write_volatile((({base} as usize - 0x2000_0000) * 32 + 0x2200_0000 + {}) as \
                     *mut {size}, {} as {size});",
                    word * 128 + bit * 4,
                    expr(value)
                ));
            }
            Stmt::Masked(mask, body) => self.masked(mask, body, around),
            Stmt::Atomic(operation, word, value) => {
                let value = expr(value);
                let call = match operation {
                    Atomic::Add => format!("fetch_add({value}, Relaxed)"),
                    Atomic::Swap => format!("swap({value}, Relaxed)"),
                    Atomic::Most => format!("fetch_max({value}, Relaxed)"),
                    Atomic::Exchange => {
                        format!("compare_exchange(v0, {value}, Relaxed, Relaxed).is_ok() as u32")
                    }
                };
                self.line(&format!("v1 ^= atom({word}).{call};"));
            }
            Stmt::Barrier => self.line("asm!(\"dmb\", \"isb\");"),
            Stmt::Recurse(most) => {
                let name = self.name.clone();
                self.line(&format!("let rest = x & 15;\nif rest != 0 && rest <= {most} {{"));
                self.line(&format!("    v1 ^= {name}(rest - 1, y, p, q);\n}}"));
            }
            _ => {}
        }
    }

    fn masked(&mut self, mask: &Mask, body: &[Stmt], around: Option<u32>) {
        let (begin, end) = match mask {
            Mask::Off => ("asm!(\"cpsid i\");".to_owned(), "asm!(\"cpsie i\");"),
            Mask::Saved => (
                "let was: u32; asm!(\"mrs {}, PRIMASK\", \"cpsid i\", out(reg) was);".to_owned(),
                "asm!(\"msr PRIMASK, {}\", in(reg) was);",
            ),
            Mask::Level(level) => (
                format!(
                    "let was: u32; asm!(\"mrs {{}}, BASEPRI\", out(reg) was); asm!(\"msr BASEPRI, \
                     {{}}\", in(reg) {level}u32);"
                ),
                "asm!(\"msr BASEPRI, {}\", in(reg) was);",
            ),
            Mask::Value(value) => (
                format!(
                    "let was: u32; asm!(\"mrs {{}}, BASEPRI\", out(reg) was); asm!(\"msr BASEPRI, \
                     {{}}\", in(reg) {});",
                    expr(value)
                ),
                "asm!(\"msr BASEPRI, {}\", in(reg) was);",
            ),
        };
        self.line("{");
        self.depth += 1;
        self.line(&begin);
        self.block(body, around);
        self.line(end);
        self.depth -= 1;
        self.line("}");
    }

    fn repeat(&mut self, id: u32, rounds: &Rounds, body: &[Stmt]) {
        let i = format!("i{id}");
        let n = format!("n{id}");
        let (before, condition, behind): (String, String, String) = match rounds {
            Rounds::Counted(one) => return self.counted(id, one, "", body),
            Rounds::Skips(one, value) => {
                let again = format!("if {} & 1 != 0 {{ {} }}", expr(value), step(&i, one));
                return self.counted(id, one, &again, body);
            }
            Rounds::Resets(one, value, most) => {
                self.line(&format!("let mut {n} = 0;"));
                let back = format!(
                    "if {} & 1 != 0 && {n} < {most} {{ {n} += 1; {i} = {}; }}",
                    expr(value),
                    number(one.from, one.counter)
                );
                return self.counted(id, one, &back, body);
            }
            Rounds::Clamped(value, most) => (
                format!("let {n} = {}.min({most});", expr(value)),
                format!("{i} < {n}"),
                format!("{i} = {i}.wrapping_add(1);"),
            ),
            Rounds::Triangle(outer) => (
                format!("let {n} = i{outer} as u32 & 15;"),
                format!("{i} < {n}"),
                format!("{i} = {i}.wrapping_add(1);"),
            ),
            Rounds::Bits(value) => (
                format!("let mut {n} = {};", expr(value)),
                format!("{n} != 0"),
                format!("{n} &= {n}.wrapping_sub(1); {i} = {i}.wrapping_add(1);"),
            ),
            Rounds::Shifts(value, by) => (
                format!("let mut {n} = {};", expr(value)),
                format!("{n} != 0"),
                format!("{n} >>= {by}; {i} = {i}.wrapping_add(1);"),
            ),
            Rounds::Steps(most, value, [one, other]) => (
                String::new(),
                format!("{i} < {most}"),
                format!(
                    "{i} = {i}.wrapping_add(if {} & 1 != 0 {{ {one} }} else {{ {other} }});",
                    expr(value)
                ),
            ),
            Rounds::Pointer(words) => (
                format!("let mut {n} = q; let end{id} = q.add({words});"),
                format!("{n} != end{id}"),
                format!("v0 = v0.wrapping_add(*{n}); {n} = {n}.add(1);"),
            ),
            Rounds::Search(most) => (
                String::new(),
                format!("{i} < {most} && *p.add({i} as usize) != 0"),
                format!("{i} = {i}.wrapping_add(1);"),
            ),
        };
        self.line(&before);
        self.line(&format!("let mut {i} = 0u32;"));
        self.line(&format!("'l{id}: while {condition} {{"));
        self.depth += 1;
        self.nested(&format!("'b{id}: {{"), body, Some(id));
        self.line(&behind);
        self.depth -= 1;
        self.line("}");
    }

    fn counted(&mut self, id: u32, one: &Counted, last: &str, body: &[Stmt]) {
        let i = format!("i{id}");
        let test = format!("if !({i} {} {}) {{ break 'l{id}; }}", goes_on(one.until), {
            number(one.to, one.counter)
        });
        self.line(&format!("let mut {i} = {};", number(one.from, one.counter)));
        self.line(&format!("'l{id}: loop {{"));
        self.depth += 1;
        if !one.tests_last {
            self.line(&test);
        }
        self.nested(&format!("'b{id}: {{"), body, Some(id));
        self.line(last);
        self.line(&step(&i, one));
        if one.tests_last {
            self.line(&test);
        }
        self.depth -= 1;
        self.line("}");
    }
}

/// The comparison with which a loop goes on.
pub fn goes_on(until: Until) -> &'static str {
    match until {
        Until::Less => "<",
        Until::NotMore => "<=",
        Until::NotEqual | Until::DownNotEqual => "!=",
        Until::More => ">",
        Until::NotLess => ">=",
    }
}

/// Whether a counter goes down.
pub fn is_down(until: Until) -> bool {
    matches!(until, Until::More | Until::NotLess | Until::DownNotEqual)
}

fn step(i: &str, one: &Counted) -> String {
    let how = if is_down(one.until) { "wrapping_sub" } else { "wrapping_add" };
    format!("{i} = {i}.{how}({});", one.step)
}

fn number(value: u32, counter: Counter) -> String {
    match counter {
        Counter::U8 => format!("{}u8", value as u8),
        Counter::U16 => format!("{}u16", value as u16),
        Counter::U32 => format!("{value}u32"),
        Counter::I32 => format!("({}i32)", value as i32),
    }
}
