//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s0(),
    deferred = 2,
    unhandled = Self::unhandled,
)]
impl Chart {
    #[superstate(
        initial = State::s3(),
        initial_action = s0_initial,
        entry_action = s0_entry,
        exit_action = s0_exit,
    )]
    fn s0(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::I(_) => {
                Deferred
            }
            Event::B => {
                if self.0.guard(8, self.0.v[0] >= 5) {
                    Local(State::s3())
                } else {
                    Transition(State::s2())
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_entry(&mut self) {
        self.0.add(6, 0, 3);
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.add(7, 1, 2);
    }

    #[action]
    fn s0_initial(&mut self) {
        self.0.add(2, 0, 3);
    }

    #[state(
        superstate = s0,
        entry_action = s1_entry,
        exit_action = s1_exit,
        on_completion = s1_next,
    )]
    fn s1(&mut self, own: &mut u8, event: Event) -> Outcome<State> {
        match event {
            Event::G(n) => {
                if self.0.guard(11, self.0.v[1] >= 6) {
                    return Super;
                }
                if self.0.guard(12, self.0.v[1] >= 6) {
                    self.0.set(13, 1, n);
                    return Transition(State::s2());
                }
                Transition(State::s1(self.0.v[2]), |this| this.0.add(14, 1, 3))
            }
            Event::E => {
                if self.0.guard(15, *own % 2 == 1) {
                    self.0.add(16, 1, 4);
                    Transition(State::s1(7))
                } else {
                    Handled
                }
            }
            Event::D => {
                if self.0.guard(17, self.0.v[0] >= 3) {
                    self.0.add(18, 1, 4);
                    Local(State::s3())
                } else if self.0.guard(19, self.0.v[0] >= 7) {
                    self.0.act(20);
                    Transition(State::s0())
                } else {
                    Deferred
                }
            }
            Event::C => {
                Transition(State::s7(), |this| this.0.add(79, 1, 5))
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.add(9, 0, 4);
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.add(10, 0, 4);
    }

    fn s1_next(&mut self) -> Outcome<State> {
        if self.0.guard(21, self.0.v[0] >= 3) {
            self.0.add(22, 1, 5);
            Transition(State::s6(), |this| this.0.add(23, 1, 5))
        } else {
            Handled
        }
    }

    #[superstate(
        superstate = s0,
        initial = State::s3(),
        initial_action = s2_initial,
        entry_action = s2_entry,
        defer = [Event::C],
    )]
    fn s2(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::E => {
                if self.0.guard(25, self.0.v[0] >= 4) {
                    self.0.add(26, 1, 3);
                    return Handled;
                }
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.add(24, 2, 3);
    }

    #[action]
    fn s2_initial(&mut self) {
        self.0.add(3, 0, 2);
    }

    #[state(
        superstate = s2,
        entry_action = s3_entry,
        exit_action = s3_exit,
    )]
    fn s3(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::H(_) => {
                Transition(State::s3(), |this| this.0.add(29, 0, 3))
            }
            Event::G(n) => {
                self.0.set(30, 1, n);
                Transition(State::s3(), |this| this.0.add(31, 1, 2))
            }
            Event::E => {
                self.0.add(32, 2, 2);
                Local(State::s6())
            }
            Event::D => {
                Transition(State::s5(), |this| this.0.add(80, 0, 4))
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.add(27, 2, 2);
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(28, 0, 2);
    }

    #[superstate(
        superstate = s2,
        initial = State::s6(),
        initial_action = s4_initial,
        entry_action = s4_entry,
        exit_action = s4_exit,
    )]
    fn s4(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::D => {
                if self.0.guard(35, self.0.v[1] >= 5) {
                    Super
                } else if self.0.guard(36, self.0.v[0] >= 7) {
                    self.0.add(37, 1, 3);
                    DeepHistory(State::s6())
                } else {
                    History(State::s4())
                }
            }
            Event::A => {
                if self.0.guard(38, self.0.v[0] >= 3) {
                    return Transition(State::s4(), |this| this.0.add(39, 0, 4));
                }
                if self.0.guard(40, self.0.v[0] >= 3) {
                    return Transition(State::s4());
                }
                Local(State::s0())
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_entry(&mut self) {
        self.0.add(33, 1, 1);
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.act(34);
    }

    #[action]
    fn s4_initial(&mut self) {
        self.0.add(4, 2, 3);
    }

    #[state(
        superstate = s4,
        entry_action = s5_entry,
        defer = [Event::I(_)],
    )]
    fn s5(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::C => {
                if self.0.guard(42, self.0.v[1] >= 7) {
                    self.0.add(43, 1, 5);
                    return History(State::s6(), |this| this.0.add(44, 0, 3));
                }
                if self.0.guard(45, self.0.v[1] >= 2) {
                    return Super;
                }
                Transition(State::s5(), |this| this.0.add(46, 0, 5))
            }
            Event::E => {
                if self.0.guard(47, self.0.v[0] >= 2) {
                    Handled
                } else if self.0.guard(48, self.0.v[0] >= 2) {
                    self.0.add(49, 1, 5);
                    Local(State::s7())
                } else {
                    Transition(State::s2(), |this| this.0.act(50))
                }
            }
            Event::D => {
                if self.0.guard(51, self.0.v[1] >= 5) {
                    self.0.add(52, 0, 1);
                    return Super;
                }
                self.0.add(53, 0, 3);
                Super
            }
            Event::B => {
                Transition(State::s1(7), |this| this.0.add(81, 2, 3))
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_entry(&mut self) {
        self.0.add(41, 0, 1);
    }

    #[superstate(
        superstate = s4,
        initial = State::s7(),
        initial_action = s6_initial,
        entry_action = s6_entry,
        exit_action = s6_exit,
    )]
    fn s6(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::B if self.0.guard(56, self.0.v[2] >= 6) => {
                self.0.add(57, 2, 2);
                Local(State::s4(), |this| this.0.add(58, 2, 5))
            }
            Event::B => {
                Transition(State::s7())
            }
            _ => Super,
        }
    }

    #[action]
    fn s6_entry(&mut self) {
        self.0.act(54);
    }

    #[action]
    fn s6_exit(&mut self) {
        self.0.add(55, 0, 4);
    }

    #[action]
    fn s6_initial(&mut self) {
        self.0.add(5, 1, 3);
    }

    #[state(
        superstate = s6,
        entry_action = s7_entry,
    )]
    fn s7(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::G(n) if self.0.guard(60, n >= 1) => {
                self.0.add(61, 1, 3);
                DeepHistory(State::s4(), |this| this.0.add(62, 1, 3))
            }
            Event::G(_) if self.0.guard(63, self.0.v[0] >= 6) => {
                self.0.add(64, 0, 3);
                Deferred
            }
            Event::G(_) => {
                self.0.add(65, 2, 3);
                History(State::s4())
            }
            Event::B => {
                if self.0.guard(66, self.0.v[2] >= 7) {
                    self.0.add(67, 1, 2);
                    History(State::s4(), |this| this.0.add(68, 1, 1))
                } else {
                    Transition(State::s7(), |this| this.0.add(69, 0, 5))
                }
            }
            Event::I(2) => {
                if self.0.guard(70, self.0.v[0] >= 3) {
                    self.0.add(71, 0, 4);
                    Deferred
                } else if self.0.guard(72, self.0.v[2] >= 4) {
                    Handled
                } else {
                    self.0.add(73, 0, 5);
                    History(State::s4(), |this| this.0.act(74))
                }
            }
            Event::I(_) => {
                Handled
            }
            Event::A => {
                Handled
            }
            Event::F if self.0.guard(75, self.0.v[2] >= 2) => {
                Transition(State::s1(4), |this| this.0.add(76, 1, 5))
            }
            Event::F => {
                self.0.add(77, 2, 1);
                Transition(State::s7(), |this| this.0.add(78, 2, 3))
            }
            Event::E => {
                Transition(State::s3())
            }
            _ => Super,
        }
    }

    #[action]
    fn s7_entry(&mut self) {
        self.0.add(59, 1, 3);
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
        self.machine.dispatch(event).is_ok()
    }

    fn leaf(&self) -> (u16, u8) {
        match self.machine.state() {
            State::S1 { own } => (1, *own),
            State::S3 => (3, 0),
            State::S5 => (5, 0),
            State::S7 => (7, 0),
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
            _ => false,
        }
    }

    fn states(&self) -> u16 {
        8
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
    .BI0BBFH3I0EI0EH2I1I0BG1AI3H3I3ACEABBDH1AADEAH3FFI2ABAFFFFI0FG1I1EDECI2CDI1BFG1BAH2EDBI0BI\
    2FBDI0CI2G3G3CCDH2EBCBCCAFBAAEABBEAH3ECADI0DBADI1AG2DADH3AG3G2G1CCEH0EBCG3G2H0EI2ADI2CCI2G\
    0FI3EAFG2EH1G0H1CCBBDCG3ADFI3FCI2BH3G2DEH2CEAAH0ECAECDH2H0G3DCCBBCBG3FH2G2I2CI2H0FG3I3DFCC\
    AFH1I1I3I1DG1BG3I3I0I3ACEBI2BEBBH2I1I2FDEFI1I2AAEFI2BEBI1BAACG1BDBG1H3G3DI0FAG1G3I1EFH0DCD\
    ACEI3I1BAAG3FCDBFFBBEAH2EG1AFDDDH3DG1FH3DG0AG2FI1I3BCAH1EDEFCBABI2FCI3CI2AG0FCH3EH3CAFFEAI\
    1EABBH1FG1FG1BH1BEFEBCEH3BH2BDEBFG2H0FBI0ABFBG1DECCI2I0EBEI2G3EAEFBFAG1FDI0AI1BAA\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0xc4fcdc46, 0x98f93498, 0x0e584a9d, 0xacca674b, 0x0b7fb838, 0x70b33fe0, 0xc59f9024,
    0xda1a2e09, 0x5c055888, 0x0df2e4a8, 0xf653f467, 0xbae09c79, 0x7cc92538, 0x495bf1ee,
    0x104cf523, 0x8e4ea7c0, 0x83fc5f1b, 0x859f2152, 0xb59632a4, 0x59fedcfb, 0x2408b86f,
];
