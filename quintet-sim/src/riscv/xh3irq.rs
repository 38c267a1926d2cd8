//! Hazard3's controller of external interrupts, Xh3irq, in registers for control and status. The
//! rules are those of `hazard3_irq_ctrl.v`.
//!
//! ```text
//!  0xbe0 meiea       enabled, 16 interrupts a window      written: 31:16 bits, 4:0 window
//!  0xbe1 meipa       pending, the same (read-only)
//!  0xbe2 meifa       forced, the same; ends when meinext shows the interrupt
//!  0xbe3 meipra      priorities, 4 interrupts a window    written: 31:16 bits, 6:0 window
//!  0xbe4 meinext     31 none, 10:2 the next one           written: 0 enter its priority
//!  0xbe5 meicontext  31:28 27:24 20:16 priorities from which on interrupts preempt: that of two
//!                    handlers ago, of one ago, now; 15 none, 12:4 the interrupt; 3 mtie saved,
//!                    2 msie saved, 1 clear these, 0 MRET restores the priorities
//! ```
//! A window's number is taken from the operand of the instruction as it is, whatever is set or
//! cleared. An interrupt preempts if its priority is not below the present one, and is shown if it
//! is not below the one before.

/// The interrupts at most.
pub const IRQS_MAX: u32 = 512;

const MEIEA: u16 = 0xbe0;
const MEIPA: u16 = 0xbe1;
const MEIFA: u16 = 0xbe2;
const MEIPRA: u16 = 0xbe3;
const MEINEXT: u16 = 0xbe4;
const MEICONTEXT: u16 = 0xbe5;

const WORDS: usize = IRQS_MAX as usize / 32;
/// The priority from which on nothing preempts.
const NOTHING: u8 = 0x10;
const NONE: u32 = 1 << 31;
/// Bits of `meicontext`.
const RESTORES: u32 = 1 << 0;
const CLEARS: u32 = 1 << 1;
const SAVED_SOFTWARE: u32 = 1 << 2;
const SAVED_TIMER: u32 = 1 << 3;
const NO_IRQ: u32 = 1 << 15;
/// Bits of `mie`.
const SOFTWARE: u32 = 1 << 3;
const TIMER: u32 = 1 << 7;

/// Returns `true` for a register of the controller.
pub fn has(csr: u16) -> bool {
    (MEIEA..=MEICONTEXT).contains(&csr)
}

/// What an instruction asks of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The register.
    pub csr: u16,
    /// The operand.
    pub operand: u32,
    /// Whether it sets or clears bits, or writes all.
    pub change: Change,
    /// Whether it reads: CSRRW to x0 does not.
    pub reads: bool,
}

/// How an operand changes a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// It replaces the register.
    Write,
    /// It sets bits.
    Set,
    /// It clears bits.
    Clear,
    /// It changes nothing: the operand is x0.
    Nothing,
}

/// The priorities from which on interrupts preempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Context {
    /// Of two handlers ago.
    two_ago: u8,
    /// Of one handler ago.
    one_ago: u8,
    now: u8,
    irq: Option<u32>,
    restores: bool,
}

/// The controller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Xh3irq {
    priority_mask: u8,
    enabled: [u32; WORDS],
    forced: [u32; WORDS],
    lines: [u32; WORDS],
    /// Of each interrupt that is there.
    priorities: Vec<u8>,
    context: Context,
}

fn has_bit(bits: &[u32; WORDS], irq: usize) -> bool {
    bits[irq / 32] >> (irq % 32) & 1 != 0
}

/// Returns 16 interrupts of an array.
fn window(bits: &[u32; WORDS], operand: u32) -> u32 {
    let index = (operand & 0x1f) as usize;
    bits[index / 2] >> (16 * (index % 2)) << 16
}

impl Xh3irq {
    /// After a reset, with so many interrupts and bits of priority, at most 512 and 4.
    pub fn new(irqs: u32, priority_bits: u32) -> Self {
        Self {
            priority_mask: !(0xf >> priority_bits.min(4)) & 0xf,
            enabled: [0; WORDS],
            forced: [0; WORDS],
            lines: [0; WORDS],
            priorities: vec![0; irqs.min(IRQS_MAX) as usize],
            context: Context::default(),
        }
    }

