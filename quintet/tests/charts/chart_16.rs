//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s5(),
)]
impl Chart {
    #[superstate(
        initial = State::s5(),
        exit_action = s0_exit,
    )]
    fn s0(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::A => {
                self.0.add(4, 0, 3);
                Transition(State::s2())
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.add(3, 0, 5);
    }

    #[superstate(
        superstate = s0,
        initial = State::s3(),
        entry_action = s1_entry,
        exit_action = s1_exit,
    )]
    fn s1(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::A => {
                if self.0.guard(7, self.0.v[1] >= 6) {
                    return Local(State::s5());
                }
                if self.0.guard(8, self.0.v[2] >= 1) {
                    self.0.act(9);
                    return Local(State::s4());
                }
                Transition(State::s3(), |this| this.0.add(10, 0, 5))
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.add(5, 1, 2);
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.add(6, 1, 4);
    }

    #[superstate(
        superstate = s1,
        initial = State::s5(),
        initial_action = s2_initial,
        entry_action = s2_entry,
        exit_action = s2_exit,
    )]
    fn s2(event: Event) -> Outcome<State> {
        match event {
            Event::A => {
                Transition(State::s3(), |this| this.0.add(13, 1, 2))
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.add(11, 2, 3);
    }

    #[action]
    fn s2_exit(&mut self) {
        self.0.act(12);
    }

    #[action]
    fn s2_initial(&mut self) {
        self.0.add(2, 1, 4);
    }

    #[state(
        superstate = s1,
        entry_action = s3_entry,
        exit_action = s3_exit,
    )]
    fn s3(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::E if self.0.guard(16, self.0.v[0] >= 3) => {
                Super
            }
            Event::E => {
                self.0.add(17, 1, 5);
                Transition(State::s2())
            }
            Event::G(_) if self.0.guard(18, self.0.v[0] >= 4) => {
                self.0.add(19, 1, 2);
                Super
            }
            Event::G(_) => {
                self.0.add(20, 1, 1);
                Handled
            }
            Event::A => {
                Transition(State::s5(), |this| this.0.add(39, 2, 3))
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.add(14, 2, 3);
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(15, 0, 4);
    }

    #[state(
        superstate = s1,
        entry_action = s4_entry,
        after = (self.0.timer(40), 4),
    )]
    fn s4(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::E => {
                if self.0.guard(22, self.0.v[2] >= 1) {
                    self.0.act(23);
                    Super
                } else if self.0.guard(24, self.0.v[1] >= 1) {
                    self.0.add(25, 0, 1);
                    Transition(State::s3(), |this| this.0.add(26, 0, 3))
                } else {
                    self.0.act(27);
                    Super
                }
            }
            Event::H(_) => {
                if self.0.guard(28, self.0.v[1] >= 7) {
                    Local(State::s3())
                } else if self.0.guard(29, self.0.v[0] >= 3) {
                    Transition(State::s0(), |this| this.0.add(30, 0, 3))
                } else {
                    Super
                }
            }
            Event::I(_) => {
                if self.0.guard(31, self.0.v[1] >= 4) {
                    self.0.add(32, 2, 3);
                    return Handled;
                }
                Transition(State::s1())
            }
            Event::C => {
                Transition(State::s4(), |this| this.0.add(33, 2, 5))
            }
            Event::A => {
                Transition(State::s3(), |this| this.0.add(38, 0, 3))
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_entry(&mut self) {
        self.0.add(21, 2, 1);
    }

    #[state(
        superstate = s2,
        entry_action = s5_entry,
        exit_action = s5_exit,
        on_completion = s5_next,
    )]
    fn s5(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::C => {
                Transition(State::s0())
            }
            Event::E => {
                if self.0.guard(36, self.0.v[2] >= 4) {
                    Transition(State::s3())
                } else {
                    Local(State::s2())
                }
            }
            Event::G(_) => {
                Transition(State::s4())
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_entry(&mut self) {
        self.0.add(34, 0, 2);
    }

    #[action]
    fn s5_exit(&mut self) {
        self.0.add(35, 1, 5);
    }

    fn s5_next(&mut self) -> Outcome<State> {
        if self.0.guard(37, self.0.v[1] >= 6) {
            Transition(State::s4())
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
        self.machine.dispatch(event);
        true
    }

    fn leaf(&self) -> (u16, u8) {
        match self.machine.state() {
            State::S3 => (3, 0),
            State::S4 => (4, 0),
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
    .CBADDI2CBFFBEAG3G3DAEBH0H3ACECH3FDG0CH0CEACAH2I1AFG0AACEG0CCG1H1G2DH1BCDAFBFAG3DFEI0AG2CG\
    0DDAFCG3H3H1FEEFG3H0AI3FI2BG3CFAEDEI1I3EH1DEG1EH1CH2H1DI0CEBEEBG0I1FH0H1DDAEI0FFCCFI1H0DI2\
    BAI2CDDAEEBCFDH1I1AFAFH3H1I3AH2DACFI3G3DI2H2H1H2BBEG3BFEFABI0EBAI0EFCFCECI2DEFDECCBFG1I1G0\
    G3DBDI1AG3CAEFG1BEH2DBI3FG3H3DCBDDG2H2EDDDI2FEFCECG0H0CH1BABG3I0CEFABG0BCEG0H2I3BFBEFCCBAD\
    DG0G1G1BFDDCBG0CG2BH2G3H1FI3G2CI3AI0FBFI3ABDEG1FBAEH2H1EEDEEDG3DDCG1H2BG3G3DEG0H1I0FFDI1G3\
    H2AI0I1BI3FAI0BCH3DFEH3BG0CDDI3FCG1BCI0G0DH0FEG3I0I2CEG0FEAI1AI1I2AFI2EI1I0EEEBH2CI3AB\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0xa19f8f31, 0xc8b829fb, 0x3341f56e, 0x374400a0, 0x5713c4b6, 0x5eae36ef, 0xe32451d5,
    0x0625aaef, 0xf9046a2e, 0xd3fb2f92, 0x32c1830b, 0x97644b0d, 0x6b376bb4, 0xeb9ccf5a,
    0x0658692c, 0xa74e4905, 0xfff92428, 0x1dbe04bb, 0x2d93f2db, 0x1d9c6b7f, 0x17d79372,
];
