//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s8(),
)]
impl Chart {
    #[superstate(
        initial = State::s8(),
        initial_action = s0_initial,
        entry_action = s0_entry,
        exit_action = s0_exit,
    )]
    fn s0(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::E => {
                if self.0.guard(8, self.0.v[2] >= 4) {
                    self.0.add(9, 1, 5);
                    Transition(State::s5())
                } else {
                    Super
                }
            }
            Event::C => {
                self.0.add(10, 2, 5);
                Handled
            }
            Event::G(_) => {
                self.0.act(11);
                Local(State::s2())
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_entry(&mut self) {
        self.0.add(6, 1, 1);
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.act(7);
    }

    #[action]
    fn s0_initial(&mut self) {
        self.0.add(2, 2, 1);
    }

    #[state(
        superstate = s0,
        exit_action = s1_exit,
    )]
    fn s1(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::G(n) if self.0.guard(13, n >= 3) => {
                Local(State::s6(), |this| this.0.act(14))
            }
            Event::G(n) => {
                self.0.set(15, 1, n);
                Super
            }
            Event::C => {
                if self.0.guard(16, self.0.v[2] >= 7) {
                    DeepHistory(State::s2(), |this| this.0.add(17, 0, 1))
                } else {
                    History(State::s2())
                }
            }
            Event::I(0) => {
                if self.0.guard(18, self.0.v[2] >= 3) {
                    return Handled;
                }
                if self.0.guard(19, self.0.v[2] >= 4) {
                    self.0.add(20, 1, 3);
                    return Transition(State::s1());
                }
                Handled
            }
            Event::I(_) => {
                if self.0.guard(21, self.0.v[0] >= 2) {
                    self.0.add(22, 2, 4);
                    History(State::s2(), |this| this.0.act(23))
                } else {
                    self.0.add(24, 0, 1);
                    Super
                }
            }
            Event::H(n) => {
                if self.0.guard(25, self.0.v[2] >= 7) {
                    return Transition(State::s9(self.0.v[1]));
                }
                self.0.set(26, 0, n);
                Local(State::s2())
            }
            Event::E => {
                Transition(State::s7(), |this| this.0.add(83, 2, 2))
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.add(12, 1, 5);
    }

    #[superstate(
        superstate = s0,
        initial = State::s3(),
        initial_action = s2_initial,
        entry_action = s2_entry,
        exit_action = s2_exit,
    )]
    fn s2(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::I(1) => {
                self.0.add(29, 2, 5);
                Handled
            }
            Event::I(_) => {
                self.0.add(30, 1, 3);
                Local(State::s6())
            }
            Event::E => {
                if self.0.guard(31, self.0.v[0] >= 1) {
                    self.0.add(32, 1, 5);
                    History(State::s2())
                } else if self.0.guard(33, self.0.v[0] >= 3) {
                    Transition(State::s0(), |this| this.0.act(34))
                } else {
                    Transition(State::s2(), |this| this.0.add(35, 2, 2))
                }
            }
            Event::D => {
                if self.0.guard(36, self.0.v[1] >= 2) {
                    self.0.add(37, 2, 3);
                    Handled
                } else {
                    Local(State::s3())
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.add(27, 0, 5);
    }

    #[action]
    fn s2_exit(&mut self) {
        self.0.add(28, 1, 2);
    }

    #[action]
    fn s2_initial(&mut self) {
        self.0.add(3, 1, 5);
    }

    #[superstate(
        superstate = s2,
        initial = State::s7(),
        exit_action = s3_exit,
    )]
    fn s3(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::C => {
                if self.0.guard(39, self.0.v[0] >= 7) {
                    self.0.act(40);
                    return Super;
                }
                Transition(State::s2())
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(38, 2, 3);
    }

    #[superstate(
        superstate = s3,
        initial = State::s7(),
        initial_action = s4_initial,
    )]
    fn s4(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::B if self.0.guard(41, self.0.v[0] >= 2) => {
                self.0.act(42);
                Transition(State::s8())
            }
            Event::B if self.0.guard(43, self.0.v[2] >= 6) => {
                self.0.add(44, 0, 2);
                Super
            }
            Event::B => {
                self.0.add(45, 1, 5);
                Transition(State::s4())
            }
            Event::A => {
                self.0.add(46, 2, 1);
                Local(State::s0())
            }
            Event::H(_) if self.0.guard(47, self.0.v[0] >= 5) => {
                Transition(State::s3(), |this| this.0.add(48, 2, 2))
            }
            Event::H(_) => {
                Transition(State::s7())
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_initial(&mut self) {
        self.0.add(4, 2, 2);
    }

    #[superstate(
        superstate = s4,
        initial = State::s7(),
        initial_action = s5_initial,
        entry_action = s5_entry,
    )]
    fn s5(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::I(n) => {
                if self.0.guard(50, self.0.v[1] >= 7) {
                    Local(State::s4())
                } else {
                    self.0.set(51, 1, n);
                    Local(State::s2(), |this| this.0.add(52, 1, 2))
                }
            }
            Event::D => {
                self.0.add(53, 2, 3);
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_entry(&mut self) {
        self.0.act(49);
    }

    #[action]
    fn s5_initial(&mut self) {
        self.0.act(5);
    }

    #[superstate(
        superstate = s2,
        initial = State::s8(),
        entry_action = s6_entry,
    )]
    fn s6(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::E => {
                if self.0.guard(55, self.0.v[1] >= 5) {
                    self.0.add(56, 2, 1);
                    Transition(State::s6())
                } else {
                    Handled
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s6_entry(&mut self) {
        self.0.add(54, 1, 3);
    }

    #[state(
        superstate = s5,
        entry_action = s7_entry,
        exit_action = s7_exit,
    )]
    fn s7(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::H(_) => {
                Transition(State::s7(), |this| this.0.add(59, 2, 3))
            }
            Event::I(n) => {
                if self.0.guard(60, n >= 2) {
                    Super
                } else if self.0.guard(61, n >= 3) {
                    self.0.act(62);
                    Handled
                } else {
                    self.0.add(63, 0, 3);
                    Local(State::s5())
                }
            }
            Event::E => {
                self.0.add(64, 2, 5);
                Transition(State::s7(), |this| this.0.add(65, 1, 2))
            }
            Event::A => {
                if self.0.guard(66, self.0.v[0] >= 4) {
                    Transition(State::s7(), |this| this.0.act(67))
                } else {
                    self.0.add(68, 1, 1);
                    Local(State::s2())
                }
            }
            Event::D => {
                Transition(State::s8(), |this| this.0.add(81, 0, 5))
            }
            _ => Super,
        }
    }

    #[action]
    fn s7_entry(&mut self) {
        self.0.add(57, 2, 3);
    }

    #[action]
    fn s7_exit(&mut self) {
        self.0.add(58, 1, 3);
    }

    #[state(
        superstate = s6,
        entry_action = s8_entry,
    )]
    fn s8(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::C => {
                if self.0.guard(70, self.0.v[1] >= 1) {
                    self.0.add(71, 2, 2);
                    History(State::s2())
                } else {
                    self.0.add(72, 2, 3);
                    Super
                }
            }
            Event::E => {
                Transition(State::s9(7))
            }
            _ => Super,
        }
    }

    #[action]
    fn s8_entry(&mut self) {
        self.0.act(69);
    }

    #[state(
        entry_action = s9_entry,
        exit_action = s9_exit,
    )]
    fn s9(&mut self, own: &mut u8, event: Event) -> Outcome<State> {
        match event {
            Event::G(_) => {
                if self.0.guard(75, *own % 2 == 1) {
                    self.0.act(76);
                    return Transition(State::s5());
                }
                Super
            }
            Event::F if self.0.guard(77, *own % 2 == 1) => {
                DeepHistory(State::s2())
            }
            Event::F => {
                Super
            }
            Event::E if self.0.guard(78, self.0.v[2] >= 4) => {
                Transition(State::s9(self.0.v[1]))
            }
            Event::E if self.0.guard(79, self.0.v[1] >= 6) => {
                self.0.grow(80, own, 5);
                DeepHistory(State::s2())
            }
            Event::E => {
                Transition(State::s9(5))
            }
            Event::B => {
                Transition(State::s9(self.0.v[2]))
            }
            Event::D => {
                Transition(State::s1(), |this| this.0.add(82, 0, 3))
            }
            _ => Super,
        }
    }

    #[action]
    fn s9_entry(&mut self) {
        self.0.act(73);
    }

    #[action]
    fn s9_exit(&mut self) {
        self.0.act(74);
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
            State::S7 => (7, 0),
            State::S8 => (8, 0),
            State::S9 { own } => (9, *own),
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
            8 => machine.is_in(Within::S8),
            9 => machine.is_in(Within::S9),
            _ => false,
        }
    }

    fn states(&self) -> u16 {
        10
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
    .CH2CG2CAEAEI3DCAEAFAH3AFI3G0BI0EEECFH2H1DCFH1AH3DEI2BI1EFBFACEFECFCBI2AG1EAEABI2CCH3FCEDA\
    G0FBBFEDG2H0ADDI3H0I2I3AG2FFI0AI0BBG2H0H1ABI1BEBDCADH2DCH3G2CH3FAEG1H2BFAAH1DAEI0CCBDEI2EG\
    1EBBI3H0G0DFBAAG0BEEDI3H0G1AH2EBEH2ADH2I0CH0CAFFCI2CBCEI2EH1BBDH2FH3I1EEI2AI3DBG1EG0H3FH1B\
    DFAI1I1BG3DDG0AAEBCFEDH1AG0AI3DI1G1CH3BDDBAG3H0FCG0I3H2ADH1AI3DI2FH1H1BCDACH0CCG0CCFG3CBED\
    EG3H2BCH2DAEAI2ADG1EI3CDAAABAI3DFBFCACG2H2I2EBH3H3CH3FI2AH2BI1I2DDAG2G3FABFG3G3EABH1AG0CG2\
    I3H1FACDBEBEFBG3DDEG0AAI1FAG0EI1BFI1DFG1ECAEFADFG2DI0FABH2I3DBFFCBAI1CBADEAH0G2\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0x308a881a, 0x646717b6, 0x2b07789f, 0x1b88be92, 0x8760e235, 0x1d94f57d, 0xaa137115,
    0x18787ceb, 0x5166e212, 0x42ce764e, 0x1a3bc85c, 0xe7a3506a, 0xed417889, 0x1d57590f,
    0xc0ea95be, 0x11ca8891, 0xeec804dd, 0x48771f81, 0x9db5a093, 0x6c94425a, 0x06e27629,
];
