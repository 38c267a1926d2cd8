//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s4(),
    deferred = 3,
)]
impl Chart {
    #[superstate(
        initial = State::s1(),
    )]
    fn s0(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::H(n) if self.0.guard(4, *n >= 2) => {
                Transition(State::s2())
            }
            Event::H(_) => {
                self.0.act(5);
                Local(State::s0())
            }
            Event::D => {
                self.0.add(6, 2, 4);
                Local(State::s1())
            }
            _ => Super,
        }
    }

    #[superstate(
        superstate = s0,
        initial = State::s3(),
        initial_action = s1_initial,
        entry_action = s1_entry,
        exit_action = s1_exit,
    )]
    fn s1(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::F if self.0.guard(9, self.0.v[0] >= 2) => {
                self.0.add(10, 1, 1);
                Super
            }
            Event::F => {
                self.0.add(11, 2, 2);
                Transition(State::s1(), |this| this.0.add(12, 1, 1))
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.add(7, 0, 1);
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.add(8, 2, 3);
    }

    #[action]
    fn s1_initial(&mut self) {
        self.0.add(2, 0, 4);
    }

    #[state(
        entry_action = s2_entry,
        exit_action = s2_exit,
    )]
    fn s2(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::G(_) if self.0.guard(15, self.0.v[1] >= 3) => {
                self.0.add(16, 1, 1);
                DeepHistory(State::s0())
            }
            Event::G(_) if self.0.guard(17, self.0.v[2] >= 3) => {
                Super
            }
            Event::G(n) => {
                self.0.set(18, 1, *n);
                Handled
            }
            Event::E => {
                if self.0.guard(19, self.0.v[1] >= 5) {
                    return History(State::s3(), |this| this.0.add(20, 1, 5));
                }
                self.0.add(21, 0, 1);
                DeepHistory(State::s3(), |this| this.0.add(22, 2, 3))
            }
            Event::A => {
                if self.0.guard(23, self.0.v[0] >= 2) {
                    return Super;
                }
                Transition(State::s2())
            }
            Event::F => {
                Transition(State::s4(), |this| this.0.add(38, 0, 3))
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.act(13);
    }

    #[action]
    fn s2_exit(&mut self) {
        self.0.add(14, 0, 4);
    }

    #[superstate(
        superstate = s1,
        initial = State::s4(),
        initial_action = s3_initial,
        entry_action = s3_entry,
        exit_action = s3_exit,
        defer = [Event::D, Event::H(_)],
    )]
    fn s3(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::A => {
                self.0.add(26, 2, 3);
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.add(24, 0, 1);
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(25, 1, 2);
    }

    #[action]
    fn s3_initial(&mut self) {
        self.0.add(3, 1, 2);
    }

    #[state(
        superstate = s3,
        exit_action = s4_exit,
    )]
    fn s4(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::G(n) => {
                if self.0.guard(28, *n >= 1) {
                    self.0.add(29, 1, 2);
                    return Transition(State::s1(), |this| this.0.add(30, 2, 1));
                }
                Transition(State::s4())
            }
            Event::B => {
                if self.0.guard(31, self.0.v[1] >= 7) {
                    self.0.act(32);
                    Transition(State::s1())
                } else if self.0.guard(33, self.0.v[1] >= 1) {
                    self.0.add(34, 0, 3);
                    Super
                } else {
                    self.0.act(35);
                    Super
                }
            }
            Event::C => {
                if self.0.guard(36, self.0.v[2] >= 4) {
                    Transition(State::s0())
                } else if self.0.guard(37, self.0.v[1] >= 5) {
                    Super
                } else {
                    Transition(State::s3())
                }
            }
            Event::F => {
                Transition(State::s2())
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.add(27, 1, 3);
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
            State::S2 => (2, 0),
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
    BADFAABABG1DBEFDDI0BEH2FG2FAH0FCEDFFFBCFH0CEG0AFCCH1FAFCCDBG1H1EBEBBADBBFEAFECBFI1CDDCEG2E\
    H2H3CEBACI2EFDEFH1CFG0I0EI1FH0ACH1I3EI0I1H2FCH1I0CI2EBCEG1BH3CEEH0G3H2BH3FFFBACAI1BBEAAEFG\
    1BAAEBAH2FAG0CFABDG1H1AACECFFI2H0DBI1FDI2ACCCG3G3AI0EAAAEI3EFDAFG2DI3I3DFDAAH3EFCBG2AI2DG0\
    ADCG0CCFABH3EBBBG3BAACFEDAI1BFH0I3I2I1DAFDBH2AI3I0FBBBBG0H1FBBG0H1EBCABCCFH0I0H0FFDBDFBFH3\
    G0FFI3I1FG3AI2I1EH2CCFECDG0G2G1I0AG3AFG2I0DG1I1CAFDI2H0AG0BCDI1DFAAG2FECACFFDADI2AEACFFDG3\
    EBG0I0I0EBBBCH1ABFACFBBI2AH0DH0BG3DI1CH3H3I3BFG2CAG2AG2G2BEDG2G3D\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0xb479c4f0, 0xa31f96b2, 0xf4f10f86, 0x21b28a32, 0x114cfd4e, 0x9923f6d9, 0x3a070b7a,
    0x922fa43f, 0xdcb09241, 0x1d02fd8a, 0x209fdb9f, 0xe1d72fb5, 0xeb63bf29, 0x34320602,
    0xcbeb562c, 0xdfc3bdab, 0x2f859c8e, 0x561076e6, 0x9d46fa7c, 0x7c3cec27,
];
