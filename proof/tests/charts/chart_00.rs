//! Printed by `cargo proof charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s2(),
)]
impl Chart {
    #[superstate(
        initial = State::s2(),
        initial_action = s0_initial,
        entry_action = s0_entry,
        exit_action = s0_exit,
    )]
    fn s0(&mut self, event: &Event, context: &mut Context) -> Outcome<State> {
        match event {
            Event::B => {
                Super
            }
            Event::G(3) => {
                Local(State::s3())
            }
            Event::G(n) if self.0.guard(5, *n >= 1) => {
                Transition(State::s0(), |this, context| this.0.grow(6, &mut context.sum, 5))
            }
            Event::G(_) if self.0.guard(7, self.0.v[0] >= 4) => {
                self.0.grow(8, &mut context.sum, 1);
                History(State::s0(), |this, context| this.0.add(9, 2, 3))
            }
            Event::G(_) => {
                Transition(State::s3(), |this, context| this.0.act(10))
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_entry(&mut self) {
        self.0.add(3, 2, 3);
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.add(4, 1, 4);
    }

    #[action]
    fn s0_initial(&mut self) {
        self.0.act(2);
    }

    #[state(
        superstate = s0,
        entry_action = s1_entry,
        exit_action = s1_exit,
        on_completion = s1_next,
    )]
    fn s1(&mut self, event: &Event, context: &mut Context) -> Outcome<State> {
        match event {
            Event::H(_) => {
                Local(State::s0())
            }
            Event::B if self.0.guard(13, self.0.v[0] >= 4) => {
                self.0.grow(14, &mut context.sum, 1);
                Transition(State::s3())
            }
            Event::B if self.0.guard(15, self.0.v[2] >= 6) => {
                self.0.add(16, 2, 4);
                Transition(State::s1(), |this, context| this.0.add(17, 0, 1))
            }
            Event::B => {
                self.0.add(18, 2, 4);
                Handled
            }
            Event::A => {
                if self.0.guard(19, self.0.v[0] >= 6) {
                    Handled
                } else if self.0.guard(20, self.0.v[1] >= 5) {
                    Handled
                } else {
                    Transition(State::s0())
                }
            }
            Event::D => {
                Transition(State::s3(), |this, context| this.0.act(31))
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.add(11, 2, 3);
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.add(12, 2, 5);
    }

    fn s1_next(&mut self) -> Outcome<State> {
        if self.0.guard(21, self.0.v[2] >= 1) {
            Transition(State::s0())
        } else {
            Handled
        }
    }

    #[state(
        superstate = s0,
        entry_action = s2_entry,
    )]
    fn s2(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::D if self.0.guard(23, self.0.v[0] >= 7) => {
                Local(State::s1())
            }
            Event::D if self.0.guard(24, self.0.v[0] >= 3) => {
                self.0.add(25, 1, 5);
                Transition(State::s2(), |this, context| this.0.grow(26, &mut context.sum, 5))
            }
            Event::D => {
                self.0.add(27, 0, 1);
                Transition(State::s2())
            }
            Event::E => {
                Transition(State::s1())
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.add(22, 0, 5);
    }

    #[state(
        superstate = s0,
        entry_action = s3_entry,
    )]
    fn s3(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::F => {
                Super
            }
            Event::A if self.0.guard(29, self.0.v[0] >= 1) => {
                Transition(State::s1())
            }
            Event::A => {
                Transition(State::s2(), |this, context| this.0.add(30, 2, 2))
            }
            Event::D => {
                Transition(State::s2())
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.add(28, 1, 3);
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
            State::S1 => (1, 0),
            State::S2 => (2, 0),
            State::S3 => (3, 0),
        }
    }

    fn is_in(&self, state: u16) -> bool {
        let machine = &self.machine;
        match state {
            0 => machine.is_in(Within::S0),
            1 => machine.is_in(Within::S1),
            2 => machine.is_in(Within::S2),
            3 => machine.is_in(Within::S3),
            _ => false,
        }
    }

    fn states(&self) -> u16 {
        4
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
    .H3H1I3ACH1BDDI3EH2BDBG3BFEAAFBG2EDCH2DI2CG0CBCI2I2EH1H1FI3EG3FBFH0FFEH0G1DEDH3H2AG0BG2G3C\
    EEAH3EAFG0DCI0CDG1H1H1CFDAG2ACACI0H2FFEH3I0I0BDG2DAG2BEDG2DDCAI2AG0I1G0DEBEG0H0CG1CH3DBCBC\
    CAACAFI0CBG2H1I1CEFABH1ADCEBCCEABFG3CCAH0G0CFI1G2G1H2G3EAEBI0BG1BBDFI2H2DH3EFI2DAI0G1FH1EE\
    CG3EH0G1BCAG0CH3CG2BI1AH2I3AI3I2AH1G3AI0ECH2H1BDI0FH1DI3CI0H0DAH2I0CCG3G3AH3ACDFBEI0FH0H0C\
    H2BFEDFFDI0FG0I0I1I3ADI0FDCEH3AH3H2ACBG3CDBI2H3G0FCEBABG0DBAEH3CEFCEEEEI0H0G1FCFH1BCEBABI1\
    EH3DCCFCI2FEBFAH3G0H0EDFBBAEEG3DFG2G1CBAH1DI1EFFFECG3FI2BBG3AH3CI2ECCBBFI2H0AAFFG2H0CG2AEI\
    2A\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0x0fed2411, 0xef35e631, 0xb3c7d43b, 0xff909d8b, 0x8ee024dd, 0xef95ba77, 0x0e4d974d,
    0x60f60627, 0x869be2db, 0x3552e3fe, 0xb447a82d, 0xefffe009, 0x08c1b4f8, 0x0bed1cb8,
    0xb9f6e244, 0x28c28d0f, 0x3c55fb5a, 0x626c7765, 0x85f979d2, 0xa4350a4c, 0xac164869,
];
