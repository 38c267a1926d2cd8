//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s7(),
    deferred = 1,
    unhandled = Self::unhandled,
)]
impl Chart {
    #[superstate(
        initial = State::s4(),
    )]
    fn s0(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::I(n) if self.0.guard(2, *n >= 3) => {
                Handled
            }
            Event::I(n) if self.0.guard(3, *n >= 1) => {
                Handled
            }
            Event::I(_) => {
                Super
            }
            Event::E if self.0.guard(4, self.0.v[1] >= 2) => {
                Local(State::s7())
            }
            Event::E => {
                self.0.act(5);
                Deferred
            }
            Event::F => {
                self.0.act(6);
                Local(State::s1())
            }
            _ => Super,
        }
    }

    #[state(
        superstate = s0,
        entry_action = s1_entry,
        exit_action = s1_exit,
        on_completion = s1_next,
    )]
    fn s1(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::B if self.0.guard(9, self.0.v[1] >= 4) => {
                Transition(State::s1())
            }
            Event::B if self.0.guard(10, self.0.v[1] >= 5) => {
                Local(State::s2())
            }
            Event::B => {
                Transition(State::s0())
            }
            Event::F => {
                if self.0.guard(11, self.0.v[1] >= 5) {
                    self.0.act(12);
                    Super
                } else {
                    Super
                }
            }
            Event::A => {
                if self.0.guard(13, self.0.v[2] >= 6) {
                    self.0.act(14);
                    return Transition(State::s1());
                }
                if self.0.guard(15, self.0.v[0] >= 5) {
                    self.0.add(16, 0, 3);
                    return Handled;
                }
                self.0.add(17, 0, 2);
                Transition(State::s7())
            }
            Event::D => {
                Transition(State::s4(), |this| this.0.add(18, 2, 5))
            }
            Event::E => {
                self.0.act(19);
                Super
            }
            Event::H(_) => {
                Transition(State::s5(), |this| this.0.add(58, 0, 5))
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.act(7);
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.add(8, 0, 5);
    }

    fn s1_next(&mut self) -> Outcome<State> {
        if self.0.guard(20, self.0.v[1] >= 7) {
            self.0.add(21, 1, 3);
            Transition(State::s0())
        } else {
            Handled
        }
    }

    #[superstate(
        superstate = s0,
        initial = State::s5(),
        entry_action = s2_entry,
        exit_action = s2_exit,
        defer = [Event::E],
    )]
    fn s2(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::B => {
                if self.0.guard(24, self.0.v[2] >= 4) {
                    Local(State::s5(), |this| this.0.add(25, 0, 4))
                } else if self.0.guard(26, self.0.v[0] >= 4) {
                    Local(State::s2())
                } else {
                    self.0.act(27);
                    Local(State::s2())
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.add(22, 2, 3);
    }

    #[action]
    fn s2_exit(&mut self) {
        self.0.add(23, 0, 1);
    }

    #[superstate(
        superstate = s0,
        initial = State::s6(),
        exit_action = s3_exit,
    )]
    fn s3(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::C => {
                if self.0.guard(29, self.0.v[2] >= 4) {
                    self.0.act(30);
                    return Local(State::s3());
                }
                Transition(State::s2())
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.act(28);
    }

    #[state(
        superstate = s2,
        entry_action = s4_entry,
        exit_action = s4_exit,
    )]
    fn s4(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::D => {
                if self.0.guard(33, self.0.v[2] >= 6) {
                    self.0.add(34, 2, 2);
                    return Handled;
                }
                self.0.add(35, 0, 3);
                Handled
            }
            Event::I(0) => {
                Handled
            }
            Event::I(_) => {
                if self.0.guard(36, self.0.v[2] >= 3) {
                    Handled
                } else {
                    Super
                }
            }
            Event::C => {
                Transition(State::s6())
            }
            Event::G(3) => {
                Local(State::s1())
            }
            Event::G(n) => {
                if self.0.guard(37, *n >= 2) {
                    self.0.add(38, 1, 5);
                    return Transition(State::s6(), |this| this.0.add(39, 1, 1));
                }
                Deferred
            }
            Event::E => {
                Transition(State::s1())
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_entry(&mut self) {
        self.0.add(31, 0, 5);
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.add(32, 1, 4);
    }

    #[state(
        superstate = s2,
        entry_action = s5_entry,
        exit_action = s5_exit,
    )]
    fn s5(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::B => {
                if self.0.guard(42, self.0.v[2] >= 1) {
                    Handled
                } else if self.0.guard(43, self.0.v[0] >= 7) {
                    Handled
                } else {
                    self.0.add(44, 1, 4);
                    Super
                }
            }
            Event::C => {
                self.0.add(45, 2, 3);
                Handled
            }
            Event::G(_) => {
                Transition(State::s7(), |this| this.0.act(46))
            }
            Event::F => {
                if self.0.guard(47, self.0.v[0] >= 2) {
                    return Transition(State::s4());
                }
                self.0.add(48, 1, 3);
                Local(State::s0())
            }
            Event::I(_) => {
                if self.0.guard(49, self.0.v[0] >= 5) {
                    return Super;
                }
                Handled
            }
            Event::E => {
                Transition(State::s7())
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_entry(&mut self) {
        self.0.add(40, 1, 3);
    }

    #[action]
    fn s5_exit(&mut self) {
        self.0.add(41, 1, 5);
    }

    #[state(
        superstate = s3,
        exit_action = s6_exit,
    )]
    fn s6(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::E => {
                self.0.add(51, 1, 2);
                Local(State::s2())
            }
            Event::H(_) => {
                Transition(State::s6())
            }
            Event::A => {
                Handled
            }
            Event::G(_) => {
                Transition(State::s4(), |this| this.0.add(60, 2, 2))
            }
            _ => Super,
        }
    }

    #[action]
    fn s6_exit(&mut self) {
        self.0.add(50, 2, 2);
    }

    #[state(
        superstate = s0,
        entry_action = s7_entry,
        exit_action = s7_exit,
    )]
    fn s7(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::B => {
                self.0.add(54, 1, 5);
                Handled
            }
            Event::A => {
                Handled
            }
            Event::H(_) if self.0.guard(55, self.0.v[0] >= 1) => {
                self.0.act(56);
                Transition(State::s7())
            }
            Event::H(_) => {
                Super
            }
            Event::E => {
                self.0.add(57, 2, 1);
                Handled
            }
            Event::C => {
                Transition(State::s6(), |this| this.0.add(59, 2, 3))
            }
            _ => Super,
        }
    }

    #[action]
    fn s7_entry(&mut self) {
        self.0.add(52, 1, 4);
    }

    #[action]
    fn s7_exit(&mut self) {
        self.0.add(53, 0, 2);
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
        self.machine.dispatch(&event).is_ok()
    }

    fn leaf(&self) -> (u16, u8) {
        match self.machine.state() {
            State::S1 => (1, 0),
            State::S4 => (4, 0),
            State::S5 => (5, 0),
            State::S6 => (6, 0),
            State::S7 => (7, 0),
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
            _ => false,
        }
    }

    fn states(&self) -> u16 {
        8
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
    .EAI3H2AI1G1AFACI0BACH2BAFI3CH3H2FEAH0I3G2ADBEDBG1I1I0CI1FCCBCH1I2AEDDDCH2FG0G1FG2I2FH3H2E\
    AEAAEG0BFDFH0ADCI1G0FBBBI2FEFH0FEBH2DCCEFEBCI3H1DDEBI0BH2EEEDCCBBBFH2EDDFACDCFDFH0EDDADBAG\
    0FEH0FEFDG2AFCBG1DH1G2CBFI2EH1BDEH1H3EDDBH3DFAG0AG3CBDADI0I3DEBDBDH2FAAG1H3I2ADDAG3BH3FCFB\
    G3H0FEI2G3G1AABEG0CEBEI2EDI1DG3ACBCEFAI2CAH0G3CG3ECBH0AI2AAH2CAFEDBH2FI0I3BAI3G0BI3FH0I2G2\
    G2G1H3I2I3DG2AH2DG1EH2I1EDI1CDEAG0G3FDBBEEG2H0FCAH1FFH3DFCFI2CG0I3AI2BG2AH0BCCH2I0FH3AG3EH\
    2ADCCCFH3FG0ABI3EADDG1CEEEDDI0AG1FBBI0G0FEAEI0I0AI1CBDBI3FBCDH3G3G3H0G2DEABFCCBF\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0x1a7ebdc5, 0x55ae9a22, 0x0e7def05, 0x2803eed9, 0x5a206641, 0x0d8df6c1, 0x83324622,
    0x95eaaa71, 0x6b555cf7, 0x35263962, 0x32bf1e76, 0xf71eda60, 0xdea52109, 0x1cc68de8,
    0x481c5fd6, 0xe6e4beb0, 0x0160519d, 0x3a5aacd0, 0x638a88ba, 0x14b401ec, 0x41e60272,
];
