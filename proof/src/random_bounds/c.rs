//! Prints a program in C.

mod value;

use super::program::{
    Atomic, Counted, Counter, DATA, Expr, Function, Mask, Program, Rounds, STATE, Stmt, TABLE,
};
use super::rust::{goes_on, is_down};
use super::target::Place;
use value::{expr, store};

/// What stands before the functions.
const PRELUDE: &str = "\
#include <stdint.h>
#include <string.h>
typedef uint8_t u8; typedef uint16_t u16; typedef uint32_t u32; typedef uint64_t u64;
typedef int32_t i32; typedef int64_t i64;
typedef u32 (*function)(u32, u32, u8 *, u32 *);
struct __attribute__((packed)) pack { u8 a; u32 b; u16 c; u32 d; };
struct words { u32 w[4]; };
struct fields { u32 a : 3; u32 b : 7; i32 c : 5; u32 d : 17; };
__attribute__((aligned(8))) u8 DATA[DATA_BYTES];
volatile u32 STATE[STATE_WORDS];
volatile u32 INPUT[8];
volatile u32 OUTPUT;
#define WRITE(address, value) (*(volatile u32 *)(address) = (value))
#define READ(address) (*(volatile u32 *)(address))
#define ALWAYS static inline __attribute__((always_inline))
ALWAYS u32 fold(u64 value) { return (u32)(value ^ value >> 32); }
ALWAYS u64 wide(u32 high, u32 low) { return (u64)high << 32 | low; }
ALWAYS u32 get16(const u8 *p) { u16 v; memcpy(&v, p, 2); return v; }
ALWAYS u32 get32(const u8 *p) { u32 v; memcpy(&v, p, 4); return v; }
ALWAYS u64 get64(const u8 *p) { u64 v; memcpy(&v, p, 8); return v; }
ALWAYS void put16(u8 *p, u16 v) { memcpy(p, &v, 2); }
ALWAYS void put32(u8 *p, u32 v) { memcpy(p, &v, 4); }
ALWAYS void put64(u8 *p, u64 v) { memcpy(p, &v, 8); }
ALWAYS u32 packed(const struct pack *s) { return (s->b ^ s->c) + s->d; }
ALWAYS u32 field(u32 v) { struct fields f; memcpy(&f, &v, 4); f.b += f.a; f.c ^= f.d;
  memcpy(&v, &f, 4); return v; }
ALWAYS u32 structure(const u8 *p) { struct words s; memcpy(&s, p, 16);
  return s.w[0] ^ s.w[1] ^ s.w[3]; }
ALWAYS void put_structure(u8 *p, u32 a, u32 b, u32 c, u32 d) { struct words s = {{a, b, c, d}};
  memcpy(p, &s, 16); }
ALWAYS float single(u32 v) { float f; memcpy(&f, &v, 4); return f; }
ALWAYS u32 of_single(float f) { u32 v; memcpy(&v, &f, 4); return v; }
ALWAYS double twice(u64 v) { double f; memcpy(&f, &v, 8); return f; }
ALWAYS u32 of_double(double f) { u64 v; memcpy(&v, &f, 8); return fold(v); }
ALWAYS u32 rotate(u32 x, u32 y) { y &= 31; return x << y | x >> (-y & 31); }
ALWAYS u32 zeros(u32 x) { return x ? (u32)__builtin_clz(x) : 32; }
ALWAYS u32 most(volatile u32 *p, u32 v) { u32 was = *p;
  while (!__atomic_compare_exchange_n(p, &was, was > v ? was : v, 0, 0, 0)) {} return was; }
ALWAYS u32 exchange(volatile u32 *p, u32 was, u32 v) {
  return __atomic_compare_exchange_n(p, &was, v, 0, 0, 0); }
struct method { u32 (*step)(u32, u8 *, u32 *); };
static u32 first(u32 x, u8 *p, u32 *q) { return *p ^ x; }
static u32 second(u32 x, u8 *p, u32 *q) { return *q / (x | 1) ^ 7; }
static u32 third(u32 x, u8 *p, u32 *q) {
  for (int i = 0; i < 9; i++) x = (x + q[i]) * 5;
  return x; }
