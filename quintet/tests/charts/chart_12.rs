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
        defer = [Event::F],
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
            Event::I(_) => {
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
        defer = [Event::G(2)],
    )]
    fn s1(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::C if self.0.guard(9, self.0.v[1] >= 7) => {
                DeepHistory(State::s0())
            }
            Event::C if self.0.guard(10, self.0.v[2] >= 6) => {
                Handled
            }
            Event::C => {
                DeepHistory(State::s0())
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.add(7, 0, 3);
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.add(8, 1, 1);
    }

    #[superstate(
        superstate = s0,
        initial = State::s6(),
    )]
    fn s2(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::C => {
                if self.0.guard(11, self.0.v[1] >= 7) {
                    return Local(State::s9());
                }
                self.0.add(12, 0, 2);
                Super
            }
            Event::F => {
                DeepHistory(State::s0())
            }
            _ => Super,
        }
    }

    #[superstate(
        superstate = s1,
        initial = State::s4(6),
        initial_action = s3_initial,
        entry_action = s3_entry,
        exit_action = s3_exit,
        defer = [Event::F],
    )]
    fn s3() -> Outcome<State> {
        Super
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.act(13);
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(14, 1, 1);
    }

    #[action]
    fn s3_initial(&mut self) {
        self.0.act(3);
    }

    #[state(
        superstate = s3,
        entry_action = s4_entry,
        exit_action = s4_exit,
    )]
    fn s4(&mut self, own: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::I(_) => {
                self.0.act(17);
                Handled
            }
            Event::C => {
                if self.0.guard(18, self.0.v[1] >= 4) {
                    self.0.act(19);
                    return Transition(State::s1(), |this| this.0.act(20));
                }
                Transition(State::s4(self.0.v[2]))
            }
            Event::B if self.0.guard(21, self.0.v[2] >= 1) => {
                Super
            }
            Event::B if self.0.guard(22, self.0.v[0] >= 6) => {
                Transition(State::s4(6))
            }
            Event::B => {
                self.0.act(23);
                Transition(State::s4(self.0.v[2]))
            }
            Event::F => {
                Transition(State::s5(6), |this| this.0.act(67))
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_entry(&mut self) {
        self.0.add(15, 0, 4);
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.act(16);
    }

    #[state(
        superstate = s1,
        entry_action = s5_entry,
        exit_action = s5_exit,
        defer = [Event::B],
    )]
    fn s5(&mut self, own: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::G(_) => {
                self.0.add(26, 1, 4);
                History(State::s0(), |this| this.0.add(27, 1, 5))
            }
            Event::A => {
                if self.0.guard(28, *own % 2 == 1) {
                    return Super;
                }
                if self.0.guard(29, self.0.v[2] >= 2) {
                    self.0.grow(30, own, 1);
                    return Transition(State::s4(5));
                }
                Transition(State::s6(), |this| this.0.add(31, 0, 3))
            }
            Event::E => {
                if self.0.guard(32, self.0.v[0] >= 4) {
                    self.0.add(33, 1, 3);
                    return Transition(State::s1());
                }
                self.0.add(34, 1, 5);
                Transition(State::s8())
            }
            Event::F => {
                if self.0.guard(35, *own % 2 == 1) {
                    return Transition(State::s9());
                }
                if self.0.guard(36, self.0.v[0] >= 6) {
                    return Transition(State::s5(5), |this| this.0.add(37, 0, 3));
                }
                self.0.grow(38, own, 3);
                Transition(State::s5(self.0.v[0]))
            }
            Event::D => {
                Transition(State::s6(), |this| this.0.act(68))
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_entry(&mut self) {
        self.0.add(24, 0, 1);
    }

    #[action]
    fn s5_exit(&mut self) {
        self.0.add(25, 0, 2);
    }

    #[state(
        superstate = s2,
        entry_action = s6_entry,
        exit_action = s6_exit,
    )]
    fn s6(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::H(1) => {
                if self.0.guard(41, self.0.v[0] >= 6) {
                    return Super;
                }
                if self.0.guard(42, self.0.v[2] >= 6) {
                    self.0.add(43, 1, 3);
                    return Transition(State::s6());
                }
                Handled
            }
            Event::H(_) => {
                if self.0.guard(44, self.0.v[1] >= 6) {
                    Handled
                } else {
                    DeepHistory(State::s0(), |this| this.0.act(45))
                }
            }
            Event::B => {
                Transition(State::s9(), |this| this.0.act(69))
            }
            _ => Super,
        }
    }

    #[action]
    fn s6_entry(&mut self) {
        self.0.add(39, 0, 5);
    }

    #[action]
    fn s6_exit(&mut self) {
        self.0.add(40, 0, 1);
    }

    #[superstate(
        superstate = s2,
        initial = State::s9(),
        entry_action = s7_entry,
        exit_action = s7_exit,
    )]
    fn s7(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::D => {
                if self.0.guard(48, self.0.v[1] >= 1) {
                    self.0.add(49, 2, 1);
                    return Transition(State::s7());
                }
                Transition(State::s0())
            }
            _ => Super,
        }
    }

    #[action]
    fn s7_entry(&mut self) {
        self.0.add(46, 0, 4);
    }

    #[action]
    fn s7_exit(&mut self) {
        self.0.act(47);
    }

    #[state(
        entry_action = s8_entry,
        exit_action = s8_exit,
        defer = [Event::I(1)],
    )]
    fn s8(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::G(_) if self.0.guard(52, self.0.v[2] >= 5) => {
                self.0.add(53, 1, 4);
                History(State::s0(), |this| this.0.act(54))
            }
            Event::G(_) if self.0.guard(55, self.0.v[2] >= 2) => {
                Super
            }
            Event::G(n) => {
                self.0.set(56, 1, *n);
                Handled
            }
            Event::C if self.0.guard(57, self.0.v[1] >= 1) => {
                self.0.add(58, 2, 5);
                Transition(State::s8(), |this| this.0.add(59, 2, 3))
            }
            Event::C if self.0.guard(60, self.0.v[0] >= 2) => {
                Transition(State::s8(), |this| this.0.add(61, 2, 1))
            }
            Event::C => {
                Transition(State::s8())
            }
            Event::F => {
                Transition(State::s4(self.0.v[2]), |this| this.0.add(70, 1, 2))
            }
            _ => Super,
        }
    }

    #[action]
    fn s8_entry(&mut self) {
        self.0.add(50, 0, 3);
    }

    #[action]
    fn s8_exit(&mut self) {
        self.0.add(51, 2, 4);
    }

    #[state(
        superstate = s7,
        entry_action = s9_entry,
        exit_action = s9_exit,
    )]
    fn s9(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::F => {
                Transition(State::s2(), |this| this.0.add(64, 1, 4))
            }
            Event::D => {
                if self.0.guard(65, self.0.v[1] >= 1) {
                    self.0.add(66, 0, 3);
                    return Handled;
                }
                Transition(State::s1())
            }
            Event::I(_) => {
                Transition(State::s8())
            }
            _ => Super,
        }
    }

    #[action]
    fn s9_entry(&mut self) {
        self.0.add(62, 2, 4);
    }

    #[action]
    fn s9_exit(&mut self) {
        self.0.add(63, 0, 1);
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
    0x89fb3bfb, 0xf4acfedd, 0x3879063f, 0x290078d0, 0x557c4582, 0x084ea223, 0x3c9e0ae4,
    0x693d9bd8, 0x7c4884f2, 0x093b4969, 0xe88f5cde, 0xfc70abb1, 0x86e4bd62, 0x86cea4c1,
    0x1969444e, 0xcdbe07f1, 0x60927bf5, 0xb445ee7b, 0xbd06d7af, 0x965bc716, 0x7df452e4,
];
