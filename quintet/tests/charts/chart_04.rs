//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s7(),
    unhandled = Self::unhandled,
)]
impl Chart {
    #[superstate(
        initial = State::s3(),
    )]
    fn s0(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::F => {
                self.0.add(5, 0, 5);
                Local(State::s3())
            }
            Event::B => {
                if self.0.guard(6, self.0.v[2] >= 2) {
                    self.0.add(7, 1, 3);
                    return Transition(State::s5());
                }
                Local(State::s6(), |this| this.0.add(8, 1, 5))
            }
            Event::E => {
                self.0.act(9);
                History(State::s1(), |this| this.0.add(10, 1, 3))
            }
            _ => Super,
        }
    }

    #[superstate(
        superstate = s0,
        initial = State::s2(),
        exit_action = s1_exit,
    )]
    fn s1(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::D if self.0.guard(12, self.0.v[0] >= 5) => {
                Super
            }
            Event::D => {
                Local(State::s3(), |this| this.0.add(13, 1, 5))
            }
            Event::E => {
                if self.0.guard(14, self.0.v[2] >= 7) {
                    DeepHistory(State::s1())
                } else {
                    self.0.add(15, 2, 2);
                    Handled
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.act(11);
    }

    #[superstate(
        superstate = s1,
        initial = State::s6(),
        initial_action = s2_initial,
    )]
    fn s2(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::E => {
                if self.0.guard(16, self.0.v[0] >= 2) {
                    self.0.act(17);
                    Super
                } else if self.0.guard(18, self.0.v[0] >= 5) {
                    Transition(State::s0(), |this| this.0.add(19, 2, 5))
                } else {
                    self.0.add(20, 0, 3);
                    Local(State::s3(), |this| this.0.add(21, 2, 4))
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_initial(&mut self) {
        self.0.add(2, 1, 2);
    }

    #[superstate(
        superstate = s2,
        initial = State::s5(),
        initial_action = s3_initial,
        exit_action = s3_exit,
    )]
    fn s3(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::I(_) => {
                Local(State::s3(), |this| this.0.add(23, 2, 2))
            }
            Event::D => {
                Local(State::s6())
            }
            Event::G(n) => {
                if self.0.guard(24, *n >= 3) {
                    self.0.add(25, 0, 3);
                    return Local(State::s5());
                }
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.act(22);
    }

    #[action]
    fn s3_initial(&mut self) {
        self.0.add(3, 2, 3);
    }

    #[superstate(
        superstate = s3,
        initial = State::s5(),
        initial_action = s4_initial,
        exit_action = s4_exit,
    )]
    fn s4(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::C => {
                if self.0.guard(27, self.0.v[2] >= 1) {
                    Local(State::s2())
                } else {
                    Local(State::s0(), |this| this.0.add(28, 1, 2))
                }
            }
            Event::E => {
                if self.0.guard(29, self.0.v[1] >= 6) {
                    self.0.add(30, 1, 5);
                    Handled
                } else {
                    Super
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.add(26, 2, 4);
    }

    #[action]
    fn s4_initial(&mut self) {
        self.0.add(4, 0, 3);
    }

    #[state(
        superstate = s4,
        entry_action = s5_entry,
        exit_action = s5_exit,
    )]
    fn s5(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::I(n) if self.0.guard(33, *n >= 3) => {
                Super
            }
            Event::I(_) if self.0.guard(34, self.0.v[0] >= 5) => {
                DeepHistory(State::s4())
            }
            Event::I(_) => {
                Local(State::s6(), |this| this.0.add(35, 0, 2))
            }
            Event::B if self.0.guard(36, self.0.v[2] >= 3) => {
                self.0.add(37, 1, 4);
                Local(State::s2())
            }
            Event::B => {
                DeepHistory(State::s1(), |this| this.0.act(38))
            }
            Event::C => {
                Transition(State::s7(), |this| this.0.add(55, 1, 5))
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_entry(&mut self) {
        self.0.add(31, 2, 4);
    }

    #[action]
    fn s5_exit(&mut self) {
        self.0.add(32, 0, 2);
    }

    #[state(
        superstate = s2,
        entry_action = s6_entry,
    )]
    fn s6(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::B => {
                Local(State::s3(), |this| this.0.act(40))
            }
            Event::I(_) => {
                if self.0.guard(41, self.0.v[0] >= 5) {
                    self.0.act(42);
                    Super
                } else {
                    self.0.act(43);
                    Handled
                }
            }
            Event::A => {
                if self.0.guard(44, self.0.v[1] >= 7) {
                    return Super;
                }
                self.0.add(45, 2, 2);
                Transition(State::s1())
            }
            Event::D => {
                DeepHistory(State::s4())
            }
            Event::G(_) => {
                Transition(State::s5(), |this| this.0.act(57))
            }
            _ => Super,
        }
    }

    #[action]
    fn s6_entry(&mut self) {
        self.0.add(39, 2, 2);
    }

    #[state(
        entry_action = s7_entry,
        exit_action = s7_exit,
    )]
    fn s7(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::H(0) => {
                if self.0.guard(48, self.0.v[1] >= 4) {
                    self.0.add(49, 1, 4);
                    Transition(State::s7())
                } else {
                    self.0.act(50);
                    Transition(State::s5())
                }
            }
            Event::H(_) => {
                if self.0.guard(51, self.0.v[1] >= 6) {
                    DeepHistory(State::s1(), |this| this.0.act(52))
                } else if self.0.guard(53, self.0.v[1] >= 1) {
                    self.0.add(54, 0, 2);
                    Handled
                } else {
                    Handled
                }
            }
            Event::A => {
                Transition(State::s6(), |this| this.0.add(56, 1, 4))
            }
            _ => Super,
        }
    }

    #[action]
    fn s7_entry(&mut self) {
        self.0.add(46, 2, 5);
    }

    #[action]
    fn s7_exit(&mut self) {
        self.0.add(47, 2, 5);
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
            State::S5 => (5, 0),
            State::S6 => (6, 0),
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
    .BDG2DDBFDCH0CH2AFH1G2H0ECH1BI0BFFEH3CAAH2ACG0CDBACDFCI1CG3BBG0H1H1G2H3ABAI2DG1G0I0FFH3FAH\
    2EFEI3G0ABFAFH0DH2ACFFH2I3AG0DG1H2FI2CH1EFH1DI3FDFI2H2CG3I2FDFBAH2BBBI2AABEDBG0H1H3DH1H0G1\
    ADG3DG2H0BFI3EBDAFDACEADBEG1DDFDBBFCH0H1EFI1DFEFFEEEEEG1G0H3FFBACEBDG1I3EAI0G0I3DBI2EBG0I1\
    H0G1H3G1G1H0CBG1I2DFEG2DG3AH2G1H0CBEDAFI1EG0H0EBCG3H3H1CBH2BBDCG3FEEG1FAEDEI2BBFDFAH2I2CCH\
    0FG3DCEG2EFFFEDAG3CAFFH1H1CBH2G2BI1CBDAG3CBFG2CBAG3ECFAG0H3EECDFBH2CFCBI0AI1I3DG3AG1G2FI1B\
    FEDG1BFFI0FFG1I3DI1DBDAEADACDADI3AG0I3EI3ABAACFAG1BI1H0I3H3I2FAH1BBCFEAEBH1H0CCDEG0I1E\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0xe73c5873, 0x7e0df974, 0xd08147ab, 0xce86facb, 0xcea84052, 0x5f263957, 0xc16d56ce,
    0x8a3a7252, 0x50ddfe9c, 0xe9e4b7b7, 0xe0050c78, 0x9ef497f3, 0xde1545b0, 0x7e7e09ac,
    0xbfc7ab41, 0xb3c27994, 0x3377f8c3, 0x4dcc8a2a, 0xe3586cc2, 0x721a6379, 0x6b0e2bf9,
];
