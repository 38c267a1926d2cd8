//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s2(),
    unhandled = Self::unhandled,
)]
impl Chart {
    #[superstate(
        initial = State::s4(),
        initial_action = s0_initial,
        entry_action = s0_entry,
        exit_action = s0_exit,
    )]
    fn s0(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::G(_) => {
                if self.0.guard(6, self.0.v[0] >= 7) {
                    self.0.act(7);
                    Handled
                } else if self.0.guard(8, self.0.v[2] >= 5) {
                    self.0.act(9);
                    Transition(State::s0())
                } else {
                    Local(State::s4(), |this| this.0.add(10, 0, 3))
                }
            }
            Event::E => {
                Super
            }
            Event::B => {
                if self.0.guard(11, self.0.v[2] >= 4) {
                    Transition(State::s0())
                } else {
                    Handled
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_entry(&mut self) {
        self.0.add(4, 1, 3);
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.add(5, 2, 3);
    }

    #[action]
    fn s0_initial(&mut self) {
        self.0.act(2);
    }

    #[superstate(
        superstate = s0,
        initial = State::s2(),
        initial_action = s1_initial,
        exit_action = s1_exit,
    )]
    fn s1(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::F => {
                self.0.add(13, 1, 4);
                Transition(State::s4())
            }
            Event::B if self.0.guard(14, self.0.v[2] >= 4) => {
                Handled
            }
            Event::B => {
                Transition(State::s4())
            }
            Event::I(n) => {
                if self.0.guard(15, self.0.v[2] >= 1) {
                    self.0.add(16, 1, 2);
                    Transition(State::s3())
                } else if self.0.guard(17, self.0.v[2] >= 3) {
                    self.0.act(18);
                    Handled
                } else {
                    self.0.set(19, 0, *n);
                    Transition(State::s1(), |this| this.0.add(20, 2, 1))
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.add(12, 1, 5);
    }

    #[action]
    fn s1_initial(&mut self) {
        self.0.add(3, 2, 5);
    }

    #[state(
        superstate = s1,
        entry_action = s2_entry,
    )]
    fn s2(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::E => {
                Transition(State::s1(), |this| this.0.add(22, 0, 2))
            }
            Event::G(3) => {
                Super
            }
            Event::G(n) => {
                if self.0.guard(23, self.0.v[1] >= 4) {
                    Transition(State::s2())
                } else if self.0.guard(24, self.0.v[1] >= 6) {
                    self.0.set(25, 0, *n);
                    Handled
                } else {
                    self.0.add(26, 2, 4);
                    Handled
                }
            }
            Event::D => {
                if self.0.guard(27, self.0.v[1] >= 5) {
                    self.0.add(28, 1, 1);
                    Handled
                } else {
                    self.0.add(29, 0, 3);
                    Handled
                }
            }
            Event::I(_) => {
                self.0.add(30, 2, 3);
                Local(State::s1())
            }
            Event::C => {
                self.0.add(31, 0, 3);
                Transition(State::s1())
            }
            Event::F => {
                Transition(State::s4())
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.act(21);
    }

    #[state(
        superstate = s0,
        entry_action = s3_entry,
        exit_action = s3_exit,
    )]
    fn s3(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::F => {
                self.0.add(34, 1, 1);
                Transition(State::s6(self.0.v[2]))
            }
            Event::G(n) => {
                if self.0.guard(35, self.0.v[2] >= 7) {
                    return Super;
                }
                if self.0.guard(36, *n >= 3) {
                    self.0.set(37, 2, *n);
                    return Handled;
                }
                self.0.set(38, 1, *n);
                Transition(State::s2())
            }
            Event::C => {
                Transition(State::s3(), |this| this.0.add(39, 1, 1))
            }
            Event::E => {
                Transition(State::s3())
            }
            Event::H(_) => {
                Transition(State::s2(), |this| this.0.add(70, 0, 2))
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.add(32, 2, 2);
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(33, 1, 2);
    }

    #[state(
        superstate = s1,
        exit_action = s4_exit,
    )]
    fn s4(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::C => {
                Handled
            }
            Event::A if self.0.guard(41, self.0.v[1] >= 1) => {
                self.0.add(42, 0, 5);
                Handled
            }
            Event::A => {
                self.0.add(43, 2, 1);
                Handled
            }
            Event::F => {
                if self.0.guard(44, self.0.v[1] >= 7) {
                    self.0.add(45, 1, 5);
                    Handled
                } else if self.0.guard(46, self.0.v[0] >= 3) {
                    Transition(State::s4())
                } else {
                    self.0.add(47, 2, 5);
                    Super
                }
            }
            Event::E => {
                if self.0.guard(48, self.0.v[2] >= 2) {
                    self.0.add(49, 2, 1);
                    Transition(State::s4())
                } else {
                    Local(State::s0())
                }
            }
            Event::B => {
                Transition(State::s6(2), |this| this.0.act(71))
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.add(40, 0, 5);
    }

    #[state(
        superstate = s0,
        entry_action = s5_entry,
        exit_action = s5_exit,
    )]
    fn s5(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::C => {
                Super
            }
            Event::I(_) => {
                if self.0.guard(52, self.0.v[0] >= 4) {
                    self.0.add(53, 1, 2);
                    Super
                } else if self.0.guard(54, self.0.v[0] >= 4) {
                    self.0.add(55, 1, 4);
                    Transition(State::s3())
                } else {
                    self.0.add(56, 0, 5);
                    Transition(State::s1())
                }
            }
            Event::A => {
                Transition(State::s3())
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_entry(&mut self) {
        self.0.add(50, 0, 5);
    }

    #[action]
    fn s5_exit(&mut self) {
        self.0.act(51);
    }

    #[state(
        superstate = s1,
        entry_action = s6_entry,
        exit_action = s6_exit,
    )]
    fn s6(&mut self, own: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::D => {
                self.0.add(59, 1, 5);
                Handled
            }
            Event::C => {
                Handled
            }
            Event::E => {
                if self.0.guard(60, *own % 2 == 1) {
                    self.0.grow(61, own, 3);
                    Transition(State::s1(), |this| this.0.act(62))
                } else if self.0.guard(63, self.0.v[2] >= 7) {
                    self.0.add(64, 2, 3);
                    Transition(State::s0())
                } else {
                    Handled
                }
            }
            Event::B => {
                if self.0.guard(65, self.0.v[1] >= 1) {
                    self.0.add(66, 0, 4);
                    Super
                } else if self.0.guard(67, *own % 2 == 1) {
                    self.0.add(68, 1, 3);
                    Handled
                } else {
                    self.0.grow(69, own, 4);
                    Handled
                }
            }
            Event::A => {
                Transition(State::s5())
            }
            _ => Super,
        }
    }

    #[action]
    fn s6_entry(&mut self, own: &mut u8) {
        self.0.grow(57, own, 5);
    }

    #[action]
    fn s6_exit(&mut self) {
        self.0.act(58);
    }

}

