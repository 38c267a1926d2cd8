//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s5(),
)]
impl Chart {
    #[superstate(
        initial = State::s4(),
        initial_action = s0_initial,
        entry_action = s0_entry,
        exit_action = s0_exit,
    )]
    fn s0(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::H(_) => {
                self.0.add(6, 2, 2);
                Super
            }
            Event::D => {
                if self.0.guard(7, self.0.v[2] >= 7) {
                    Local(State::s2(), |this| this.0.add(8, 1, 1))
                } else {
                    Transition(State::s0(), |this| this.0.act(9))
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_entry(&mut self) {
        self.0.add(4, 0, 4);
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.add(5, 0, 2);
    }

    #[action]
    fn s0_initial(&mut self) {
        self.0.add(2, 0, 2);
    }

    #[state(
        superstate = s0,
        entry_action = s1_entry,
        exit_action = s1_exit,
    )]
    fn s1(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::C => {
                if self.0.guard(12, self.0.v[2] >= 5) {
                    Transition(State::s3())
                } else if self.0.guard(13, self.0.v[1] >= 4) {
                    Transition(State::s4())
                } else {
                    Transition(State::s0(), |this| this.0.add(14, 2, 3))
                }
            }
            Event::D if self.0.guard(15, self.0.v[0] >= 7) => {
                self.0.add(16, 2, 5);
                Handled
            }
            Event::D => {
                self.0.add(17, 2, 5);
                Local(State::s4())
            }
            Event::A => {
                Handled
            }
            Event::B if self.0.guard(18, self.0.v[2] >= 3) => {
                Super
            }
            Event::B if self.0.guard(19, self.0.v[1] >= 3) => {
                Local(State::s5(), |this| this.0.add(20, 0, 1))
            }
            Event::B => {
                Transition(State::s4())
            }
            Event::I(_) => {
                Transition(State::s4(), |this| this.0.add(45, 2, 3))
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.act(10);
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.add(11, 0, 3);
    }

    #[superstate(
        superstate = s0,
        initial = State::s3(),
        initial_action = s2_initial,
        entry_action = s2_entry,
    )]
    fn s2(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::F => {
                if self.0.guard(22, self.0.v[2] >= 2) {
                    return Handled;
                }
                if self.0.guard(23, self.0.v[2] >= 5) {
                    self.0.add(24, 2, 2);
                    return Transition(State::s2());
                }
                Handled
            }
            Event::E => {
                Transition(State::s0())
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.add(21, 0, 2);
    }

    #[action]
    fn s2_initial(&mut self) {
        self.0.act(3);
    }

    #[superstate(
        superstate = s2,
        initial = State::s4(),
        entry_action = s3_entry,
        exit_action = s3_exit,
    )]
    fn s3(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::E => {
                if self.0.guard(27, self.0.v[1] >= 1) {
                    Handled
                } else {
                    Transition(State::s3())
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.act(25);
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(26, 2, 2);
    }

    #[state(
        superstate = s3,
        entry_action = s4_entry,
        exit_action = s4_exit,
    )]
    fn s4(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::A if self.0.guard(30, self.0.v[0] >= 4) => {
                self.0.add(31, 0, 5);
                Super
            }
            Event::A => {
                self.0.act(32);
                Transition(State::s4(), |this| this.0.act(33))
            }
            Event::E => {
                Transition(State::s5(), |this| this.0.add(34, 1, 3))
            }
            Event::F => {
                Handled
            }
            Event::C if self.0.guard(35, self.0.v[1] >= 1) => {
                Handled
            }
            Event::C if self.0.guard(36, self.0.v[1] >= 2) => {
                self.0.add(37, 1, 2);
                Handled
            }
            Event::C => {
                self.0.add(38, 2, 1);
                Transition(State::s5())
            }
            Event::I(_) => {
                Transition(State::s5())
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_entry(&mut self) {
        self.0.add(28, 1, 2);
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.add(29, 0, 5);
    }

    #[state(
        superstate = s2,
        entry_action = s5_entry,
        exit_action = s5_exit,
    )]
    fn s5(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::I(2) if self.0.guard(41, self.0.v[0] >= 7) => {
                Transition(State::s2())
            }
            Event::I(2) => {
                Handled
            }
            Event::I(_) if self.0.guard(42, self.0.v[0] >= 7) => {
                Transition(State::s1(), |this| this.0.act(43))
            }
            Event::I(_) => {
                self.0.act(44);
                Transition(State::s0())
            }
            Event::H(_) => {
                Transition(State::s1())
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_entry(&mut self) {
        self.0.add(39, 2, 4);
    }

    #[action]
    fn s5_exit(&mut self) {
        self.0.add(40, 2, 4);
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
            State::S1 => (1, 0),
            State::S4 => (4, 0),
            State::S5 => (5, 0),
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
            _ => false,
        }
    }

    fn states(&self) -> u16 {
        6
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
    .I0FDI3G3EI3DG3EH0ACH1BBAH2DFCI1ABBCG1I3CBCG0EFEFEH3G1FFCG1AEI0CG1G1G0BDDAG1ADFDG3FEH0FCBB\
    BEDFG0G1H2DCFEH2EG1EDG2G1G1I1FAFFACG3AG0ADAH0I1DH1CBG3DDH2BFACFI3G0FI2AI1H2FEI3AABDH2EDI3A\
    I3DCG3EBAECH0FDBH2I3EH2BCDCFAFEEFH3CAFFFCFBI0AAFBAEBG3CCFECI1BDAG0H0AH0G2EG2DFG3DI2H2H0BCH\
    2EG2DBAG0I0FBI2CDG2DEAH3AI3DABBFEAFH0G3CAI1CBH1G3I0CABBI2CI1H3G1CCFH1FAABACCCFH0CEFCCI3BI0\
    DG3G1AFH2DFG0AECI2I0EI0CEBH2G1BG2G2CCCG3H3AFBG0FG1FDAH1H2CCEAFEG1FBG2I3FDBBFBH3I3EDFAEEH2H\
    0FDDDH0DI3BDAG1BAI0H2BH2FFBCFEAI3AAFEH3G0I3G1DCG3CBBDCDDG2FECEEI3FDCAFBAFFFF\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0x053429f8, 0x5316a11a, 0x0ad70107, 0xbd8ada3a, 0xfa951f1b, 0x3b879711, 0xed69d173,
    0xfb9ae48a, 0xb41f2a4f, 0xb5421c5e, 0x18aee5d5, 0xb06cd13a, 0x17bd0cd7, 0xb6f73498,
    0x23d88d7a, 0x1366b769, 0x4934c7b5, 0x4725129e, 0x2161a960, 0x0ff5009a, 0xf82dc763,
];
