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
            Event::I(_) => {
                Transition(State::s5())
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
        defer = [Event::D],
    )]
    fn s4(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::I(n) => {
                if self.0.guard(33, self.0.v[0] >= 2) {
                    Transition(State::s0())
                } else if self.0.guard(34, self.0.v[1] >= 7) {
                    self.0.set(35, 0, *n);
                    Handled
                } else {
                    self.0.set(36, 2, *n);
                    Handled
                }
            }
            Event::C if self.0.guard(37, self.0.v[2] >= 4) => {
                Super
            }
            Event::C if self.0.guard(38, self.0.v[0] >= 6) => {
                self.0.add(39, 1, 5);
                Transition(State::s4())
            }
            Event::C => {
                Handled
            }
            Event::E => {
                if self.0.guard(40, self.0.v[2] >= 2) {
                    self.0.add(41, 1, 5);
                    Handled
                } else if self.0.guard(42, self.0.v[1] >= 1) {
                    self.0.add(43, 2, 5);
                    Transition(State::s4(), |this| this.0.add(44, 2, 2))
                } else {
                    self.0.act(45);
                    Transition(State::s4())
                }
            }
            Event::H(_) => {
                Transition(State::s6())
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
        defer = [Event::F],
    )]
    fn s5(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::A => {
                if self.0.guard(47, self.0.v[0] >= 7) {
                    Handled
                } else {
                    self.0.add(48, 1, 4);
                    Super
                }
            }
            Event::C => {
                self.0.add(49, 2, 3);
                Handled
            }
            Event::G(_) => {
                Transition(State::s7(), |this| this.0.act(50))
            }
            Event::D => {
                self.0.add(51, 2, 5);
                Transition(State::s5(), |this| this.0.add(52, 1, 3))
            }
            Event::E => {
                Transition(State::s4())
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_entry(&mut self) {
        self.0.add(46, 2, 2);
    }

    #[state(
        superstate = s3,
        entry_action = s6_entry,
        exit_action = s6_exit,
        defer = [Event::I(_)],
    )]
    fn s6(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::G(n) if self.0.guard(55, self.0.v[0] >= 3) => {
                self.0.set(56, 2, *n);
                Transition(State::s4(), |this| this.0.add(57, 1, 1))
            }
            Event::G(_) => {
                self.0.add(58, 0, 3);
                Transition(State::s3())
            }
            Event::H(n) if self.0.guard(59, self.0.v[2] >= 3) => {
                self.0.set(60, 0, *n);
                Transition(State::s0(), |this| this.0.add(61, 2, 5))
            }
            Event::H(n) if self.0.guard(62, self.0.v[1] >= 3) => {
                self.0.set(63, 2, *n);
                Handled
            }
            Event::H(_) => {
                Super
            }
            Event::B => {
                Transition(State::s7())
            }
            _ => Super,
        }
    }

    #[action]
    fn s6_entry(&mut self) {
        self.0.add(53, 1, 1);
    }

    #[action]
    fn s6_exit(&mut self) {
        self.0.add(54, 1, 2);
    }

    #[state(
        superstate = s0,
        exit_action = s7_exit,
        defer = [Event::F, Event::D],
    )]
    fn s7(event: &Event) -> Outcome<State> {
        match event {
            Event::A => {
                Transition(State::s1(), |this| this.0.add(65, 2, 5))
            }
            _ => Super,
        }
    }

    #[action]
    fn s7_exit(&mut self) {
        self.0.add(64, 1, 5);
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
    0x5dd47240, 0x158af200, 0x080be2f1, 0xacc36bf7, 0xdb825c1f, 0xf8b9e226, 0x3c45d056,
    0xe7d2b7a2, 0x875f4efe, 0x80d7e335, 0x2eecee64, 0x9aa8f9f9, 0xc4170bb4, 0xa804dae7,
    0x716f3fab, 0xdc0a1c45, 0xff7c6e5e, 0x3b10e076, 0xa8d4a538, 0x1569bd49, 0x67c6b582,
];
