//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s9(),
    deferred = 1,
    unhandled = Self::unhandled,
)]
impl Chart {
    #[superstate(
        initial = State::s7(),
        initial_action = s0_initial,
        entry_action = s0_entry,
    )]
    fn s0(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::H(_) => {
                if self.0.guard(5, self.0.v[1] >= 2) {
                    return Super;
                }
                self.0.add(6, 0, 3);
                Transition(State::s0())
            }
            Event::F => {
                if self.0.guard(7, self.0.v[1] >= 1) {
                    return Super;
                }
                if self.0.guard(8, self.0.v[2] >= 4) {
                    return Transition(State::s0(), |this| this.0.add(9, 1, 5));
                }
                self.0.add(10, 1, 4);
                Transition(State::s9())
            }
            Event::E if self.0.guard(11, self.0.v[0] >= 7) => {
                self.0.add(12, 0, 5);
                Transition(State::s0(), |this| this.0.add(13, 0, 1))
            }
            Event::E if self.0.guard(14, self.0.v[1] >= 3) => {
                Transition(State::s5(2))
            }
            Event::E => {
                self.0.act(15);
                Super
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_entry(&mut self) {
        self.0.add(4, 0, 3);
    }

    #[action]
    fn s0_initial(&mut self) {
        self.0.add(2, 2, 5);
    }

    #[superstate(
        initial = State::s3(),
        entry_action = s1_entry,
        exit_action = s1_exit,
    )]
    fn s1(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::E => {
                if self.0.guard(18, self.0.v[2] >= 1) {
                    self.0.add(19, 1, 1);
                    Handled
                } else if self.0.guard(20, self.0.v[0] >= 6) {
                    self.0.act(21);
                    Local(State::s4(self.0.v[1]))
                } else {
                    self.0.act(22);
                    Local(State::s1())
                }
            }
            Event::H(_) => {
                Super
            }
            Event::F => {
                Transition(State::s1())
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.add(16, 2, 2);
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.add(17, 2, 5);
    }

    #[superstate(
        superstate = s0,
        initial = State::s6(),
        exit_action = s2_exit,
    )]
    fn s2(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::G(_) => {
                Super
            }
            Event::C if self.0.guard(24, self.0.v[0] >= 6) => {
                DeepHistory(State::s0(), |this| this.0.add(25, 1, 1))
            }
            Event::C if self.0.guard(26, self.0.v[2] >= 4) => {
                self.0.add(27, 0, 3);
                Transition(State::s0(), |this| this.0.add(28, 2, 3))
            }
            Event::C => {
                self.0.add(29, 1, 5);
                Deferred
            }
            Event::E => {
                if self.0.guard(30, self.0.v[1] >= 5) {
                    self.0.add(31, 1, 5);
                    return Super;
                }
                if self.0.guard(32, self.0.v[2] >= 6) {
                    self.0.add(33, 2, 1);
                    return Super;
                }
                self.0.add(34, 1, 1);
                Transition(State::s0())
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_exit(&mut self) {
        self.0.add(23, 0, 4);
    }

    #[superstate(
        superstate = s1,
        initial = State::s4(6),
        initial_action = s3_initial,
        entry_action = s3_entry,
        exit_action = s3_exit,
    )]
    fn s3(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::A => {
                if self.0.guard(37, self.0.v[1] >= 6) {
                    return Transition(State::s1());
                }
                self.0.add(38, 1, 5);
                Transition(State::s8())
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.add(35, 2, 1);
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(36, 1, 4);
    }

    #[action]
    fn s3_initial(&mut self) {
        self.0.act(3);
    }

    #[state(
        superstate = s3,
        entry_action = s4_entry,
        exit_action = s4_exit,
        defer = [Event::D, Event::E],
    )]
    fn s4(&mut self, own: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::G(_) => {
                if self.0.guard(41, self.0.v[0] >= 4) {
                    self.0.grow(42, own, 1);
                    return Handled;
                }
                Local(State::s5(self.0.v[0]))
            }
            Event::F => {
                Super
            }
            Event::C => {
                History(State::s0())
            }
            Event::B => {
                Transition(State::s9())
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_entry(&mut self) {
        self.0.act(39);
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.add(40, 0, 5);
    }

    #[state(
        superstate = s1,
        entry_action = s5_entry,
        exit_action = s5_exit,
    )]
    fn s5(&mut self, own: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::H(_) => {
                if self.0.guard(45, self.0.v[0] >= 4) {
                    self.0.add(46, 0, 5);
                    return Transition(State::s4(3));
                }
                Handled
            }
            Event::D => {
                if self.0.guard(47, *own % 2 == 1) {
                    self.0.grow(48, own, 4);
                    DeepHistory(State::s0())
                } else {
                    self.0.add(49, 0, 5);
                    Super
                }
            }
            Event::A => {
                Transition(State::s4(2), |this| this.0.add(79, 0, 1))
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_entry(&mut self, own: &mut u8) {
        self.0.grow(43, own, 5);
    }

    #[action]
    fn s5_exit(&mut self) {
        self.0.add(44, 2, 1);
    }

    #[state(
        superstate = s2,
        entry_action = s6_entry,
    )]
    fn s6(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::B => {
                if self.0.guard(51, self.0.v[0] >= 5) {
                    self.0.add(52, 2, 5);
                    return Transition(State::s6());
                }
                if self.0.guard(53, self.0.v[2] >= 2) {
                    return Handled;
                }
                Transition(State::s6())
            }
            Event::C => {
                Transition(State::s8(), |this| this.0.add(78, 2, 2))
            }
            _ => Super,
        }
    }

    #[action]
    fn s6_entry(&mut self) {
        self.0.add(50, 0, 4);
    }

    #[superstate(
        superstate = s2,
        initial = State::s9(),
        exit_action = s7_exit,
    )]
    fn s7(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::G(n) if self.0.guard(55, *n >= 1) => {
                self.0.add(56, 0, 1);
                Transition(State::s2(), |this| this.0.add(57, 1, 2))
            }
            Event::G(n) if self.0.guard(58, self.0.v[2] >= 4) => {
                self.0.set(59, 0, *n);
                Transition(State::s5(4), |this| this.0.add(60, 2, 1))
            }
            Event::G(_) => {
                self.0.add(61, 1, 2);
                Handled
            }
            Event::H(_) if self.0.guard(62, self.0.v[0] >= 2) => {
                Transition(State::s7(), |this| this.0.add(63, 1, 4))
            }
            Event::H(n) if self.0.guard(64, self.0.v[2] >= 1) => {
                self.0.set(65, 1, *n);
                Handled
            }
            Event::H(_) => {
                Transition(State::s9(), |this| this.0.act(66))
            }
            Event::D => {
                Transition(State::s0(), |this| this.0.add(67, 1, 4))
            }
            _ => Super,
        }
    }

    #[action]
    fn s7_exit(&mut self) {
        self.0.act(54);
    }

    #[state(
        entry_action = s8_entry,
        defer = [Event::C],
    )]
    fn s8(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::D => {
                if self.0.guard(69, self.0.v[0] >= 5) {
                    return Super;
                }
                self.0.add(70, 2, 2);
                Transition(State::s8())
            }
            Event::A => {
                self.0.add(71, 1, 3);
                Super
            }
            Event::F => {
                Transition(State::s5(2))
            }
            _ => Super,
        }
    }

    #[action]
    fn s8_entry(&mut self) {
        self.0.add(68, 1, 3);
    }

    #[state(
        superstate = s7,
        entry_action = s9_entry,
        exit_action = s9_exit,
    )]
    fn s9(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::I(2) => {
                if self.0.guard(74, self.0.v[2] >= 1) {
                    self.0.add(75, 0, 4);
                    return Local(State::s6());
                }
                Super
            }
            Event::I(n) if self.0.guard(76, *n >= 1) => {
                Local(State::s0())
            }
            Event::I(_) => {
                DeepHistory(State::s0(), |this| this.0.add(77, 1, 2))
            }
            Event::C => {
                Transition(State::s6())
            }
            _ => Super,
        }
    }

    #[action]
    fn s9_entry(&mut self) {
        self.0.act(72);
    }

    #[action]
    fn s9_exit(&mut self) {
        self.0.add(73, 2, 2);
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
        self.machine.dispatch(&event).is_ok()
    }

    fn leaf(&self) -> (u16, u8) {
        match self.machine.state() {
            State::S4 { own } => (4, *own),
            State::S5 { own } => (5, *own),
            State::S6 => (6, 0),
            State::S8 => (8, 0),
            State::S9 => (9, 0),
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
            9 => machine.is_in(Within::S9),
            _ => false,
        }
    }

    fn states(&self) -> u16 {
        10
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
    .AI1DFEI0G2CEG2I1AI2G1I1G2G0CH1EDG3H0CBDG2CH3AG3FFAH0FDH2H0BCACCDI2FBFDDG0BECFI0CDDG3ACFBA\
    EI0G1ADFFDAABDBDH2FH3FBI1I0EG1I2ACG0I2DFCCDEAABG3DG2FH1AEDH1G0H2BFG2EG3CAFABI0AAEFH0BDI1CC\
    EAEG1BI1BI1FG2I3FFDAAFDG0BFFCDADDAFDAFFADEG0I2H3I3I3FDBAH2ACFH1EI0I0G3BI1EFEBH3BH2CH0H2H1E\
    G3FBI2DEAG2CFDBAI1DI2EEEH0BEDBI2H1DDG0ECFDCI2FDCEEG0FBBDG3DI3DH1CCH3AFCH2H3CH3EI1DBH3EI0ED\
    BBCCFG3EEBCCAEAG0BEEACEBDDCH2FI1I3BADBAG2G2EI3ABI1H1G2CH2BFCBG0EG2H0EI2DI2AG0CAFDDBBI1G1H1\
    H3BCG3EBI0I2I2G2AI3FCI0CBAH2AH0AH0CFH1BCCI3G2AI1AECCI0I0CI3EFBI0CG2DEH1FDBFACAFC\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0x1e32f812, 0x7e2091f9, 0x5a88833f, 0x7532b681, 0xed55d10b, 0xbba1c27e, 0x39a60c2c,
    0x884c7779, 0x516eb4a2, 0x7756ab05, 0xbd574789, 0xcb9e4f6e, 0xbcc17c95, 0x5373c223,
    0x37e8e1ab, 0xa95c750b, 0x9b4e6866, 0xe323609d, 0xe077c5ae, 0xdbf331af, 0x8ae24a34,
];
