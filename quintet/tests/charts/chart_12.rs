//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s3(1),
)]
impl Chart {
    #[superstate(
        initial = State::s8(0),
        initial_action = s0_initial,
    )]
    fn s0(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::B => {
                if self.0.guard(4, self.0.v[2] >= 1) {
                    DeepHistory(State::s4())
                } else {
                    self.0.add(5, 2, 5);
                    History(State::s4())
                }
            }
            Event::D if self.0.guard(6, self.0.v[2] >= 2) => {
                Transition(State::s5())
            }
            Event::D => {
                History(State::s4())
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_initial(&mut self, context: &mut Context) {
        self.0.grow(2, &mut context.sum, 4);
    }

    #[superstate(
        superstate = s0,
        initial = State::s4(),
        entry_action = s1_entry,
        exit_action = s1_exit,
        after = (self.0.timer(77), 1),
    )]
    fn s1(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::F if self.0.guard(9, self.0.v[2] >= 3) => {
                Transition(State::s1())
            }
            Event::F => {
                self.0.act(10);
                Super
            }
            Event::C => {
                if self.0.guard(11, self.0.v[1] >= 4) {
                    self.0.add(12, 0, 4);
                    return Handled;
                }
                if self.0.guard(13, self.0.v[0] >= 4) {
                    self.0.add(14, 2, 1);
                    return Handled;
                }
                self.0.add(15, 0, 2);
                Super
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.add(7, 1, 3);
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.add(8, 2, 4);
    }

    #[superstate(
        superstate = s0,
        initial = State::s3(3),
        entry_action = s2_entry,
        exit_action = s2_exit,
    )]
    fn s2(&mut self, own: &mut u8, event: &Event, context: &mut Context) -> Outcome<State> {
        match event {
            Event::F => {
                DeepHistory(State::s4())
            }
            Event::A if self.0.guard(18, *own % 2 == 1) => {
                self.0.grow(19, &mut context.sum, 3);
                Handled
            }
            Event::A if self.0.guard(20, self.0.v[2] >= 4) => {
                self.0.grow(21, &mut context.sum, 2);
                Transition(State::s0(), |this, context| this.0.act(22))
            }
            Event::A => {
                DeepHistory(State::s4())
            }
            Event::H(_) => {
                Transition(State::s6(), |this, context| this.0.grow(23, &mut context.sum, 2))
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.add(16, 1, 5);
    }

    #[action]
    fn s2_exit(&mut self, context: &mut Context) {
        self.0.grow(17, &mut context.sum, 5);
    }

    #[state(
        superstate = s2,
        entry_action = s3_entry,
        exit_action = s3_exit,
    )]
    fn s3(&mut self, own: &mut u8, event: &Event, context: &mut Context) -> Outcome<State> {
        match event {
            Event::I(_) => {
                Local(State::s6())
            }
            Event::B => {
                self.0.act(26);
                Transition(State::s3(3), |this, context| this.0.add(27, 0, 5))
            }
            Event::H(_) => {
                self.0.grow(28, &mut context.sum, 4);
                Local(State::s0())
            }
            Event::E => {
                if self.0.guard(29, self.0.v[1] >= 7) {
                    self.0.grow(30, &mut context.sum, 1);
                    return Handled;
                }
                self.0.grow(31, own, 2);
                Transition(State::s0())
            }
            Event::C => {
                if self.0.guard(32, self.0.v[0] >= 6) {
                    self.0.grow(33, &mut context.sum, 2);
                    Transition(State::s3(7))
                } else if self.0.guard(34, self.0.v[1] >= 4) {
                    self.0.add(35, 2, 1);
                    Transition(State::s3(6))
                } else {
                    Local(State::s6())
                }
            }
            Event::F => {
                Transition(State::s7())
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self, own: &mut u8) {
        self.0.grow(24, own, 5);
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(25, 2, 3);
    }

    #[superstate(
        superstate = s1,
        initial = State::s6(),
        entry_action = s4_entry,
        exit_action = s4_exit,
    )]
    fn s4(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::F => {
                Super
            }
            Event::B => {
                if self.0.guard(38, self.0.v[0] >= 1) {
                    self.0.act(39);
                    Super
                } else if self.0.guard(40, self.0.v[1] >= 1) {
                    Handled
                } else {
                    self.0.add(41, 2, 1);
                    Handled
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_entry(&mut self, context: &mut Context) {
        self.0.grow(36, &mut context.sum, 5);
    }

    #[action]
    fn s4_exit(&mut self, context: &mut Context) {
        self.0.grow(37, &mut context.sum, 5);
    }

    #[superstate(
        superstate = s2,
        initial = State::s8(2),
        initial_action = s5_initial,
        entry_action = s5_entry,
        exit_action = s5_exit,
    )]
    fn s5(&mut self, event: &Event, context: &mut Context) -> Outcome<State> {
        match event {
            Event::F => {
                Local(State::s5(), |this, context| this.0.add(44, 1, 1))
            }
            Event::G(_) if self.0.guard(45, self.0.v[2] >= 7) => {
                self.0.grow(46, &mut context.sum, 5);
                Super
            }
            Event::G(_) if self.0.guard(47, self.0.v[1] >= 3) => {
                self.0.add(48, 1, 2);
                Local(State::s8(self.0.v[1]), |this, context| this.0.add(49, 1, 4))
            }
            Event::G(_) => {
                History(State::s4())
            }
            Event::E => {
                Transition(State::s2())
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_entry(&mut self) {
        self.0.add(42, 0, 1);
    }

    #[action]
    fn s5_exit(&mut self) {
        self.0.act(43);
    }

    #[action]
    fn s5_initial(&mut self) {
        self.0.add(3, 2, 3);
    }

    #[state(
        superstate = s4,
        entry_action = s6_entry,
        exit_action = s6_exit,
    )]
    fn s6(&mut self, event: &Event, context: &mut Context) -> Outcome<State> {
        match event {
            Event::C => {
                self.0.grow(52, &mut context.sum, 2);
                Handled
            }
            Event::A => {
                self.0.add(53, 1, 1);
                Handled
            }
            Event::D => {
                Transition(State::s3(self.0.v[1]), |this, context| this.0.add(76, 0, 2))
            }
            _ => Super,
        }
    }

    #[action]
    fn s6_entry(&mut self) {
        self.0.act(50);
    }

    #[action]
    fn s6_exit(&mut self, context: &mut Context) {
        self.0.grow(51, &mut context.sum, 3);
    }

    #[state(
        superstate = s4,
        entry_action = s7_entry,
        exit_action = s7_exit,
    )]
    fn s7(&mut self, event: &Event, context: &mut Context) -> Outcome<State> {
        match event {
            Event::E => {
                Transition(State::s7(), |this, context| this.0.add(56, 1, 4))
            }
            Event::I(n) => {
                if self.0.guard(57, self.0.v[1] >= 6) {
                    self.0.add(58, 1, 2);
                    Transition(State::s6(), |this, context| this.0.add(59, 2, 3))
                } else if self.0.guard(60, *n >= 2) {
                    Transition(State::s4(), |this, context| this.0.add(61, 2, 5))
                } else {
                    self.0.grow(62, &mut context.sum, 1);
                    Transition(State::s7(), |this, context| this.0.add(63, 0, 1))
                }
            }
            Event::B => {
                Transition(State::s8(5))
            }
            _ => Super,
        }
    }

    #[action]
    fn s7_entry(&mut self) {
        self.0.act(54);
    }

    #[action]
    fn s7_exit(&mut self, context: &mut Context) {
        self.0.grow(55, &mut context.sum, 5);
    }

    #[state(
        superstate = s5,
        entry_action = s8_entry,
        exit_action = s8_exit,
    )]
    fn s8(&mut self, own: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::G(_) if self.0.guard(66, *own % 2 == 1) => {
                Handled
            }
            Event::G(_) if self.0.guard(67, self.0.v[0] >= 1) => {
                Transition(State::s1())
            }
            Event::G(_) => {
                self.0.add(68, 0, 5);
                DeepHistory(State::s4())
            }
            Event::C => {
                Transition(State::s4())
            }
            Event::H(n) if self.0.guard(69, *n >= 1) => {
                Transition(State::s4(), |this, context| this.0.grow(70, &mut context.sum, 5))
            }
            Event::H(_) => {
                DeepHistory(State::s4())
            }
            Event::I(n) => {
                if self.0.guard(71, *n >= 3) {
                    self.0.set(72, 0, *n);
                    Handled
                } else if self.0.guard(73, *n >= 2) {
                    self.0.set(74, 1, *n);
                    Transition(State::s8(0))
                } else {
                    Transition(State::s8(0))
                }
            }
            Event::E => {
                Transition(State::s2())
            }
            Event::F => {
                Transition(State::s6(), |this, context| this.0.add(75, 1, 1))
            }
            _ => Super,
        }
    }

    #[action]
    fn s8_entry(&mut self) {
        self.0.act(64);
    }

    #[action]
    fn s8_exit(&mut self) {
        self.0.add(65, 2, 1);
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
        self.machine.start(&mut self.context);
    }

    fn dispatch(&mut self, event: Event) -> bool {
        self.machine.dispatch(&event, &mut self.context);
        true
    }

    fn leaf(&self) -> (u16, u8) {
        match self.machine.state() {
            State::S3 { own } => (3, *own),
            State::S6 => (6, 0),
            State::S7 => (7, 0),
            State::S8 { own } => (8, *own),
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
            _ => false,
        }
    }

    fn states(&self) -> u16 {
        9
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
    BI3AH2CH1FBG0CACG1FFBDI3I1FI3EI2G0AG1DAFEEH0EEEH1H0DFCG3I3DEBG2BEI1EAEI3I0BDBI0BCCAG3CCEAE\
    I3I1DFG3G2DFAFH1DG1H2CCI0I3EEEG3H3H0H1I3I1I3H2CFEG0H0DH0G2AH0I1I2BFH1EBFCBCECCEH2BEFDDAG2B\
    G3G1H1H3CG0ACCEI0FI2DEI2FI0CFG0DBBG3FCCEBBBFAEFCDH0BFFAAH3H0H2DEBI2FEFH1EDH3H1FCEG0I3CADEG\
    3EG3H1DAH0H1H1CG3FI1I1I0CG1EG2I1EI2AAABBCABI2FH1FCEG2H1FG1BCFEG1ECEDH2DCACECDI2AAG1G0CFEAH\
    2DCFG3I0BEFBFH3CFBBH0CI2AH0BH2G3I2H1CG3I1G2BH1I1DEBG2DI2CH2EAH3I1BI1BCADEEG0CG3I1BDCAFG3G2\
    I3I2I1I2BCG0H3FH3H3I0G2I2FFCAG0CFI3DG0BDEBAFCI2DCDBCH0AEG3H3FBDAABBG3ECDEECFBEDH3I1FI0AEH0\
    G2H1DI0\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0xae7c0451, 0x31f7ae86, 0xdad5e9cf, 0xb500055d, 0xfc7c0dcc, 0xeb2f13c6, 0xa1abd548,
    0xa1463d94, 0x3fc0719f, 0x9b70d208, 0x911e4c63, 0xa96c9ea9, 0xf343d711, 0x641b44a4,
    0xd1cb523c, 0x6e415db0, 0xa94607bb, 0xa4d61718, 0x20185370, 0x0687b958,
];