    /// Resets it.
    pub fn reset(&mut self) {
        let count = self.priorities.len();
        self.priorities = vec![0; count];
        self.context = Context::default();
        (self.enabled, self.forced) = ([0; WORDS], [0; WORDS]);
    }

    /// Takes the levels of the lines of devices.
    pub fn set_lines(&mut self, lines: &[u32]) {
        for (own, line) in self.lines.iter_mut().zip(lines) {
            *own = *line;
        }
        self.cut();
    }

    /// Takes interrupts away that are not there.
    fn cut(&mut self) {
        let count = self.priorities.len();
        for array in [&mut self.enabled, &mut self.forced, &mut self.lines] {
            for (index, word) in array.iter_mut().enumerate() {
                let there = count.saturating_sub(32 * index).min(32);
                *word &= u32::MAX.checked_shr(32 - there as u32).unwrap_or(0);
            }
        }
    }

    fn pending(&self) -> [u32; WORDS] {
        std::array::from_fn(|word| self.lines[word] | self.forced[word])
    }

    /// Returns `true` if an interrupt preempts: the line to the hart.
    pub fn calls(&self) -> bool {
        self.first(self.context.now).is_some()
    }

    /// Returns the pending, enabled interrupt of the highest priority that is not below one: of
    /// equals, the lowest number.
    fn first(&self, least: u8) -> Option<(u32, u8)> {
        let pending = self.pending();
        let mut first = None;
        for (irq, priority) in self.priorities.iter().enumerate() {
            let is_active = has_bit(&pending, irq) && has_bit(&self.enabled, irq);
            if is_active && *priority >= least && first.is_none_or(|(_, best)| *priority > best) {
                first = Some((irq as u32, *priority));
            }
        }
        first
    }

    /// The priority that the next interrupt's handler gets, so that only higher ones preempt it.
    fn level(&self) -> u8 {
        let step = (!self.priority_mask & 0xf) + 1;
        let next = self.first(self.context.one_ago);
        next.map_or(NOTHING, |(_, priority)| (priority + step) & (NOTHING | self.priority_mask))
    }

    /// Returns a register, for an operand; `enabled` is `mie`.
    pub fn peek(&self, csr: u16, operand: u32, enabled: u32) -> u32 {
        match csr {
            MEIEA => window(&self.enabled, operand),
            MEIPA => window(&self.pending(), operand),
            MEIFA => window(&self.forced, operand),
            MEIPRA => {
                let first = 4 * (operand & 0x7f) as usize;
                let priority = |index| self.priorities.get(first + index).copied().unwrap_or(0);
                (0..4).map(|index| u32::from(priority(index)) << (16 + 4 * index)).sum()
            }
            MEINEXT => self.first(self.context.one_ago).map_or(NONE, |(irq, _)| irq << 2),
            MEICONTEXT => {
                let Context { two_ago, one_ago, now, irq, restores } = self.context;
                let saves = operand & CLEARS != 0;
                let saved = |bit, place| if saves && enabled & bit != 0 { place } else { 0 };
                u32::from(two_ago) << 28
                    | u32::from(one_ago) << 24
                    | u32::from(now) << 16
                    | irq.map_or(NO_IRQ, |irq| irq << 4)
                    | saved(TIMER, SAVED_TIMER)
                    | saved(SOFTWARE, SAVED_SOFTWARE)
                    | u32::from(restores)
            }
            _ => 0,
        }
    }

    /// Accesses a register as an instruction does; returns what it reads, and `mie` behind it.
    pub fn access(&mut self, asked: Asked, enabled: u32) -> (u32, u32) {
        let Asked { csr, operand, change, reads } = asked;
        let clears = csr == MEICONTEXT
            && operand & CLEARS != 0
            && matches!(change, Change::Write | Change::Set);
        let shown = if csr == MEICONTEXT && !clears { operand & !CLEARS } else { operand };
        let old = self.peek(csr, shown, enabled);
        let value = match change {
            Change::Write => operand,
            Change::Set => old | operand,
            Change::Clear => old & !operand,
            Change::Nothing => old,
        };
        let writes = change != Change::Nothing;
        let level = self.level();
        let next = self.first(self.context.one_ago);
        if reads
            && csr == MEINEXT
            && let Some((irq, _)) = next
        {
            self.forced[irq as usize / 32] &= !(1 << (irq % 32));
        }
        if !writes {
            return (old, enabled);
        }
        match csr {
            MEIEA | MEIFA => self.write_window(csr, operand, value),
            MEIPRA => self.write_priorities(operand, value),
            MEINEXT if value & 1 != 0 => {
                self.context.now = level;
                self.context.irq = next.map(|(irq, _)| irq);
            }
            MEICONTEXT => self.write_context(value),
            _ => {}
        }
        if csr != MEICONTEXT {
            return (old, enabled);
        }
        let saved = |place, bit| if value & place != 0 { bit } else { 0 };
        let restored = enabled | saved(SAVED_TIMER, TIMER) | saved(SAVED_SOFTWARE, SOFTWARE);
        (old, if clears { restored & !(TIMER | SOFTWARE) } else { restored })
    }

