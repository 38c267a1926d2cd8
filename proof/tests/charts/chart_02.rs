//! Printed by `cargo proof charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s4(),
    unhandled = Self::unhandled,
)]
impl Chart {
    #[superstate(
        entry_action = s0_entry,
        exit_action = s0_exit,
        on_completion = s0_next,
    )]
    fn s0(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::C => {
                self.0.add(8, 2, 2);
                Transition(State::s6(6), |this| this.0.add(9, 0, 4))
            }
            Event::G(_) => {
                if self.0.guard(10, self.0.v[1] >= 5) {
                    self.0.add(11, 2, 4);
                    Handled
                } else {
                    Local(State::s6(6))
                }
            }
            Event::I(n) => {
                if self.0.guard(12, self.0.v[2] >= 7) {
                    return Super;
                }
                if self.0.guard(13, *n >= 3) {
                    self.0.act(14);
                    return Super;
                }
                Transition(State::s6(6), |this| this.0.act(15))
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_entry(&mut self) {
        self.0.act(6);
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.act(7);
    }

    fn s0_next(&mut self) -> Outcome<State> {
        self.0.act(74);
        Transition(State::s5())
    }

    #[superstate(
        superstate = s0,
        initial = State::s5(),
        initial_action = s1_initial,
        entry_action = s1_entry,
        exit_action = s1_exit,
    )]
    fn s1(event: &Event) -> Outcome<State> {
        match event {
            Event::C => {
                Local(State::s7(), |this| this.0.add(18, 0, 4))
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.add(16, 0, 5);
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.add(17, 2, 4);
    }

    #[action]
    fn s1_initial(&mut self) {
        self.0.add(3, 2, 5);
    }

    #[superstate(
        superstate = s0,
        initial = State::s3(),
        initial_action = s2_initial,
    )]
    fn s2(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::G(_) => {
                Super
            }
            Event::D => {
                if self.0.guard(19, self.0.v[0] >= 1) {
                    return Transition(State::s2());
                }
                if self.0.guard(20, self.0.v[1] >= 1) {
                    self.0.act(21);
                    return Handled;
                }
                self.0.act(22);
                Transition(State::s7())
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_initial(&mut self) {
        self.0.add(4, 2, 5);
    }

    #[superstate(
        superstate = s2,
        initial = State::s6(5),
        initial_action = s3_initial,
        entry_action = s3_entry,
        exit_action = s3_exit,
    )]
    fn s3(&mut self, own: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::A => {
                if self.0.guard(25, *own % 2 == 1) {
                    Handled
                } else if self.0.guard(26, *own % 2 == 1) {
                    self.0.act(27);
                    Handled
                } else {
                    Transition(State::s3(), |this| this.0.add(28, 2, 4))
                }
            }
            Event::G(_) => {
                if self.0.guard(29, self.0.v[2] >= 4) {
                    return Local(State::s5());
                }
                Transition(State::s7())
            }
            Event::D if self.0.guard(30, *own % 2 == 1) => {
                self.0.add(31, 2, 4);
                Local(State::s6(7))
            }
            Event::D if self.0.guard(32, self.0.v[2] >= 4) => {
                Handled
            }
            Event::D => {
                self.0.add(33, 2, 2);
                Local(State::s3())
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.act(23);
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(24, 1, 5);
    }

    #[action]
    fn s3_initial(&mut self) {
        self.0.add(5, 2, 5);
    }

    #[state(
        superstate = s2,
        entry_action = s4_entry,
        after = (self.0.timer(75), 4),
        on_completion = s4_next,
    )]
    fn s4(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::E => {
                if self.0.guard(35, self.0.v[0] >= 4) {
                    self.0.add(36, 2, 3);
                    Transition(State::s2())
                } else if self.0.guard(37, self.0.v[0] >= 2) {
                    self.0.add(38, 0, 2);
                    Transition(State::s2(), |this| this.0.act(39))
                } else {
                    Handled
                }
            }
            Event::G(_) => {
                Transition(State::s8(), |this| this.0.add(73, 0, 1))
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_entry(&mut self) {
        self.0.add(34, 0, 4);
    }

    fn s4_next(&mut self) -> Outcome<State> {
        if self.0.guard(40, self.0.v[2] >= 4) {
            Transition(State::s6(0))
        } else {
            Handled
        }
    }

    #[state(
        superstate = s1,
        entry_action = s5_entry,
        exit_action = s5_exit,
    )]
    fn s5(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::H(_) => {
                self.0.act(43);
                Super
            }
            Event::F => {
                if self.0.guard(44, self.0.v[0] >= 6) {
                    Transition(State::s5())
                } else if self.0.guard(45, self.0.v[0] >= 2) {
                    Super
                } else {
                    Handled
                }
            }
            Event::E => {
                if self.0.guard(46, self.0.v[2] >= 6) {
                    return Handled;
                }
                Local(State::s8())
            }
            Event::A => {
                if self.0.guard(47, self.0.v[2] >= 7) {
                    return Transition(State::s5());
                }
                Transition(State::s6(3))
            }
            Event::B => {
                Transition(State::s6(7))
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_entry(&mut self) {
        self.0.act(41);
    }

    #[action]
    fn s5_exit(&mut self) {
        self.0.add(42, 0, 2);
    }

    #[state(
        superstate = s3,
        entry_action = s6_entry,
        exit_action = s6_exit,
    )]
    fn s6(&mut self, own: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::D => {
                if self.0.guard(50, self.0.v[1] >= 6) {
                    self.0.act(51);
                    Transition(State::s6(self.0.v[1]))
                } else if self.0.guard(52, self.0.v[0] >= 1) {
                    self.0.grow(53, own, 1);
                    Transition(State::s6(0))
                } else {
                    Handled
                }
            }
            Event::G(_) => {
                if self.0.guard(54, self.0.v[0] >= 3) {
                    self.0.add(55, 0, 5);
                    Transition(State::s6(self.0.v[1]))
                } else {
                    Transition(State::s7())
                }
            }
            Event::E => {
                Transition(State::s4())
            }
            _ => Super,
        }
    }

    #[action]
    fn s6_entry(&mut self, own: &mut u8) {
        self.0.grow(48, own, 4);
    }

    #[action]
    fn s6_exit(&mut self) {
        self.0.act(49);
    }

    #[state(
        superstate = s1,
        exit_action = s7_exit,
    )]
    fn s7(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::A => {
                if self.0.guard(57, self.0.v[1] >= 2) {
                    self.0.add(58, 1, 2);
                    Transition(State::s7())
                } else if self.0.guard(59, self.0.v[0] >= 3) {
                    Handled
                } else {
                    Super
                }
            }
            Event::E => {
                self.0.act(60);
                Super
            }
            Event::D => {
                Transition(State::s5(), |this| this.0.add(72, 1, 4))
            }
            _ => Super,
        }
    }

    #[action]
    fn s7_exit(&mut self) {
        self.0.add(56, 1, 1);
    }

    #[state(
        completes = s0,
        entry_action = s8_entry,
        exit_action = s8_exit,
        after = (self.0.timer(76), 8),
    )]
    fn s8(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::I(_) => {
                self.0.add(63, 0, 5);
                Transition(State::s1(), |this| this.0.add(64, 1, 5))
            }
            Event::B if self.0.guard(65, self.0.v[0] >= 5) => {
                self.0.add(66, 2, 1);
                Super
            }
            Event::B => {
                Transition(State::s8(), |this| this.0.add(67, 2, 3))
            }
            Event::C => {
                if self.0.guard(68, self.0.v[2] >= 7) {
                    self.0.add(69, 2, 4);
                    Transition(State::s8())
                } else if self.0.guard(70, self.0.v[1] >= 2) {
                    Handled
                } else {
                    self.0.add(71, 1, 5);
                    Transition(State::s8())
                }
            }
            Event::E => {
                Transition(State::s7())
            }
            _ => Super,
        }
    }

    #[action]
    fn s8_entry(&mut self) {
        self.0.add(61, 1, 2);
    }

    #[action]
    fn s8_exit(&mut self) {
        self.0.add(62, 0, 2);
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
            State::S4 => (4, 0),
            State::S5 => (5, 0),
            State::S6 { own } => (6, *own),
            State::S7 => (7, 0),
            State::S8 => (8, 0),
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
            7 => machine.is_in(Within::S7),
            8 => machine.is_in(Within::S8),
            _ => false,
        }
    }

    fn states(&self) -> u16 {
        9
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
    G2CEI3DAFAFBDH3AG1BEBDDFH1I2H1BFH2H0DG3CBBH0G3EG1BADH1H1BG2DFEH0I1AH3CEFAG3H2H0I1EECBBH2AA\
    AEFAAI1G3EI0EG0CCI1I0ACBBH2AG0H1BDFECEBEG0EFI0DDADG2G1FDH0CDBAI2ABI1H1AG0I1G3AI3AI2BH3AFI3\
    DH0H3H0BH0FDH2DFFDEG1I2CH3AH0AFG3FG2ECFEEG2G2FCAG1EDG2FEH1G0DI2H3AG1I0AEI3EH1I3FEH3FDFAG1I\
    2G1BH3I1DBCBH2EH1I0I1EFCH0EACI1CEAI3EBG2I3EI1CDAG1FAG2ECBBDBH2AI3ACBFDBH2CG3CDFG3H3I2DAG0B\
    CEBG3AH3FG1FH0H3DFDH3AAFBI1CCAI3H3ACH3FCFG2FH3H3AH1H1I1H3CEACH2AADH1H0EH3AI0FBH3I2G2H0EDDE\
    EBECI1EH0I0CEBI1G0CG2G0G1EBAEBDFH2I1G1H1CCH2G2BBFEBACH0CG1G3DBI1G3CH2FBG3EBCADFAAABFI1AI2G\
    2CFFACH2I1\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0x07aaae87, 0x2dd8903f, 0x9174ea63, 0x5170d9e8, 0x65ad7d0b, 0x262c748c, 0x40b90709,
    0xda5c7c4d, 0x1cebfeec, 0x873b6f93, 0x85573915, 0xee702587, 0x82970abd, 0xcebcbc39,
    0x5757edd9, 0x5bb8b2da, 0x9c4e3b38, 0x7d44988a, 0xb0959acb, 0xd00c99ce,
];