impl Chart {
    fn unhandled(&mut self, _event: &Event) {
        self.0.act(1);
    }
}

/// The machine and its context.
pub struct Driver {
    machine: Machine<Chart>,
    context: Context,
}

impl Driver {
    /// Before its start.
    pub const NEW: Self =
        Self { machine: Chart(Recorder::NEW).machine(), context: Context { sum: 0 } };
}

impl Driven for Driver {
    fn start(&mut self) {
        self.machine.start();
    }

    fn dispatch(&mut self, event: Event) -> bool {
        self.machine.dispatch(&event);
        true
    }

    fn leaf(&self) -> (u16, u8) {
        match self.machine.state() {
            State::S2 => (2, 0),
            State::S3 => (3, 0),
            State::S4 => (4, 0),
            State::S5 => (5, 0),
            State::S6 { own } => (6, *own),
        }
    }

    fn is_in(&self, state: u16) -> bool {
        let machine = &self.machine;
        match state {
            0 => machine.is_in(Within::S0),
            1 => machine.is_in(Within::S1),
            2 => machine.is_in(Within::S2),
            3 => machine.is_in(Within::S3),
            4 => machine.is_in(Within::S4),
            5 => machine.is_in(Within::S5),
            6 => machine.is_in(Within::S6),
            _ => false,
        }
    }

    fn states(&self) -> u16 {
        7
    }

    fn sum(&self) -> u8 {
        self.context.sum
    }

    fn recorder(&mut self) -> &mut Recorder {
        &mut self.machine.0
    }
}

/// The steps: `.` is the start, an event is its name and number.
pub const STEPS: &str = "\
    EDG3I2DI2G3ABFCG3EEABBG3CDDI0AH2AH1FAG2AH3H3BBFFBCBG1I1BEG3CCH2G0I1CEEEAAABFDBAAH1H3I1ACBB\
    I1DEDBG3H3DG3DG1BI3FFH1CCH2FG1FDBAFCBBEBG0I3EH2CG0CEEH1DI0BH1CG1ECCBFCAH0EG0G3H1FDFFI0H2EI\
    0BI1DEG2G0ABEBG0DCH1DBG3CEAFG2H0EH0G3H3AH1FFI3ADDFFI0CDH2EFG2DBDFCI1DH3CEDI1AFI0CDG3ECEEBB\
    I3AFACAH0EDBFI1I2DDCFECCH2H3I1AI0G1BI2DH3I3CG0G0ECEH1H1H0AEDFH0FCFG1I2I2H2EEBBG3EEG2G2EFDD\
    BI1H0EBH3BH2CFDDEBAAI3CDDECDEG2FEEEEECDI1H0AFDBADBDAEDDH0FG1BG2CDAI0EH0FDFEFG0G2CAH2AAI2I2\
    I0BBDEG2DG1I2H0BH1EEI1FDFI2H1DH0I3ECBH1I0AFBADI1CCFH2AI0CI2I0BCBAFG1FCBCBI2DEAI3\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0xd8b152c6, 0x7e398297, 0xae1500d3, 0x6548cd80, 0x4a19796e, 0x137911da, 0xdd3e8b3e,
    0x91a07e3c, 0xfa01d7c0, 0xebc238e5, 0x99e5be63, 0xb3b2f05d, 0xbe40135d, 0x0070be20,
    0xc0f52356, 0x6def8590, 0x742e2676, 0x280486f2, 0xf63857df, 0x5d3ea586,
];