    fn write_window(&mut self, csr: u16, operand: u32, value: u32) {
        let array = if csr == MEIEA { &mut self.enabled } else { &mut self.forced };
        let index = (operand & 0x1f) as usize;
        let shift = 16 * (index % 2) as u32;
        array[index / 2] = array[index / 2] & !(0xffff << shift) | value >> 16 << shift;
        self.cut();
    }

    fn write_priorities(&mut self, operand: u32, value: u32) {
        let first = 4 * (operand & 0x7f) as usize;
        for (index, priority) in self.priorities.iter_mut().skip(first).take(4).enumerate() {
            *priority = (value >> (16 + 4 * index)) as u8 & self.priority_mask;
        }
    }

    fn write_context(&mut self, value: u32) {
        let mask = self.priority_mask;
        self.context = Context {
            two_ago: (value >> 28) as u8 & mask,
            one_ago: (value >> 24) as u8 & mask,
            now: (value >> 16) as u8 & (NOTHING | mask),
            irq: (value & NO_IRQ == 0).then_some(value >> 4 & 0x1ff),
            restores: value & RESTORES != 0,
        };
    }

    /// Enters the handler of a trap: of this controller's, or of another one.
    pub fn enter(&mut self, is_external: bool) {
        let level = self.level();
        let context = &mut self.context;
        if is_external {
            context.two_ago = context.one_ago;
            context.one_ago = context.now & self.priority_mask;
            context.now = level;
        }
        context.restores = is_external;
    }

