//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s6(),
    unhandled = Self::unhandled,
)]
impl Chart {
    #[superstate(
        initial = State::s3(),
        entry_action = s0_entry,
        exit_action = s0_exit,
    )]
    fn s0(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::F => {
                if self.0.guard(7, self.0.v[2] >= 1) {
                    self.0.add(8, 2, 5);
                    return Transition(State::s3());
                }
                self.0.act(9);
                Transition(State::s0())
            }
            Event::I(3) => {
                if self.0.guard(10, self.0.v[0] >= 3) {
                    self.0.add(11, 1, 3);
                    Handled
                } else {
                    Super
                }
            }
            Event::I(n) => {
                if self.0.guard(12, self.0.v[2] >= 1) {
                    Transition(State::s8(2), |this| this.0.add(13, 1, 3))
                } else if self.0.guard(14, *n >= 3) {
                    self.0.act(15);
                    Handled
                } else {
                    self.0.add(16, 1, 1);
                    Transition(State::s5(), |this| this.0.add(17, 2, 4))
                }
            }
            Event::C => {
                if self.0.guard(18, self.0.v[0] >= 4) {
                    self.0.add(19, 2, 1);
                    return Local(State::s1());
                }
                if self.0.guard(20, self.0.v[1] >= 6) {
                    return Super;
                }
                Transition(State::s8(6))
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_entry(&mut self) {
        self.0.act(5);
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.add(6, 1, 2);
    }

    #[superstate(
        superstate = s0,
        initial = State::s5(),
        initial_action = s1_initial,
        entry_action = s1_entry,
        exit_action = s1_exit,
    )]
    fn s1(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::B => {
                if self.0.guard(23, self.0.v[2] >= 6) {
                    return Handled;
                }
                if self.0.guard(24, self.0.v[0] >= 7) {
                    return Local(State::s7(1));
                }
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.add(21, 2, 1);
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.add(22, 1, 2);
    }

    #[action]
    fn s1_initial(&mut self) {
        self.0.add(2, 1, 4);
    }

    #[superstate(
        superstate = s1,
        initial = State::s4(),
        entry_action = s2_entry,
        exit_action = s2_exit,
    )]
    fn s2(&mut self, own: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::I(n) if self.0.guard(27, *n >= 3) => {
                self.0.grow(28, own, 2);
                Local(State::s7(6))
            }
            Event::I(_) if self.0.guard(29, *own % 2 == 1) => {
                self.0.add(30, 0, 1);
                Super
            }
            Event::I(_) => {
                Super
            }
            Event::G(_) => {
                Transition(State::s5(), |this| this.0.add(31, 2, 1))
            }
            Event::A => {
                if self.0.guard(32, self.0.v[1] >= 4) {
                    return Handled;
                }
                Transition(State::s4())
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.add(25, 0, 4);
    }

    #[action]
    fn s2_exit(&mut self) {
        self.0.add(26, 2, 3);
    }

    #[state(
        superstate = s0,
        entry_action = s3_entry,
    )]
    fn s3(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::C => {
                if self.0.guard(34, self.0.v[0] >= 3) {
                    self.0.act(35);
                    return Handled;
                }
                self.0.add(36, 1, 5);
                Transition(State::s7(self.0.v[2]), |this| this.0.act(37))
            }
            Event::A => {
                self.0.act(38);
                Transition(State::s3())
            }
            Event::B => {
                self.0.add(39, 2, 2);
                Transition(State::s3(), |this| this.0.add(40, 2, 3))
            }
            Event::I(1) => {
                self.0.add(41, 1, 3);
                Transition(State::s3())
            }
            Event::I(_) => {
                self.0.add(42, 1, 2);
                Handled
            }
            Event::G(_) => {
                Transition(State::s8(self.0.v[0]))
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.add(33, 1, 4);
    }

    #[superstate(
        superstate = s2,
        initial = State::s6(),
        initial_action = s4_initial,
        exit_action = s4_exit,
    )]
    fn s4(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::B => {
                Transition(State::s7(self.0.v[2]))
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.add(43, 0, 5);
    }

    #[action]
    fn s4_initial(&mut self) {
        self.0.act(3);
    }

    #[superstate(
        superstate = s2,
        initial = State::s8(4),
        initial_action = s5_initial,
        entry_action = s5_entry,
        exit_action = s5_exit,
        on_completion = s5_next,
    )]
    fn s5(&mut self, own: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::H(_) => {
                if self.0.guard(46, self.0.v[0] >= 1) {
                    Handled
                } else if self.0.guard(47, *own % 2 == 1) {
                    Local(State::s1())
                } else {
                    self.0.grow(48, own, 1);
                    Transition(State::s2())
                }
            }
            Event::D => {
                self.0.add(49, 0, 2);
                Transition(State::s5())
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_entry(&mut self) {
        self.0.add(44, 0, 4);
    }

    #[action]
    fn s5_exit(&mut self) {
        self.0.add(45, 0, 4);
    }

    #[action]
    fn s5_initial(&mut self) {
        self.0.act(4);
    }

    fn s5_next(&mut self) -> Outcome<State> {
        if self.0.guard(74, self.0.v[2] >= 2) {
            Transition(State::s2())
        } else {
            Handled
        }
    }

    #[superstate(
        superstate = s4,
        initial = State::s7(0),
        entry_action = s6_entry,
        exit_action = s6_exit,
    )]
    fn s6(&mut self, own: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::H(_) if self.0.guard(52, self.0.v[0] >= 3) => {
                self.0.grow(53, own, 5);
                Handled
            }
            Event::H(_) => {
                self.0.grow(54, own, 2);
                Handled
            }
            Event::G(_) => {
                if self.0.guard(55, self.0.v[2] >= 7) {
                    return Super;
                }
                self.0.add(56, 1, 5);
                Handled
            }
            Event::I(_) => {
                Local(State::s7(7))
            }
            _ => Super,
        }
    }

    #[action]
    fn s6_entry(&mut self) {
        self.0.add(50, 2, 5);
    }

    #[action]
    fn s6_exit(&mut self) {
        self.0.add(51, 2, 3);
    }

    #[state(
        superstate = s6,
        exit_action = s7_exit,
        after = (self.0.timer(75), 7),
    )]
    fn s7(&mut self, own: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::H(_) if self.0.guard(58, self.0.v[2] >= 2) => {
                Transition(State::s0())
            }
            Event::H(_) => {
                Transition(State::s4())
            }
            Event::F => {
                Transition(State::s3())
            }
            _ => Super,
        }
    }

    #[action]
    fn s7_exit(&mut self) {
        self.0.add(57, 0, 5);
    }

    #[state(
        completes = s5,
        exit_action = s8_exit,
    )]
    fn s8(&mut self, own: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::E if self.0.guard(60, *own % 2 == 1) => {
                self.0.add(61, 2, 1);
                Transition(State::s5(), |this| this.0.add(62, 1, 1))
            }
            Event::E if self.0.guard(63, self.0.v[2] >= 4) => {
                Transition(State::s4())
            }
            Event::E => {
                self.0.add(64, 1, 5);
                Handled
            }
            Event::G(_) => {
                if self.0.guard(65, self.0.v[2] >= 5) {
                    return Transition(State::s5(), |this| this.0.add(66, 2, 4));
                }
                if self.0.guard(67, self.0.v[1] >= 7) {
                    return Handled;
                }
                Transition(State::s4())
            }
            Event::F => {
                self.0.add(68, 2, 3);
                Transition(State::s4(), |this| this.0.add(69, 0, 3))
            }
            Event::D => {
                if self.0.guard(70, self.0.v[1] >= 3) {
                    return Transition(State::s0());
                }
                if self.0.guard(71, *own % 2 == 1) {
                    self.0.act(72);
                    return Handled;
                }
                Super
            }
            Event::H(_) => {
                Transition(State::s7(self.0.v[1]), |this| this.0.add(73, 0, 3))
            }
            _ => Super,
        }
    }

    #[action]
    fn s8_exit(&mut self, own: &mut u8) {
        self.0.grow(59, own, 2);
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
            State::S7 { own } => (7, *own),
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
    DDADBAEH3H0FG0BEG2FG0G0CG2BFDDAG3FH3DACDBEFH0G3H3G0AFFCFACCEG3DI0G2CH2AI1EG1BBH3I2BEEDAG2C\
    G1AG0FCCAADI0CDDFI2DEDBFG0AG0FDCH1EABFAH2EH0CDBFG3AH1H0I0DG1G0EACG1H3FBAH1G0CDEACEH0CBAG3B\
    AEI1I2BG3EH3FDFDH1BI0I2I3H0DG1BCBCDFH2G1EI1H2G0CEAEFG2EBFFDDG2ABCH3FFEDH0G2AEBG0EEG0EEH2BH\
    2CCCEDI0DEBI2FI3FH0I2ABI2EEI2ABG0DBCI1G0CEADBCBBAG2I1DDBH3AH0DI2FECBFH3FDEDFADAACH3EH1CBG3\
    BI1EH0EBFG1I3CEI1BCFG0BH1CBBDEACAI0BDDDEFI1FG3H0BI1I2H3BG2DFBI3I2H3EI3G0CEFABDBCFAH3FDDG3H\
    0BBI1DAI0I2FAFDI2CFG3G0DH3CI3BBCFG3FCBCEI0G0I1EH2FAABG1BCFEBH1I0FDFAG0FDDG2G2H1\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0xe13be835, 0x1c0b48cc, 0x119510f9, 0x79178dc5, 0xe0f6577d, 0x6d6c831a, 0x4607529f,
    0x1edb53b1, 0x3d259473, 0x2feaf6d9, 0xbfb91d11, 0xfc0bb31f, 0x373f3bb0, 0xb94d1ce0,
    0x850fc4ad, 0xcf314c7f, 0xe88e038e, 0x50ebcb96, 0x08b47b44, 0x4797deef,
];
