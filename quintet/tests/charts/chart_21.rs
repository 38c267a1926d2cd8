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
        initial = State::s2(),
        entry_action = s0_entry,
        exit_action = s0_exit,
    )]
    fn s0(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::I(3) => {
                if self.0.guard(4, self.0.v[1] >= 4) {
                    self.0.add(5, 1, 1);
                    Handled
                } else {
                    self.0.add(6, 2, 4);
                    History(State::s2(), |this| this.0.add(7, 1, 1))
                }
            }
            Event::I(_) => {
                self.0.add(8, 2, 5);
                Handled
            }
            Event::G(_) => {
                DeepHistory(State::s2(), |this| this.0.act(9))
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_entry(&mut self) {
        self.0.add(2, 0, 4);
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.add(3, 2, 4);
    }

    #[superstate(
        superstate = s0,
        entry_action = s1_entry,
    )]
    fn s1(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::G(_) => {
                if self.0.guard(11, self.0.v[2] >= 3) {
                    return Transition(State::s0(), |this| this.0.add(12, 0, 4));
                }
                self.0.add(13, 0, 3);
                Handled
            }
            Event::D => {
                Transition(State::s0(), |this| this.0.act(14))
            }
            Event::B => {
                self.0.act(15);
                DeepHistory(State::s2())
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.add(10, 0, 4);
    }

    #[superstate(
        superstate = s0,
        initial = State::s3(),
        entry_action = s2_entry,
    )]
    fn s2(event: &Event) -> Outcome<State> {
        match event {
            Event::H(_) => {
                History(State::s2())
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.add(16, 1, 3);
    }

    #[state(
        superstate = s2,
        entry_action = s3_entry,
    )]
    fn s3(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::B => {
                self.0.add(18, 1, 2);
                Transition(State::s2(), |this| this.0.act(19))
            }
            Event::F if self.0.guard(20, self.0.v[0] >= 3) => {
                Handled
            }
            Event::F => {
                self.0.act(21);
                Transition(State::s4(), |this| this.0.add(22, 1, 3))
            }
            Event::H(_) => {
                Transition(State::s4())
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.act(17);
    }

    #[state(
        superstate = s1,
        exit_action = s4_exit,
    )]
    fn s4(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::I(_) => {
                Transition(State::s0(), |this| this.0.act(24))
            }
            Event::G(n) => {
                if self.0.guard(25, self.0.v[1] >= 6) {
                    Transition(State::s3())
                } else if self.0.guard(26, *n >= 1) {
                    Super
                } else {
                    Transition(State::s3())
                }
            }
            Event::F => {
                Transition(State::s3())
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.add(23, 0, 2);
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
            State::S3 => (3, 0),
            State::S4 => (4, 0),
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
            _ => false,
        }
    }

    fn states(&self) -> u16 {
        5
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
    ECADBG0CBG1FG1DDI2DH3I2DDG3CI0H1CFCFI2FG3EH3G3DBG3BAI1G2G2BH3H0EEAH2EDDI2CFH3AG2FABDDBH1AG\
    2DCBEG1AH1BAABI2FG1BDI3I1CFH3DEI0I3I3BI1I1BH0H1I0CEH2G1ACBAEH3I3BDEH1G3H2G3I0H3H1EAG3BI2G2\
    EAI0AI1DCEAI1BI1EG0DEI0BI1DCECG1AFG2H1FG1BG2FBH3CBI2BEH3ADAFEI3CFEH0H0G0H1BEH0I0H2FFDDG1AH\
    2G1ACBFCBFFFECG1I2FG1H1BDH1FFI1DFG1ACH3G0H0EG3BBCDDEFDBCFFEI0BCCAG1G1AFBACFAG1I3H2H0BEDBI1\
    FCG1I0CBG2ACDAI2AI0BCAADFH1H2FBEI1CBFH1AAG2I2I3FH0CAEG1CH1H3FCI3H1H2AH2EI3DI1BDFBCDAG2FDAB\
    FABBI2G1BH1I0DEEH1ECFDABACH1DH2EG1FEFEDH0BI0FI2H0H1H0FFI3FFI3CDCG0CI3AFFAEG3H2FEH1I1AEG0EF\
    AH0ACB\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0xb30c4323, 0xb40afa62, 0x81383676, 0x2402aa93, 0x1560f026, 0x1b830569, 0x37c6bf6b,
    0x8480695b, 0x9c961efb, 0x5702283a, 0x7a119461, 0x65517a45, 0xd7335119, 0xd4ec6e6f,
    0x35cae523, 0x90ca7945, 0x7f59bae1, 0x7b5ff5ef, 0xa00b127e, 0xd97bb832,
];
