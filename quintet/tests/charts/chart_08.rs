//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s3(),
    deferred = 2,
)]
impl Chart {
    #[superstate(
        initial = State::s2(),
    )]
    fn s0(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::E => {
                if self.0.guard(4, self.0.v[1] >= 2) {
                    self.0.act(5);
                    Handled
                } else if self.0.guard(6, self.0.v[1] >= 6) {
                    self.0.add(7, 0, 2);
                    Transition(State::s2())
                } else {
                    self.0.add(8, 0, 1);
                    Transition(State::s0(), |this| this.0.add(9, 2, 4))
                }
            }
            Event::A => {
                self.0.add(10, 0, 3);
                Deferred
            }
            Event::I(_) => {
                self.0.add(11, 0, 5);
                DeepHistory(State::s0())
            }
            _ => Super,
        }
    }

    #[superstate(
        superstate = s0,
        initial = State::s3(),
        entry_action = s1_entry,
        defer = [Event::D],
    )]
    fn s1() -> Outcome<State> {
        Super
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.add(12, 2, 4);
    }

    #[state(
        superstate = s1,
        exit_action = s2_exit,
        defer = [Event::I(0)],
    )]
    fn s2(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::E if self.0.guard(14, self.0.v[1] >= 2) => {
                DeepHistory(State::s0())
            }
            Event::E => {
                DeepHistory(State::s0())
            }
            Event::H(n) => {
                if self.0.guard(15, self.0.v[0] >= 5) {
                    self.0.set(16, 2, n);
                    return Handled;
                }
                Transition(State::s0())
            }
            Event::B => {
                if self.0.guard(17, self.0.v[1] >= 4) {
                    self.0.add(18, 2, 1);
                    Transition(State::s0(), |this| this.0.act(19))
                } else if self.0.guard(20, self.0.v[1] >= 5) {
                    self.0.act(21);
                    Handled
                } else {
                    DeepHistory(State::s0(), |this| this.0.add(22, 0, 3))
                }
            }
            Event::G(_) => {
                if self.0.guard(23, self.0.v[1] >= 5) {
                    self.0.add(24, 0, 5);
                    Handled
                } else if self.0.guard(25, self.0.v[2] >= 1) {
                    Transition(State::s1())
                } else {
                    DeepHistory(State::s0())
                }
            }
            Event::A => {
                Transition(State::s5())
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_exit(&mut self) {
        self.0.act(13);
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
            Event::I(n) if self.0.guard(28, n >= 2) => {
                self.0.add(29, 2, 2);
                History(State::s0())
            }
            Event::I(n) => {
                self.0.set(30, 0, n);
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.act(26);
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(27, 2, 2);
    }

    #[action]
    fn s3_initial(&mut self) {
        self.0.act(2);
    }

    #[superstate(
        superstate = s3,
        entry_action = s4_entry,
        exit_action = s4_exit,
    )]
    fn s4(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::C if self.0.guard(33, self.0.v[1] >= 6) => {
                Handled
            }
            Event::C if self.0.guard(34, self.0.v[0] >= 3) => {
                self.0.add(35, 0, 4);
                DeepHistory(State::s0())
            }
            Event::C => {
                Local(State::s5())
            }
            Event::E => {
                if self.0.guard(36, self.0.v[0] >= 7) {
                    self.0.add(37, 0, 2);
                    return Handled;
                }
                self.0.act(38);
                Local(State::s2())
            }
            Event::F if self.0.guard(39, self.0.v[0] >= 5) => {
                self.0.add(40, 2, 1);
                Super
            }
            Event::F => {
                Deferred
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_entry(&mut self) {
        self.0.add(31, 1, 3);
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.add(32, 1, 1);
    }

    #[state(
        superstate = s4,
        exit_action = s5_exit,
        defer = [Event::A, Event::H(3), Event::D],
    )]
    fn s5(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::F => {
                self.0.act(42);
                Transition(State::s1())
            }
            Event::B => {
                Transition(State::s2())
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_exit(&mut self) {
        self.0.act(41);
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
            State::S2 => (2, 0),
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
    .CDI2EBEEAFI2CAAG2CCEBEG2AH3BH2FCDI0G3CI3ADI3DFCEG1G1EG3I3DH2FCBEDDBECI1FCDEFI0EG3H1DEDH0A\
    I0H2CCCFI3DEACAAEFBI1G2G2AFCBBI0H3EDH3BAFI0FCH2H2DEBCI2DI2FFI3BI0EEEH0H0DFCBCAI3FBCI2H2ACF\
    BG0I1BEDEH3AI0BDI2DBCAAI2ECDAFCI0I0H1FFBG2CI3CBAFAFCFCBCACEDDDI1EEH2BH0G0H2FEEBH1BDCBH3I1A\
    CH2FEG3H2G3H3FEG3FCBFAFECG2I0EG2CI1AFI0EI3FDEH3DI2BBH3H1FCEFBG3G2FDEFADEEG2G0EI1G1ADG0BFFC\
    G0BCG0EFDBH2H2ACDBH0BFH1AH3CAI2DDH1H3I2CEADFG3FH3I3CCAG2I1DBDCAAEDG3I1DDG3DACH3EG1BH3DAFDI\
    3EBEG2CI2I0I2FCFDFAH1CBAI3FG2FI1FG0AI2I0BG1FFH1BBAFAG0I3I1H1H2CADDFBI0H0CG1FDI3\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0x5dece312, 0x2e2d6069, 0xd9588480, 0xb78f01b4, 0x40e7bbd2, 0x23bc38b9, 0x5a08d98d,
    0xffdb2432, 0xa5e07ffe, 0x8b6f48ba, 0x944399b6, 0x11b2db4d, 0x785912d2, 0x63fe4bde,
    0x24cea6d4, 0x063d4102, 0x244e1845, 0xbcf6ce1c, 0xf8bf5ed8, 0x2cda4b6b, 0xdc0ae13d,
];
