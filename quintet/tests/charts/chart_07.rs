//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s3(),
)]
impl Chart {
    #[superstate(
        initial = State::s1(),
        exit_action = s0_exit,
    )]
    fn s0(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::D => {
                if self.0.guard(3, self.0.v[2] >= 7) {
                    self.0.add(4, 1, 4);
                    Handled
                } else {
                    self.0.add(5, 0, 2);
                    History(State::s2())
                }
            }
            Event::I(_) => {
                if self.0.guard(6, self.0.v[0] >= 1) {
                    History(State::s2())
                } else if self.0.guard(7, self.0.v[2] >= 6) {
                    self.0.add(8, 1, 1);
                    Transition(State::s2())
                } else {
                    Transition(State::s0())
                }
            }
            Event::F if self.0.guard(9, self.0.v[0] >= 6) => {
                Local(State::s2())
            }
            Event::F if self.0.guard(10, self.0.v[2] >= 2) => {
                Local(State::s3())
            }
            Event::F => {
                self.0.add(11, 0, 5);
                Super
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.add(2, 2, 5);
    }

    #[superstate(
        superstate = s0,
        initial = State::s3(),
        entry_action = s1_entry,
        exit_action = s1_exit,
    )]
    fn s1(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::C => {
                self.0.add(14, 1, 3);
                Local(State::s2())
            }
            Event::F => {
                Transition(State::s3(), |this| this.0.act(15))
            }
            Event::I(_) => {
                if self.0.guard(16, self.0.v[1] >= 5) {
                    self.0.add(17, 0, 5);
                    Super
                } else if self.0.guard(18, self.0.v[1] >= 5) {
                    self.0.add(19, 0, 4);
                    Super
                } else {
                    Handled
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.add(12, 1, 5);
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.act(13);
    }

    #[superstate(
        superstate = s1,
        initial = State::s3(),
        entry_action = s2_entry,
        exit_action = s2_exit,
    )]
    fn s2(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::G(2) => {
                Local(State::s2())
            }
            Event::G(_) => {
                if self.0.guard(22, self.0.v[2] >= 1) {
                    self.0.add(23, 0, 1);
                    return Transition(State::s0());
                }
                if self.0.guard(24, self.0.v[2] >= 2) {
                    self.0.add(25, 1, 4);
                    return Transition(State::s0());
                }
                Transition(State::s3())
            }
            Event::B => {
                self.0.act(26);
                Transition(State::s1())
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.act(20);
    }

    #[action]
    fn s2_exit(&mut self) {
        self.0.act(21);
    }

    #[state(
        superstate = s2,
        entry_action = s3_entry,
        exit_action = s3_exit,
    )]
    fn s3(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::D if self.0.guard(29, self.0.v[1] >= 3) => {
                History(State::s2())
            }
            Event::D => {
                self.0.add(30, 0, 3);
                Super
            }
            Event::B if self.0.guard(31, self.0.v[1] >= 3) => {
                Transition(State::s3())
            }
            Event::B => {
                DeepHistory(State::s2())
            }
            Event::C => {
                self.0.act(32);
                Transition(State::s2(), |this| this.0.add(33, 0, 3))
            }
            Event::H(_) => {
                if self.0.guard(34, self.0.v[0] >= 4) {
                    return DeepHistory(State::s2());
                }
                if self.0.guard(35, self.0.v[2] >= 5) {
                    return Transition(State::s0());
                }
                Transition(State::s3())
            }
            Event::A if self.0.guard(36, self.0.v[0] >= 7) => {
                Transition(State::s1())
            }
            Event::A if self.0.guard(37, self.0.v[1] >= 5) => {
                Handled
            }
            Event::A => {
                self.0.add(38, 1, 4);
                Transition(State::s3())
            }
            Event::I(_) => {
                Transition(State::s3(), |this| this.0.add(39, 0, 1))
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.add(27, 1, 2);
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(28, 0, 5);
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
            State::S3 => (3, 0),
        }
    }

    fn is_in(&self, state: u16) -> bool {
        let machine = &self.machine;
        match state {
            0 => machine.is_in(Within::S0),
            1 => machine.is_in(Within::S1),
            2 => machine.is_in(Within::S2),
            3 => machine.is_in(Within::S3),
            _ => false,
        }
    }

    fn states(&self) -> u16 {
        4
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
    .G0BDBEFBG3BDEAFBABAG2DH0G0DDAI2FEDH3I1AI2DH3G0H3CDDG3FACG1I2BI0AG2FBBDDAECAFH3I0AG2BFG3AE\
    DG3I1H1CG3DEAI3BG2G2CBCCI1EEDG3EDH2CECH0AAEDCBCH1CG2CACEG2FH0G1G3DI3EEI3CH0G2H1G2I3ADEI0CE\
    G3G3I3CG0H2I0AH2H0CCEEBH0DEG3G0DEI2H1CFFBBFFEI3FG2BG2DCCG0H1BG1I3BBAI0G2I3I0I2BI1G1G1BBI2B\
    CH2CFDH3EBDFBFI0FAABEG2CBBBG3ACEEBAFEH1DECG1G1EH1BI0FFDBAEBEI3DI1G3I0ABH3FBAH2DG2AFCDBFFFD\
    I3DEAAEG3FH0H1BI0BCCG3I1BCBI1BBECEEFG1G2G0DAEG3FG1BG2EI2BBCBFFH0AI1G1EI0G0EEDH2CH2CDEI1DDF\
    G2H2CI2DEDEFDEACFH0H2G0BEAG1H3EECEBACI0DCG3I0AADACDDG3H1H3BG3I0H2I3G3CFH1DH2H0BFDI1H2BBDI3\
    F\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0x7c135330, 0x08a39fa4, 0x1cb96f5a, 0x6bb87c02, 0x9fd28327, 0xb40c548c, 0xf3cfc77e,
    0x6d3d0e2b, 0x8a98673f, 0x06b7f325, 0xbada695d, 0xfa677307, 0x019a422c, 0x285d5420,
    0xb577c0cc, 0x595c6caa, 0x643251a9, 0xdf44c996, 0xd7ee3954, 0xeced7af6, 0x9718afac,
];