    /// Leaves the handler of a trap by MRET.
    pub fn leave(&mut self) {
        let context = &mut self.context;
        if context.restores {
            context.now = context.one_ago;
            context.one_ago = context.two_ago;
            context.two_ago = 0;
        }
        context.restores = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Interrupts 3 and 20 of 52 are enabled, with these priorities.
    fn with(priorities: [u32; 2]) -> Xh3irq {
        let mut controller = Xh3irq::new(52, 4);
        write(&mut controller, MEIEA, 1 << (16 + 3));
        write(&mut controller, MEIEA, 1 << (16 + 4) | 1);
        write(&mut controller, MEIPRA, priorities[0] << 28);
        write(&mut controller, MEIPRA, priorities[1] << 16 | 5);
        controller
    }

    fn ask(controller: &mut Xh3irq, csr: u16, operand: u32, change: Change) -> u32 {
        controller.access(Asked { csr, operand, change, reads: true }, 0).0
    }

    fn write(controller: &mut Xh3irq, csr: u16, operand: u32) {
        controller.access(Asked { csr, operand, change: Change::Write, reads: false }, 0);
    }

    /// `csrrsi a0, meinext, 1`.
    fn next(controller: &mut Xh3irq) -> u32 {
        ask(controller, MEINEXT, 1, Change::Set)
    }

    #[test]
    fn windows_show_sixteen_interrupts_each() {
        let mut controller = with([1, 2]);
        assert_eq!(ask(&mut controller, MEIEA, 0, Change::Nothing), 1 << 19);
        assert_eq!(ask(&mut controller, MEIEA, 1, Change::Set), 1 << 20);
        assert_eq!(ask(&mut controller, MEIPRA, 5, Change::Set), 2 << 16);
        controller.set_lines(&[1 << 20]);
        assert_eq!(ask(&mut controller, MEIPA, 1, Change::Set), 1 << 20);
        // Bits 48 to 63, of which only four are there.
        write(&mut controller, MEIEA, 0xffff_0003);
        assert_eq!(ask(&mut controller, MEIEA, 3, Change::Clear), 0xf_0000);
        ask(&mut controller, MEIEA, 0x1_0003, Change::Clear);
        assert_eq!(ask(&mut controller, MEIEA, 3, Change::Set), 0xe_0000);
    }

    #[test]
    fn the_highest_priority_is_next_and_of_equals_the_lowest_number() {
        for (priorities, first) in [([1, 2], 20), ([2, 2], 3)] {
            let mut controller = with(priorities);
            assert_eq!((controller.peek(MEINEXT, 0, 0), controller.calls()), (NONE, false));
            controller.set_lines(&[1 << 3 | 1 << 20]);
            assert!(controller.calls());
            assert_eq!(controller.peek(MEINEXT, 0, 0), first << 2);
        }
    }

    #[test]
    fn a_handler_is_preempted_by_higher_priorities_alone() {
        let mut controller = with([4, 5]);
        controller.set_lines(&[1 << 3]);
        controller.enter(true);
        assert_eq!(next(&mut controller), 3 << 2);
        assert!(!controller.calls(), "it doesn't preempt itself");
        controller.set_lines(&[1 << 3 | 1 << 20]);
        assert!(controller.calls());
        controller.enter(true);
        assert_eq!(next(&mut controller), 20 << 2);
        // What was preempted is not shown, though it is pending.
        controller.set_lines(&[1 << 3]);
        assert_eq!(next(&mut controller), NONE);
        controller.leave();
        assert!(!controller.calls());
        // The program restores what it has saved before it returns once more.
        write(&mut controller, MEICONTEXT, RESTORES);
        controller.leave();
        assert!(controller.calls(), "its line is still high");
    }

    #[test]
    fn a_handler_without_an_interrupt_lets_nothing_preempt_it() {
        let mut controller = with([1, 2]);
        assert_eq!(next(&mut controller), NONE);
        controller.set_lines(&[1 << 3]);
        assert!(!controller.calls());
        write(&mut controller, MEICONTEXT, NO_IRQ);
        assert!(controller.calls());
    }

    #[test]
    fn other_traps_keep_the_priorities() {
        let mut controller = with([4, 5]);
        controller.set_lines(&[1 << 3]);
        controller.enter(true);
        let context = controller.peek(MEICONTEXT, 0, 0);
        assert_eq!(context, 5 << 16 | NO_IRQ | RESTORES);
        controller.enter(false);
        assert_eq!(controller.peek(MEICONTEXT, 0, 0), context & !RESTORES);
        controller.leave();
        assert_eq!(controller.peek(MEICONTEXT, 0, 0), context & !RESTORES);
    }

    #[test]
    fn a_forced_interrupt_comes_once() {
        let mut controller = with([1, 1]);
        write(&mut controller, MEIFA, 1 << 20 | 1);
        assert!(controller.calls());
        controller.enter(true);
        assert_eq!(next(&mut controller), 20 << 2);
        assert_eq!(next(&mut controller), NONE);
        assert_eq!(ask(&mut controller, MEIFA, 1, Change::Set), 0);
    }

    #[test]
    fn the_other_enables_are_saved_cleared_and_restored() {
        let mut controller = with([1, 1]);
        let access = |controller: &mut Xh3irq, operand, change, enabled| {
            controller.access(Asked { csr: MEICONTEXT, operand, change, reads: true }, enabled)
        };
        let mie = TIMER | 1 << 11;
        let (saved, cleared) = access(&mut controller, CLEARS, Change::Set, mie);
        assert_eq!((saved & 0xf, cleared), (SAVED_TIMER, 1 << 11));
        let (_, restored) = access(&mut controller, saved, Change::Write, cleared);
        assert_eq!(restored, mie);
    }

    #[test]
    fn with_fewer_bits_priorities_are_coarse() {
        let mut controller = Xh3irq::new(4, 2);
        write(&mut controller, MEIPRA, 0x7_0000);
        assert_eq!(controller.peek(MEIPRA, 0, 0), 0x4_0000);
        write(&mut controller, MEIEA, 1 << 16);
        controller.set_lines(&[1]);
        controller.enter(true);
        assert_eq!(controller.peek(MEICONTEXT, 0, 0) >> 16 & 0x1f, 8);
    }
}