static const struct method FIRST = {first}, SECOND = {second}, THIRD = {third};
static const struct method *const METHODS[3] = {&FIRST, &SECOND, &THIRD};
__attribute__((noinline, used)) void next_input(void) { __asm__ volatile(\"nop\"); }
__attribute__((used)) void fault(void) { for (;;) __asm__ volatile(\"nop\"); }
";

/// The source of a program for a place.
pub fn source(program: &Program, place: &Place) -> String {
    let prelude = PRELUDE.replace("DATA_BYTES", &DATA.to_string());
    let mut text = prelude.replace("STATE_WORDS", &STATE.to_string());
    text += &format!("#define DEVICE 0x{:x}u\n", place.device);
    let numbers: Vec<usize> =
        (0..program.functions.len()).filter(|one| program.functions[*one].is_some()).collect();
    for number in &numbers {
        text += &format!("u32 f{number}(u32, u32, u8 *, u32 *);\n");
    }
    if let Some(first) = numbers.first().filter(|first| **first < TABLE as usize) {
        let is_there = |number: usize| numbers.contains(&number);
        let name = |number: u32| {
            let number = number as usize;
            format!("f{}", if is_there(number) { number } else { *first })
        };
        let names = (0..TABLE).map(name).collect::<Vec<_>>().join(", ");
        text += &format!("static const function TABLE[{TABLE}] = {{{names}}};\n");
        text += &format!("function RAM_TABLE[{TABLE}] = {{{names}}};\n");
    }
    for number in &numbers {
        if let Some(one) = &program.functions[*number] {
            let section = if one.in_ram { ", section(\".data.code\")" } else { "" };
            text += &format!("__attribute__((noinline, used{section})) ");
            text += &function_text(&format!("f{number}"), one);
        }
    }
    for (number, handler) in program.handlers.iter().enumerate() {
        text += "ALWAYS ";
        text += &function_text(&format!("h{number}"), handler);
        text += &format!(
            "__attribute__((used)) void irq{number}(void) {{\n    STATE[{}] = h{number}(STATE[{}], \
             STATE[{}], DATA + {}, (u32 *)DATA);\n}}\n",
            STATE - 1,
            2 * number,
            2 * number + 1,
            1 + number
        );
    }
    text + &main_text(program, place, &numbers)
}

fn main_text(program: &Program, place: &Place, numbers: &[usize]) -> String {
    let mut text = String::new();
    if program.calls_by_table {
        let names = numbers.iter().map(|one| format!("f{one}")).collect::<Vec<_>>().join(", ");
        text += &format!("static const function ALL[{}] = {{{names}}};\n", numbers.len());
    }
    text += "__attribute__((noinline)) void run(void) {\n    for (;;) {\n        next_input();\n";
    text +=
        "        WRITE(0xe000e100, INPUT[5]);\n        u32 x = INPUT[1], y = INPUT[2], out = 0;\n";
    if program.sets_priorities {
        text += "        WRITE(0xe000e400, INPUT[6]);\n";
    }
    text += "        u8 *p = (u8 *)INPUT[3];\n        u32 *q = (u32 *)INPUT[4];\n";
    if program.calls_by_table {
        text += &format!("        out = ALL[INPUT[0] % {}](x, y, p, q);\n", numbers.len());
    } else {
        text += "        switch (INPUT[0]) {\n";
        for (index, number) in numbers.iter().enumerate() {
            text += &format!("        case {index}: out = f{number}(x, y, p, q); break;\n");
        }
        text += "        }\n";
    }
    text += "        OUTPUT = out;\n    }\n}\nvoid Reset(void) {\n";
    for (address, value) in place.start_up(&program.priorities) {
        text += &format!("    WRITE(0x{address:x}, 0x{value:x});\n");
    }
    text += "    __asm__ volatile(\"dsb\\n isb\" ::: \"memory\");\n    run();\n}\n";
    text += "__attribute__((section(\".vectors\"), used)) const void *const VECTORS[24] = {\n";
    text += "    (void *)0x20002000, (void *)Reset,\n";
    for exception in 2..24_usize {
        let name = match exception.checked_sub(16) {
            Some(number) if number < program.handlers.len() => format!("irq{number}"),
            _ => "fault".to_owned(),
        };
        text += &format!("    (void *){name},\n");
    }
    text + "};\n"
}

/// One function by its name.
fn function_text(name: &str, function: &Function) -> String {
    let mut printer = Printer { text: String::new(), depth: 1, name: name.to_owned(), next: 0 };
    printer.line(&format!("u32 {name}(u32 x, u32 y, u8 *p, u32 *q) {{"));
    let [one, other] = function.constants;
    printer.depth += 1;
    printer.line(&format!("u32 v0 = x, v1 = y, v2 = 0x{one:x}u, v3 = 0x{other:x}u;"));
    printer.block(&function.body, None);
    let result = expr(&function.result);
    printer.line(&format!("return v0 ^ v1 ^ rotate(v2, 7) ^ rotate(v3, 9) ^ {result};"));
    printer.depth -= 1;
    printer.line("}");
    printer.text
}

struct Printer {
    text: String,
    depth: usize,
    name: String,
    /// The number of the next computed jump.
    next: u32,
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
            Stmt::State(word, value) => self.line(&format!("STATE[{word}] = {};", expr(value))),
            Stmt::If(condition, then, other) => {
                self.nested(&format!("if ({}) {{", expr(condition)), then, around);
                if !other.is_empty() {
                    self.nested("else {", other, around);
                }
            }
            Stmt::Loop { id, rounds, body } => self.repeat(*id, rounds, body),
            Stmt::Switch { of, arms, dense } => {
                self.line(&format!("switch ({} & 31) {{", expr(of)));
                for (index, arm) in arms.iter().enumerate() {
                    let value = if *dense { index } else { index * index % 29 };
                    self.nested(&format!("case {value}: {{"), arm, around);
                    self.line("break;");
                }
                self.line("}");
            }
            Stmt::Goto { of, arms } => self.goto(of, arms, around),
            Stmt::Break(condition) => {
                if let Some(id) = around {
                    self.line(&format!("if ({}) goto l{id};", expr(condition)));
                }
            }
            Stmt::Continue(condition) => {
                if let Some(id) = around {
                    self.line(&format!("if ({}) goto b{id};", expr(condition)));
                }
            }
            Stmt::Return(condition, value) => {
                self.line(&format!("if ({}) return {};", expr(condition), expr(value)));
            }
            other => self.effect(other, around),
        }
    }

    /// A jump to an address of a table.
    fn goto(&mut self, of: &Expr, arms: &[Vec<Stmt>], around: Option<u32>) {
        let mark = self.next;
        self.next += 1;
        let label = |index: usize| format!("g{mark}_{index}");
        let labels: Vec<_> = (0..arms.len()).map(|index| format!("&&{}", label(index))).collect();
        self.line("{");
        self.line(&format!("static const void *const to{mark}[] = {{{}}};", labels.join(", ")));
        self.line(&format!("goto *to{mark}[{} % {}];", expr(of), arms.len()));
        for (index, arm) in arms.iter().enumerate() {
            self.nested(&format!("{}: {{", label(index)), arm, around);
            self.line(&format!("goto end{mark};"));
        }
        self.line(&format!("end{mark}:;"));
        self.line("}");
    }

    /// A statement without others around it, but for masks.
    fn effect(&mut self, one: &Stmt, around: Option<u32>) {
        let bytes = |bytes: &u32, value: &Option<Expr>| match value {
            Some(value) => format!("{} & 63", expr(value)),
            None => bytes.to_string(),
        };
        match one {
            Stmt::Copy { bytes: count, value, overlaps } => {
                let count = bytes(count, value);
                let (how, to) = if *overlaps { ("memmove", 3) } else { ("memcpy", 64) };
                self.line(&format!("{how}(p + {to}, p, {count});"));
            }
            Stmt::Fill { bytes: count, value, with } => {
                let count = bytes(count, value);
                self.line(&format!("memset(p + 5, {with}, {count});"));
            }
            Stmt::Device(value) => self.line(&format!("WRITE(DEVICE, {});", expr(value))),
            Stmt::Bit { word, bit, unknown, value } => {
                let base = if *unknown { "q" } else { "STATE" };
                let size = ["u8", "u16", "u32"][*bit as usize % 3];
                self.line(&format!(
                    "*(volatile {size} *)(((u32){base} - 0x20000000) * 32 + 0x22000000 + {}) = {};",
                    word * 128 + bit * 4,
                    expr(value)
                ));
            }
            Stmt::Masked(mask, body) => self.masked(mask, body, around),
            Stmt::Atomic(operation, word, value) => {
                let value = expr(value);
                let call = match operation {
                    Atomic::Add => format!("__atomic_fetch_add(&STATE[{word}], {value}, 0)"),
                    Atomic::Swap => format!("__atomic_exchange_n(&STATE[{word}], {value}, 0)"),
                    Atomic::Most => format!("most(&STATE[{word}], {value})"),
                    Atomic::Exchange => format!("exchange(&STATE[{word}], v0, {value})"),
                };
                self.line(&format!("v1 ^= {call};"));
            }
            Stmt::Barrier => self.line("__asm__ volatile(\"dmb\\n isb\" ::: \"memory\");"),
            Stmt::Recurse(most) => {
                let name = self.name.clone();
                self.line(&format!(
                    "if ((x & 15) != 0 && (x & 15) <= {most}) v1 ^= {name}((x & 15) - 1, y, p, q);"
                ));
            }
            _ => {}
        }
    }

    fn masked(&mut self, mask: &Mask, body: &[Stmt], around: Option<u32>) {
        let level = |value: &str| {
            format!(
                "u32 was; __asm__ volatile(\"mrs %0, basepri\" : \"=r\"(was) :: \"memory\"); \
                 __asm__ volatile(\"msr basepri, %0\" :: \"r\"({value}) : \"memory\");"
            )
        };
        let back = "__asm__ volatile(\"msr basepri, %0\" :: \"r\"(was) : \"memory\");";
        let (begin, end) = match mask {
            Mask::Off => (
                "__asm__ volatile(\"cpsid i\" ::: \"memory\");".to_owned(),
                "__asm__ volatile(\"cpsie i\" ::: \"memory\");",
            ),
            Mask::Saved => (
                "u32 was; __asm__ volatile(\"mrs %0, primask\\n cpsid i\" : \"=r\"(was) :: \
                 \"memory\");"
                    .to_owned(),
                "__asm__ volatile(\"msr primask, %0\" :: \"r\"(was) : \"memory\");",
            ),
            Mask::Level(value) => (level(&value.to_string()), back),
            Mask::Value(value) => (level(&expr(value)), back),
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
        let (i, n) = (format!("i{id}"), format!("n{id}"));
        let (before, condition, behind): (String, String, String) = match rounds {
            Rounds::Counted(one) => return self.counted(id, one, "", body),
            Rounds::Skips(one, value) => {
                let again = format!("if ({} & 1) {}", expr(value), step(&i, one));
                return self.counted(id, one, &again, body);
            }
            Rounds::Resets(one, value, most) => {
                self.line(&format!("u32 {n} = 0;"));
                let from = number(one.from, one.counter);
                let back = format!(
                    "if (({} & 1) && {n} < {most}) {{ {n}++; {i} = {from}; }}",
                    expr(value)
                );
                return self.counted(id, one, &back, body);
            }
            Rounds::Clamped(value, most) => (
                format!("u32 {n} = {}; if ({n} > {most}) {n} = {most};", expr(value)),
                format!("{i} < {n}"),
                format!("{i}++;"),
            ),
            Rounds::Triangle(outer) => {
                (format!("u32 {n} = i{outer} & 15;"), format!("{i} < {n}"), format!("{i}++;"))
            }
            Rounds::Bits(value) => (
                format!("u32 {n} = {};", expr(value)),
                n.clone(),
                format!("{n} &= {n} - 1; {i}++;"),
            ),
            Rounds::Shifts(value, by) => {
                (format!("u32 {n} = {};", expr(value)), n.clone(), format!("{n} >>= {by}; {i}++;"))
            }
            Rounds::Steps(most, value, [one, other]) => (
                String::new(),
                format!("{i} < {most}"),
                format!("{i} += ({} & 1) ? {one} : {other};", expr(value)),
            ),
            Rounds::Pointer(words) => (
                format!("u32 *{n} = q, *end{id} = q + {words};"),
                format!("{n} != end{id}"),
                format!("v0 += *{n}++;"),
            ),
            Rounds::Search(most) => {
                (String::new(), format!("{i} < {most} && p[{i}]"), format!("{i}++;"))
            }
        };
        self.line(&before);
        self.line(&format!("u32 {i} = 0;"));
        self.line(&format!("while ({condition}) {{"));
        self.depth += 1;
        self.nested("{", body, Some(id));
        self.line(&format!("b{id}:;"));
        self.line(&behind);
        self.depth -= 1;
        self.line("}");
        self.line(&format!("l{id}:;"));
    }

    fn counted(&mut self, id: u32, one: &Counted, last: &str, body: &[Stmt]) {
        let i = format!("i{id}");
        let to = number(one.to, one.counter);
        let test = format!("if (!({i} {} {to})) break;", goes_on(one.until));
        let (kind, from) = (of(one.counter), number(one.from, one.counter));
        self.line(&format!("{kind} {i} = {from};"));
        self.line("for (;;) {");
        self.depth += 1;
        if !one.tests_last {
            self.line(&test);
        }
        self.nested("{", body, Some(id));
        self.line(&format!("b{id}:;"));
        self.line(last);
        self.line(&step(&i, one));
        if one.tests_last {
            self.line(&test);
        }
        self.depth -= 1;
        self.line("}");
        self.line(&format!("l{id}:;"));
    }
}

fn step(i: &str, one: &Counted) -> String {
    format!("{i} {} {};", if is_down(one.until) { "-=" } else { "+=" }, one.step)
}

fn of(counter: Counter) -> &'static str {
    match counter {
        Counter::U8 => "u8",
        Counter::U16 => "u16",
        Counter::U32 => "u32",
        Counter::I32 => "i32",
    }
}

fn number(value: u32, counter: Counter) -> String {
    match counter {
        Counter::U8 => format!("{}", value as u8),
        Counter::U16 => format!("{}", value as u16),
        Counter::U32 => format!("{value}u"),
        Counter::I32 => format!("({})", value as i32),
    }
}
