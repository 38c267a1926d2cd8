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
        initial = State::s1(),
        initial_action = s0_initial,
        entry_action = s0_entry,
        exit_action = s0_exit,
    )]
    fn s0(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::C if self.0.guard(6, self.0.v[2] >= 2) => {
                Local(State::s4(self.0.v[0]))
            }
            Event::C if self.0.guard(7, self.0.v[2] >= 1) => {
                Transition(State::s0())
            }
            Event::C => {
                Local(State::s1())
            }
            Event::H(_) if self.0.guard(8, self.0.v[0] >= 4) => {
                DeepHistory(State::s1(), |this| this.0.act(9))
            }
            Event::H(_) => {
                Local(State::s2(), |this| this.0.act(10))
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_entry(&mut self) {
        self.0.add(4, 1, 3);
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.add(5, 2, 5);
    }

    #[action]
    fn s0_initial(&mut self) {
        self.0.add(2, 2, 5);
    }

    #[superstate(
        superstate = s0,
        initial = State::s3(),
        initial_action = s1_initial,
    )]
    fn s1(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::G(n) => {
                if self.0.guard(11, self.0.v[0] >= 5) {
                    self.0.add(12, 1, 4);
                    Transition(State::s4(3), |this| this.0.add(13, 0, 5))
                } else if self.0.guard(14, *n >= 3) {
                    self.0.add(15, 0, 4);
                    Local(State::s0(), |this| this.0.act(16))
                } else {
                    self.0.act(17);
                    Local(State::s1())
                }
            }
            Event::D => {
                if self.0.guard(18, self.0.v[1] >= 6) {
                    self.0.add(19, 0, 2);
                    DeepHistory(State::s1(), |this| this.0.add(20, 1, 2))
                } else if self.0.guard(21, self.0.v[0] >= 4) {
                    self.0.add(22, 2, 3);
                    Transition(State::s4(4), |this| this.0.act(23))
                } else {
                    self.0.act(24);
                    Super
                }
            }
            Event::E => {
                if self.0.guard(25, self.0.v[1] >= 7) {
                    return Transition(State::s0(), |this| this.0.add(26, 2, 5));
                }
                self.0.add(27, 1, 5);
                Transition(State::s3())
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_initial(&mut self) {
        self.0.act(3);
    }

    #[superstate(
        superstate = s0,
        initial = State::s4(0),
        entry_action = s2_entry,
        exit_action = s2_exit,
    )]
    fn s2(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::F => {
                self.0.add(30, 2, 5);
                DeepHistory(State::s1())
            }
            Event::G(n) => {
                if self.0.guard(31, *n >= 1) {
                    self.0.act(32);
                    return Handled;
                }
                Super
            }
            Event::A => {
                Transition(State::s0())
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.add(28, 2, 3);
    }

    #[action]
    fn s2_exit(&mut self) {
        self.0.add(29, 1, 2);
    }

    #[state(
        superstate = s1,
        entry_action = s3_entry,
        exit_action = s3_exit,
    )]
    fn s3(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::I(1) => {
                if self.0.guard(35, self.0.v[0] >= 3) {
                    Transition(State::s3())
                } else if self.0.guard(36, self.0.v[0] >= 4) {
                    Super
                } else {
                    Super
                }
            }
            Event::I(n) => {
                if self.0.guard(37, self.0.v[2] >= 2) {
                    History(State::s1())
                } else if self.0.guard(38, *n >= 2) {
                    Transition(State::s2())
                } else {
                    Super
                }
            }
            Event::B => {
                if self.0.guard(39, self.0.v[0] >= 5) {
                    return Transition(State::s0(), |this| this.0.add(40, 1, 2));
                }
                if self.0.guard(41, self.0.v[1] >= 2) {
                    self.0.act(42);
                    return Transition(State::s3());
                }
                Transition(State::s3(), |this| this.0.add(43, 0, 5))
            }
            Event::E if self.0.guard(44, self.0.v[1] >= 3) => {
                self.0.add(45, 0, 3);
                Local(State::s0())
            }
            Event::E => {
                Handled
            }
            Event::G(2) => {
                if self.0.guard(46, self.0.v[0] >= 1) {
                    self.0.add(47, 1, 3);
                    Transition(State::s2())
                } else if self.0.guard(48, self.0.v[1] >= 7) {
                    self.0.add(49, 2, 1);
                    Transition(State::s3())
                } else {
                    Transition(State::s3(), |this| this.0.add(50, 1, 4))
                }
            }
            Event::G(_) if self.0.guard(51, self.0.v[1] >= 3) => {
                DeepHistory(State::s1())
            }
            Event::G(_) => {
                History(State::s1(), |this| this.0.add(52, 1, 1))
            }
            Event::D => {
                Transition(State::s4(0), |this| this.0.add(61, 2, 2))
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.add(33, 1, 1);
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(34, 2, 1);
    }

    #[state(
        superstate = s2,
        entry_action = s4_entry,
        exit_action = s4_exit,
        on_completion = s4_next,
    )]
    fn s4(&mut self, own: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::H(_) => {
                Handled
            }
            Event::A if self.0.guard(55, *own % 2 == 1) => {
                self.0.act(56);
                Handled
            }
            Event::A => {
                Handled
            }
            Event::F => {
                if self.0.guard(57, self.0.v[1] >= 6) {
                    self.0.add(58, 0, 5);
                    return Super;
                }
                self.0.grow(59, own, 1);
                Transition(State::s4(6))
            }
            Event::B => {
                Transition(State::s3())
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_entry(&mut self, own: &mut u8) {
        self.0.grow(53, own, 4);
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.add(54, 2, 2);
    }

    fn s4_next(&mut self) -> Outcome<State> {
        if self.0.guard(60, self.0.v[1] >= 6) {
            Transition(State::s1())
        } else {
            Handled
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
        self.machine.dispatch(&event);
        true
    }

    fn leaf(&self) -> (u16, u8) {
        match self.machine.state() {
            State::S3 => (3, 0),
            State::S4 { own } => (4, *own),
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
    AI0AH3I2I0BEG3G2H0G0DECEFH0DCEFFAAI0CAI2I0G2I2ACDBCAH2BH2BBFACG2DI1CBI2EFEI3ABFH1EEBH3I3FI\
    1BEFEH1H0AI1DABCBFG0BAAI1H3CG1AFI0AG0G2BH0ADECEI0G2H0H3DH0H1AI3AG3H0BH2BBFABEDBBG1FG3CI1EH\
    0AG0G3FH1DI3EAACDAACADDBFCAI1AG0DBAAG2CG0AI0FFG3G0BCEAH1BCH3DG3I2FEH1H3I2BEH3BH2CG3CG2I1EH\
    1EAAI0DI0BH2EFCCBDBCFH0AH1I3BAFBH1G2H0FG0I2BI0BI1DFI1EI2CFFDBH3AI2DFG2DECFDBI1ECI2G1CG2BAF\
    AH2H3I2ACCG3BH1DCI3CFCEAI3G3I2CECCCI2DG0CI1FAACFEI2EFEAEH0DH2DFI3BEDFBI2FFBEBDH1G1I3I2G3AD\
    EAG3ADEI3H1I2FEH0FCI3DEH1ECH2DG3AADBDFECDH2CH2BH0BACFEDADEG1FH0DH1EEI0AAADDI1I2I2G3ECAI1\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0x5ca513fe, 0x1c709e29, 0x4a46f8c5, 0x0c619e90, 0x1864e9a2, 0xaa8dc584, 0x8c03f6a8,
    0x20840e8d, 0xaf70ef9b, 0xcbfafb9e, 0x5b2481f4, 0x837049ad, 0xfaa7edab, 0x121ebac0,
    0xaf7cedcb, 0xe6f4f82b, 0xeba31b95, 0x03b42c60, 0xc88b51b3, 0xe2159b27,
];
