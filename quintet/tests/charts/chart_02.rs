//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s0(),
    deferred = 4,
)]
impl Chart {
    #[superstate(
        initial = State::s5(),
        exit_action = s0_exit,
    )]
    fn s0(&mut self, event: &Event, context: &mut Context) -> Outcome<State> {
        match event {
            Event::E if self.0.guard(4, self.0.v[1] >= 5) => {
                self.0.grow(5, &mut context.sum, 1);
                History(State::s1(), |this, context| this.0.grow(6, &mut context.sum, 1))
            }
            Event::E => {
                self.0.add(7, 2, 2);
                Super
            }
            Event::A => {
                if self.0.guard(8, self.0.v[1] >= 4) {
                    self.0.add(9, 1, 2);
                    return Transition(State::s0());
                }
                if self.0.guard(10, self.0.v[2] >= 5) {
                    return Transition(State::s0(), |this, context| this.0.add(11, 1, 3));
                }
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.add(3, 1, 5);
    }

    #[superstate(
        superstate = s0,
        initial = State::s4(),
        entry_action = s1_entry,
        exit_action = s1_exit,
    )]
    fn s1(&mut self, event: &Event, context: &mut Context) -> Outcome<State> {
        match event {
            Event::I(_) => {
                if self.0.guard(14, self.0.v[0] >= 5) {
                    DeepHistory(State::s1())
                } else {
                    Handled
                }
            }
            Event::C => {
                if self.0.guard(15, self.0.v[0] >= 4) {
                    self.0.add(16, 1, 4);
                    return Transition(State::s4());
                }
                if self.0.guard(17, self.0.v[2] >= 1) {
                    self.0.grow(18, &mut context.sum, 2);
                    return DeepHistory(State::s0());
                }
                Transition(State::s5())
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.act(12);
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.add(13, 2, 1);
    }

    #[superstate(
        superstate = s0,
        initial = State::s3(),
        initial_action = s2_initial,
        exit_action = s2_exit,
    )]
    fn s2(event: &Event) -> Outcome<State> {
        match event {
            Event::B => {
                Handled
            }
            Event::E => {
                History(State::s1())
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_exit(&mut self) {
        self.0.act(19);
    }

    #[action]
    fn s2_initial(&mut self) {
        self.0.add(2, 1, 2);
    }

    #[superstate(
        superstate = s2,
        initial = State::s5(),
        exit_action = s3_exit,
    )]
    fn s3(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::G(n) if self.0.guard(21, *n >= 1) => {
                self.0.act(22);
                Local(State::s5())
            }
            Event::G(_) => {
                Transition(State::s3())
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(20, 1, 1);
    }

    #[state(
        superstate = s1,
        entry_action = s4_entry,
        exit_action = s4_exit,
        defer = [Event::C],
    )]
    fn s4(&mut self, event: &Event, context: &mut Context) -> Outcome<State> {
        match event {
            Event::B => {
                Super
            }
            Event::F => {
                if self.0.guard(25, self.0.v[2] >= 2) {
                    self.0.grow(26, &mut context.sum, 3);
                    Transition(State::s4())
                } else {
                    History(State::s1(), |this, context| this.0.grow(27, &mut context.sum, 5))
                }
            }
            Event::D => {
                Transition(State::s5())
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_entry(&mut self) {
        self.0.act(23);
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.act(24);
    }

    #[state(
        superstate = s3,
        exit_action = s5_exit,
        after = (self.0.timer(34), 5),
        defer = [Event::A],
    )]
    fn s5(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::E => {
                if self.0.guard(29, self.0.v[0] >= 2) {
                    self.0.add(30, 0, 3);
                    Transition(State::s1())
                } else {
                    Super
                }
            }
            Event::H(_) => {
                if self.0.guard(31, self.0.v[0] >= 2) {
                    self.0.add(32, 2, 2);
                    Super
                } else {
                    self.0.act(33);
                    History(State::s0())
                }
            }
            Event::D => {
                Local(State::s2())
            }
            Event::F => {
                Transition(State::s0())
            }
            Event::I(_) => {
                Transition(State::s4())
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_exit(&mut self) {
        self.0.act(28);
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
        self.machine.dispatch(&event, &mut self.context).is_ok()
    }

    fn leaf(&self) -> (u16, u8) {
        match self.machine.state() {
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
    .BG2CDCI1AABI3EG3EBDH2EI1BH2AFEEI2DCG2FG0EH2DBG2DCI3EI1AADEDBFH0G2EBI1BDI3EADI3G2DDG0H1EDC\
    AH0EFH3FG2EBBECDDDBH1CAH1FCAAFI3I2G0H1BG2I2CEFH1FAEH0G2H1EBBEG0G0H0I2AI2I1FACDH3EAI1BADI0D\
    I1I1DAI3FH1FADDBAI2AH0DDH1FCEAEEG3I3I0BFCDI0DG3DH2CCACG2FG2H0I3BAEEEI3CEH3BBEEH1H1CCCAI3FI\
    1CG2FAFFBDBFDI3G2EAFFG2CBG2DI3CDDDG3CH2ADG2G0DFFBEABCH3G0CBDDAAEBDG1FI1BH3G3FFAG1H3G1H0EG2\
    BCABDH0EFABFFCDAH3DDI2G1DAI3BABH0FG1BAG1DBI0BG3H2FDEFG2BADFBG1DEI1I0I1G0G2FBI1EH0I0CDCEEEB\
    FI0DH3DCBCABFFAH0CDFG3AG2H1DCDBEI1G3BEI1I1G1G1CACCI2CFCEEH2DACCADDAH1DH3G2AH3EAA\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0xfc110000, 0xee702cf6, 0xa9cd0d90, 0xfe15966b, 0x0a256e25, 0xcec47412, 0x5de48fb7,
    0xf50f2e4b, 0x59985993, 0xafea5207, 0x1816db06, 0x4f07b874, 0x128191ca, 0xd496a23a,
    0xa0aedfa2, 0x24ead3a9, 0x6dbdf0eb, 0x81c0c746, 0xde284a6c, 0xe86275fb, 0xbaad8ff3,
];
