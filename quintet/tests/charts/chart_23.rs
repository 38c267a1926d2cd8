//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s0(),
)]
impl Chart {
    #[superstate(
        initial = State::s7(),
        entry_action = s0_entry,
    )]
    fn s0(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::D => {
                Super
            }
            Event::G(_) => {
                self.0.add(7, 1, 5);
                Transition(State::s1(), |this| this.0.act(8))
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_entry(&mut self) {
        self.0.add(6, 2, 1);
    }

    #[superstate(
        superstate = s0,
        initial = State::s5(),
        initial_action = s1_initial,
        entry_action = s1_entry,
        exit_action = s1_exit,
    )]
    fn s1(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::B => {
                if self.0.guard(11, self.0.v[1] >= 1) {
                    return History(State::s5());
                }
                if self.0.guard(12, self.0.v[1] >= 2) {
                    self.0.act(13);
                    return Handled;
                }
                Handled
            }
            Event::G(_) => {
                History(State::s5())
            }
            Event::C => {
                DeepHistory(State::s5(), |this| this.0.act(14))
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.add(9, 1, 3);
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.act(10);
    }

    #[action]
    fn s1_initial(&mut self) {
        self.0.add(2, 2, 4);
    }

    #[superstate(
        superstate = s0,
        entry_action = s2_entry,
        exit_action = s2_exit,
    )]
    fn s2(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::B => {
                if self.0.guard(17, self.0.v[2] >= 6) {
                    self.0.add(18, 2, 5);
                    Super
                } else {
                    self.0.add(19, 1, 1);
                    Local(State::s4())
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.add(15, 0, 5);
    }

    #[action]
    fn s2_exit(&mut self) {
        self.0.act(16);
    }

    #[superstate(
        superstate = s1,
        initial = State::s5(),
        initial_action = s3_initial,
        entry_action = s3_entry,
        exit_action = s3_exit,
    )]
    fn s3(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::F => {
                if self.0.guard(22, self.0.v[1] >= 1) {
                    self.0.add(23, 1, 3);
                    Local(State::s6())
                } else {
                    History(State::s5(), |this| this.0.add(24, 0, 3))
                }
            }
            Event::B => {
                self.0.act(25);
                Transition(State::s3())
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.act(20);
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(21, 2, 4);
    }

    #[action]
    fn s3_initial(&mut self) {
        self.0.add(4, 0, 1);
    }

    #[state(
        superstate = s2,
        entry_action = s4_entry,
        exit_action = s4_exit,
    )]
    fn s4(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::I(_) if self.0.guard(28, self.0.v[2] >= 4) => {
                self.0.act(29);
                Local(State::s0(), |this| this.0.act(30))
            }
            Event::I(n) if self.0.guard(31, self.0.v[1] >= 6) => {
                self.0.set(32, 1, n);
                Super
            }
            Event::I(_) => {
                self.0.add(33, 0, 4);
                Super
            }
            Event::H(n) => {
                if self.0.guard(34, self.0.v[1] >= 4) {
                    self.0.set(35, 1, n);
                    DeepHistory(State::s5())
                } else {
                    self.0.add(36, 1, 1);
                    DeepHistory(State::s5())
                }
            }
            Event::C if self.0.guard(37, self.0.v[0] >= 6) => {
                self.0.add(38, 2, 4);
                Transition(State::s4(), |this| this.0.act(39))
            }
            Event::C if self.0.guard(40, self.0.v[1] >= 1) => {
                self.0.act(41);
                DeepHistory(State::s5())
            }
            Event::C => {
                Transition(State::s7())
            }
            Event::B => {
                Transition(State::s8(), |this| this.0.add(87, 2, 1))
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_entry(&mut self) {
        self.0.add(26, 2, 4);
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.act(27);
    }

    #[superstate(
        superstate = s3,
        initial = State::s6(),
        exit_action = s5_exit,
    )]
    fn s5(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::A if self.0.guard(43, self.0.v[2] >= 2) => {
                self.0.add(44, 0, 3);
                Local(State::s6())
            }
            Event::A => {
                self.0.act(45);
                Local(State::s8(), |this| this.0.act(46))
            }
            Event::B => {
                if self.0.guard(47, self.0.v[0] >= 2) {
                    Transition(State::s8())
                } else if self.0.guard(48, self.0.v[1] >= 4) {
                    self.0.add(49, 0, 5);
                    History(State::s5())
                } else {
                    self.0.act(50);
                    Local(State::s7())
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_exit(&mut self) {
        self.0.add(42, 1, 3);
    }

    #[superstate(
        superstate = s5,
        initial = State::s7(),
        initial_action = s6_initial,
        entry_action = s6_entry,
        exit_action = s6_exit,
    )]
    fn s6(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::F => {
                Transition(State::s1())
            }
            Event::B => {
                self.0.add(53, 0, 1);
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    fn s6_entry(&mut self) {
        self.0.add(51, 2, 1);
    }

    #[action]
    fn s6_exit(&mut self) {
        self.0.act(52);
    }

    #[action]
    fn s6_initial(&mut self) {
        self.0.add(5, 2, 5);
    }

    #[state(
        superstate = s6,
        exit_action = s7_exit,
    )]
    fn s7(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::I(n) => {
                if self.0.guard(55, n >= 2) {
                    self.0.add(56, 2, 2);
                    Transition(State::s7(), |this| this.0.add(57, 0, 3))
                } else {
                    self.0.add(58, 2, 4);
                    DeepHistory(State::s5(), |this| this.0.add(59, 0, 4))
                }
            }
            Event::F if self.0.guard(60, self.0.v[0] >= 1) => {
                self.0.add(61, 1, 1);
                Local(State::s5())
            }
            Event::F => {
                Super
            }
            Event::C => {
                Local(State::s1())
            }
            Event::H(3) if self.0.guard(62, self.0.v[2] >= 4) => {
                self.0.add(63, 2, 5);
                Local(State::s8())
            }
            Event::H(3) => {
                Super
            }
            Event::H(_) => {
                Local(State::s3())
            }
            Event::E => {
                Transition(State::s9(5))
            }
            _ => Super,
        }
    }

    #[action]
    fn s7_exit(&mut self) {
        self.0.add(54, 1, 2);
    }

    #[state(
        superstate = s6,
        entry_action = s8_entry,
    )]
    fn s8(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::E => {
                if self.0.guard(65, self.0.v[1] >= 4) {
                    self.0.add(66, 2, 2);
                    return Local(State::s7());
                }
                Transition(State::s3(), |this| this.0.add(67, 1, 5))
            }
            Event::A => {
                DeepHistory(State::s5(), |this| this.0.add(68, 2, 1))
            }
            Event::G(_) => {
                Transition(State::s7(), |this| this.0.act(85))
            }
            _ => Super,
        }
    }

    #[action]
    fn s8_entry(&mut self) {
        self.0.act(64);
    }

    #[state(
        entry_action = s9_entry,
    )]
    fn s9(&mut self, own: &mut u8, event: Event) -> Outcome<State> {
        match event {
            Event::A => {
                self.0.add(70, 2, 2);
                Transition(State::s8(), |this| this.0.act(71))
            }
            Event::C => {
                self.0.add(72, 2, 2);
                Transition(State::s9(self.0.v[2]), |this| this.0.act(73))
            }
            Event::G(0) => {
                if self.0.guard(74, self.0.v[0] >= 4) {
                    Handled
                } else {
                    DeepHistory(State::s5())
                }
            }
            Event::G(_) => {
                if self.0.guard(75, *own % 2 == 1) {
                    Transition(State::s3(), |this| this.0.add(76, 2, 3))
                } else if self.0.guard(77, *own % 2 == 1) {
                    Transition(State::s1(), |this| this.0.add(78, 1, 1))
                } else {
                    Transition(State::s9(1), |this| this.0.act(79))
                }
            }
            Event::I(_) if self.0.guard(80, self.0.v[2] >= 3) => {
                History(State::s5())
            }
            Event::I(_) if self.0.guard(81, self.0.v[0] >= 2) => {
                Transition(State::s0(), |this| this.0.add(82, 1, 1))
            }
            Event::I(_) => {
                self.0.add(83, 1, 1);
                Transition(State::s9(self.0.v[2]), |this| this.0.act(84))
            }
            Event::D => {
                Transition(State::s6())
            }
            Event::B => {
                Transition(State::s4(), |this| this.0.add(86, 0, 1))
            }
            _ => Super,
        }
    }

    #[action]
    fn s9_entry(&mut self) {
        self.0.act(69);
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
        self.machine.dispatch(event);
        true
    }

    fn leaf(&self) -> (u16, u8) {
        match self.machine.state() {
            State::S4 => (4, 0),
            State::S7 => (7, 0),
            State::S8 => (8, 0),
            State::S9 { own } => (9, *own),
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
    .G2H2AH3CG1ACCADEAFI1G3ACBDH1CDCI2BH0DABEEEI2BH0DDABI2I0H1AEAH0I2AACBCDEG3EDDAFBBAI2AFDFI3\
    DEFCI1G0DFFFAG1FAG0H3I2H1G0AAG1BI1G0H0DAH3H3I2H3G0G0I1AI1I2EAG3FFAFEABCBAG1G2CG1EBBACI1AFB\
    H2FG0CFH1H0CDEBG3FABCBADBAFFDEEH3BDI0BH1BI3I0H3BDEH3I2AEI0CAFABBG3G0H2H3EI1H0G2CI0FH3I3AAA\
    I1EBAI2EEECABEDDI2BCDCI2BFCDI3H2CFEBAI2AEDBI2EH2BH3CEAFAAI1EH2AFG1CABI0DDCEDH2H3I0DCFBCACF\
    DFCH0FEBG1I0G0CI3DG3G1G2FBEG0DI2G0DG3H0I1FEBI1DAG1DH3G2ADFFFG1I2I0FG1BG0FG2DDDBFH2BDAH1AAB\
    G3CH3AI1AI0AAEFCBG0H3AG2G1EAI3I2BACFG2BEFCCBAAG0ABG3H1BI3H1G1BEI0FCI0FDG1DBI2I3H3EFH0BE\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0x97efc803, 0x2133e64f, 0xdb52fa4e, 0x3e7724cd, 0xbd207ef2, 0x4630f392, 0x9e76c47c,
    0x2bed9b5b, 0x839d48f3, 0xce28c078, 0x9be349f1, 0x4e25c47a, 0x5a140e48, 0x58b19fd4,
    0x32f9b329, 0x0a58cf18, 0xa42480ad, 0x70ab8971, 0x13537947, 0x61cb7004, 0x92a15585,
];
