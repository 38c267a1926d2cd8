//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s3(0),
    deferred = 4,
)]
impl Chart {
    #[superstate(
        exit_action = s0_exit,
        defer = [Event::G(_)],
    )]
    fn s0(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::A => {
                self.0.add(4, 0, 5);
                Local(State::s1(2), |this| this.0.act(5))
            }
            Event::I(_) => {
                if self.0.guard(6, self.0.v[2] >= 7) {
                    Transition(State::s2())
                } else {
                    Deferred
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.add(3, 2, 3);
    }

    #[state(
        superstate = s0,
        entry_action = s1_entry,
    )]
    fn s1(&mut self, own: &mut u8, event: Event) -> Outcome<State> {
        match event {
            Event::D => {
                Handled
            }
            Event::G(_) => {
                if self.0.guard(8, *own % 2 == 1) {
                    return Handled;
                }
                Transition(State::s1(6))
            }
            Event::A => {
                if self.0.guard(9, *own % 2 == 1) {
                    Handled
                } else if self.0.guard(10, self.0.v[2] >= 5) {
                    self.0.add(11, 1, 1);
                    Transition(State::s1(7))
                } else {
                    Handled
                }
            }
            Event::F => {
                Transition(State::s4(), |this| this.0.add(42, 1, 1))
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.act(7);
    }

    #[superstate(
        superstate = s0,
        initial = State::s4(),
        exit_action = s2_exit,
    )]
    fn s2(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::G(_) => {
                self.0.add(13, 0, 4);
                Handled
            }
            Event::A => {
                self.0.add(14, 0, 3);
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_exit(&mut self) {
        self.0.act(12);
    }

    #[state(
        exit_action = s3_exit,
        defer = [Event::F],
    )]
    fn s3(&mut self, own: &mut u8, event: Event) -> Outcome<State> {
        match event {
            Event::H(_) if self.0.guard(16, self.0.v[2] >= 4) => {
                self.0.add(17, 1, 5);
                Transition(State::s1(self.0.v[2]), |this| this.0.add(18, 0, 2))
            }
            Event::H(_) if self.0.guard(19, self.0.v[0] >= 1) => {
                Transition(State::s3(2), |this| this.0.add(20, 1, 3))
            }
            Event::H(_) => {
                Super
            }
            Event::A => {
                Deferred
            }
            Event::D => {
                Transition(State::s3(4), |this| this.0.act(21))
            }
            Event::B => {
                if self.0.guard(22, self.0.v[2] >= 5) {
                    Transition(State::s3(0))
                } else if self.0.guard(23, self.0.v[1] >= 1) {
                    self.0.act(24);
                    Transition(State::s3(self.0.v[0]), |this| this.0.add(25, 2, 3))
                } else {
                    self.0.act(26);
                    Transition(State::s3(self.0.v[1]), |this| this.0.add(27, 1, 5))
                }
            }
            Event::C => {
                Transition(State::s1(self.0.v[1]), |this| this.0.add(41, 1, 5))
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(15, 1, 3);
    }

    #[state(
        superstate = s2,
        exit_action = s4_exit,
    )]
    fn s4(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::C => {
                if self.0.guard(29, self.0.v[0] >= 2) {
                    self.0.add(30, 2, 3);
                    Super
                } else {
                    self.0.add(31, 0, 2);
                    Transition(State::s2())
                }
            }
            Event::B => {
                if self.0.guard(32, self.0.v[2] >= 4) {
                    self.0.act(33);
                    return Transition(State::s4());
                }
                if self.0.guard(34, self.0.v[2] >= 2) {
                    return Transition(State::s4(), |this| this.0.add(35, 2, 5));
                }
                self.0.add(36, 1, 4);
                Transition(State::s4(), |this| this.0.act(37))
            }
            Event::H(_) => {
                if self.0.guard(38, self.0.v[0] >= 4) {
                    self.0.add(39, 0, 4);
                    Super
                } else {
                    self.0.add(40, 2, 4);
                    Transition(State::s4())
                }
            }
            Event::E => {
                Transition(State::s3(6), |this| this.0.add(43, 0, 1))
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.act(28);
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
            State::S3 { own } => (3, *own),
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
    DFAH2G0H0H2DCBCBI0FDEAG3I1H0ADBCH0G1H2DDH1I3CG0I2AH2AEH1DFBAI0EADG1BG2G1BH2FFH1DH3CCFBI0CA\
    EEDDH0DEBDFEI0H1EAAEABAAEDDFCBFEI3H3I2CDCDG1I1DECG1H0CADCH0AI0H3FEEFFDBI3I2DH3BG0H1AI0EG3A\
    H1ACEFH1BI1AAG0FH1H3EBBDAAH2FG3BG2H1DBH2BBG2EH2H2DDEH3EI1CAH1I2FDAI0FCH2I2DI0EG2DFI1AI2EFE\
    FAACG2I2BH0G2G0DI1EDG2H0CCEEH1BG3DEFH3DI1BCBI0BFH2CG2H2H1AFG1G1AAH0DH1EBBEH3CDEI3H0EG0ABI2\
    CH3H3FH3AG0AH0I0CCBDDBH3I2DBI2CFI1AG3BH3FCCI1G3CFI3DI3H3CH2I2FBDEADDI2ABI1H2ACEH1EH3EI2DDB\
    G1I2DFI3I1AEBFG1AEBFBCI1BAFCCCI2FDAH1G0AH1I0AI0BFDFCEG3FCECADH0H0CH3CFDCBCH0G1CEDEI3ADG3EB\
    G1\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0xfbaafb37, 0x5627106e, 0xcca78c3c, 0x5df38c95, 0x641bbc9b, 0xecf1366b, 0xcf191afc,
    0x6a9378d3, 0x8d07c6e7, 0x491b3166, 0x9c508f2c, 0xbbe364b8, 0xa4565b07, 0xb65d9194,
    0xfbead113, 0xb9a73ce5, 0xd9018d9e, 0x929bec0d, 0xdfd1d52b, 0xcb6450c8,
];
