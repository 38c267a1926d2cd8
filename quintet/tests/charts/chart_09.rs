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
        on_completion = s1_next,
    )]
    fn s1(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::D => {
                self.0.act(13);
                Transition(State::s5())
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.add(12, 2, 4);
    }

    fn s1_next(&mut self) -> Outcome<State> {
        self.0.add(58, 0, 4);
        Transition(State::s3(), |this| this.0.add(57, 2, 3))
    }

    #[state(
        completes = s1,
        entry_action = s2_entry,
        exit_action = s2_exit,
        defer = [Event::A],
    )]
    fn s2(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::E => {
                if self.0.guard(16, self.0.v[0] >= 5) {
                    return Transition(State::s2());
                }
                if self.0.guard(17, self.0.v[1] >= 6) {
                    self.0.act(18);
                    return Transition(State::s0(), |this| this.0.add(19, 2, 4));
                }
                self.0.add(20, 0, 2);
                Transition(State::s4())
            }
            Event::H(n) if self.0.guard(21, n >= 3) => {
                self.0.add(22, 1, 1);
                Local(State::s0(), |this| this.0.add(23, 2, 3))
            }
            Event::H(_) => {
                Transition(State::s2())
            }
            Event::F => {
                if self.0.guard(24, self.0.v[0] >= 5) {
                    return Handled;
                }
                Transition(State::s1())
            }
            Event::I(_) => {
                Transition(State::s5())
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.act(14);
    }

    #[action]
    fn s2_exit(&mut self) {
        self.0.add(15, 1, 1);
    }

    #[superstate(
        superstate = s1,
        initial = State::s5(),
        initial_action = s3_initial,
        entry_action = s3_entry,
        exit_action = s3_exit,
        defer = [Event::B],
    )]
    fn s3(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::D => {
                if self.0.guard(27, self.0.v[0] >= 7) {
                    return Deferred;
                }
                Local(State::s2())
            }
            Event::C if self.0.guard(28, self.0.v[0] >= 3) => {
                self.0.add(29, 1, 2);
                Local(State::s3(), |this| this.0.add(30, 2, 2))
            }
            Event::C => {
                self.0.act(31);
                DeepHistory(State::s0(), |this| this.0.act(32))
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.add(25, 1, 5);
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.act(26);
    }

    #[action]
    fn s3_initial(&mut self) {
        self.0.act(2);
    }

    #[superstate(
        superstate = s3,
        initial = State::s5(),
        initial_action = s4_initial,
        entry_action = s4_entry,
        exit_action = s4_exit,
        after = (self.0.timer(59), 4),
    )]
    fn s4(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::F => {
                if self.0.guard(35, self.0.v[1] >= 5) {
                    return Local(State::s5(), |this| this.0.act(36));
                }
                self.0.add(37, 0, 5);
                Local(State::s2())
            }
            Event::I(_) => {
                self.0.act(38);
                Handled
            }
            Event::G(_) => {
                self.0.add(39, 2, 4);
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_entry(&mut self) {
        self.0.add(33, 1, 2);
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.add(34, 0, 4);
    }

    #[action]
    fn s4_initial(&mut self) {
        self.0.add(3, 0, 5);
    }

    #[state(
        superstate = s4,
    )]
    fn s5(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::A => {
                if self.0.guard(40, self.0.v[0] >= 2) {
                    self.0.act(41);
                    return Transition(State::s1());
                }
                if self.0.guard(42, self.0.v[1] >= 1) {
                    return Handled;
                }
                Handled
            }
            Event::B => {
                if self.0.guard(43, self.0.v[0] >= 4) {
                    self.0.add(44, 0, 3);
                    return DeepHistory(State::s0(), |this| this.0.act(45));
                }
                if self.0.guard(46, self.0.v[2] >= 4) {
                    self.0.add(47, 2, 5);
                    return Deferred;
                }
                History(State::s0())
            }
            Event::E if self.0.guard(48, self.0.v[0] >= 5) => {
                self.0.add(49, 0, 3);
                Transition(State::s4())
            }
            Event::E if self.0.guard(50, self.0.v[0] >= 5) => {
                Transition(State::s2(), |this| this.0.add(51, 1, 2))
            }
            Event::E => {
                self.0.add(52, 1, 2);
                Transition(State::s5())
            }
            Event::H(_) => {
                Super
            }
            Event::F => {
                if self.0.guard(53, self.0.v[2] >= 3) {
                    return Handled;
                }
                self.0.add(54, 1, 3);
                Transition(State::s0(), |this| this.0.add(55, 0, 2))
            }
            Event::G(_) => {
                Transition(State::s2(), |this| this.0.add(56, 0, 3))
            }
            _ => Super,
        }
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
    0x6e6e83d9, 0x4a845bc7, 0xd31d2cd2, 0x9d632147, 0x4baaf293, 0x93e0f508, 0xb7769339,
    0x8d0adbf3, 0xf3e3d534, 0xb20871c0, 0xf29e3c67, 0x1629df93, 0x19193661, 0x7b46a2ec,
    0x91619651, 0xd4495e18, 0x3d0c00ac, 0x5998efb5, 0x9b853a18, 0xe5e46f95, 0xb2776d3f,
];
