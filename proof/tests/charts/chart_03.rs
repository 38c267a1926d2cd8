//! Printed by `cargo proof charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder, pause, wait_for};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s0(),
    deferred = 4,
)]
impl Chart {
    #[superstate(
        initial = State::s5(),
        initial_action = s0_initial,
        exit_action = s0_exit,
    )]
    async fn s0(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::I(_) => {
                if self.0.guard(5, self.0.v[2] >= 4) {
                    self.0.add(6, 2, 5);
                    return DeepHistory(State::s3());
                }
                if self.0.guard(7, self.0.v[2] >= 1) {
                    return Handled;
                }
                Transition(State::s5(), |this, context| this.0.act(8))
            }
            _ => Super,
        }
    }

    #[action]
    async fn s0_exit(&mut self) {
        pause().await;
        self.0.add(4, 1, 3);
    }

    #[action]
    async fn s0_initial(&mut self) {
        pause().await;
        self.0.act(2);
    }

    #[superstate(
        superstate = s0,
        initial = State::s5(),
        entry_action = s1_entry,
        exit_action = s1_exit,
    )]
    async fn s1(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::E => {
                if self.0.guard(11, self.0.v[1] >= 2) {
                    self.0.add(12, 1, 4);
                    return DeepHistory(State::s3());
                }
                self.0.add(13, 2, 5);
                Super
            }
            _ => Super,
        }
    }

    #[action]
    async fn s1_entry(&mut self) {
        pause().await;
        self.0.add(9, 1, 4);
    }

    #[action]
    async fn s1_exit(&mut self, context: &mut Context) {
        pause().await;
        self.0.grow(10, &mut context.sum, 4);
    }

    #[state(
        superstate = s1,
        entry_action = s2_entry,
        on_completion = s2_next,
    )]
    async fn s2(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::G(_) => {
                Transition(State::s2())
            }
            Event::B if self.0.guard(15, self.0.v[1] >= 4) => {
                Deferred
            }
            Event::B => {
                Local(State::s1(), |this, context| this.0.add(16, 0, 4))
            }
            Event::D => {
                Super
            }
            Event::F => {
                Transition(State::s6(), |this, context| this.0.add(41, 0, 1))
            }
            _ => Super,
        }
    }

    #[action]
    async fn s2_entry(&mut self) {
        pause().await;
        self.0.add(14, 2, 2);
    }

    async fn s2_next(&mut self) -> Outcome<State> {
        pause().await;
        if self.0.guard(17, self.0.v[2] >= 1) {
            Transition(State::s1())
        } else {
            Handled
        }
    }

    #[superstate(
        superstate = s1,
        initial = State::s6(),
        entry_action = s3_entry,
        exit_action = s3_exit,
        defer = [Event::I(1)],
    )]
    async fn s3() -> Outcome<State> {
        pause().await;
        Super
    }

    #[action]
    async fn s3_entry(&mut self, context: &mut Context) {
        pause().await;
        self.0.grow(18, &mut context.sum, 2);
    }

    #[action]
    async fn s3_exit(&mut self) {
        pause().await;
        self.0.add(19, 2, 2);
    }

    #[state(
        superstate = s3,
        entry_action = s4_entry,
        exit_action = s4_exit,
    )]
    async fn s4(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::A => {
                if self.0.guard(22, self.0.v[0] >= 2) {
                    Super
                } else if self.0.guard(23, self.0.v[0] >= 5) {
                    self.0.act(24);
                    History(State::s3())
                } else {
                    Super
                }
            }
            Event::H(_) => {
                Transition(State::s2())
            }
            _ => Super,
        }
    }

    #[action]
    async fn s4_entry(&mut self) {
        pause().await;
        self.0.act(20);
    }

    #[action]
    async fn s4_exit(&mut self, context: &mut Context) {
        pause().await;
        self.0.grow(21, &mut context.sum, 4);
    }

    #[superstate(
        superstate = s3,
        initial = State::s6(),
        initial_action = s5_initial,
        entry_action = s5_entry,
        exit_action = s5_exit,
    )]
    async fn s5(event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::E => {
                DeepHistory(State::s3())
            }
            Event::D => {
                Local(State::s4(), |this, context| this.0.act(27))
            }
            _ => Super,
        }
    }

    #[action]
    async fn s5_entry(&mut self) {
        pause().await;
        self.0.add(25, 0, 5);
    }

    #[action]
    async fn s5_exit(&mut self) {
        pause().await;
        self.0.add(26, 1, 1);
    }

    #[action]
    async fn s5_initial(&mut self) {
        pause().await;
        self.0.act(3);
    }

    #[state(
        superstate = s5,
        entry_action = s6_entry,
        exit_action = s6_exit,
        defer = [Event::B, Event::E],
    )]
    async fn s6(&mut self, event: &Event, context: &mut Context) -> Outcome<State> {
        pause().await;
        match event {
            Event::A if self.0.guard(30, self.0.v[2] >= 2) => {
                self.0.add(31, 0, 5);
                Handled
            }
            Event::A => {
                self.0.add(32, 2, 1);
                Transition(State::s5(), |this, context| this.0.grow(33, &mut context.sum, 2))
            }
            Event::I(n) => {
                if self.0.guard(34, *n >= 1) {
                    self.0.set(35, 1, *n);
                    Handled
                } else if self.0.guard(36, self.0.v[1] >= 6) {
                    self.0.grow(37, &mut context.sum, 4);
                    Super
                } else {
                    Transition(State::s0())
                }
            }
            Event::D => {
                if self.0.guard(38, self.0.v[1] >= 6) {
                    self.0.grow(39, &mut context.sum, 3);
                    Local(State::s5())
                } else {
                    self.0.grow(40, &mut context.sum, 1);
                    Handled
                }
            }
            Event::H(_) => {
                Transition(State::s4(), |this, context| this.0.add(42, 2, 1))
            }
            _ => Super,
        }
    }

    #[action]
    async fn s6_entry(&mut self) {
        pause().await;
        self.0.act(28);
    }

    #[action]
    async fn s6_exit(&mut self, context: &mut Context) {
        pause().await;
        self.0.grow(29, &mut context.sum, 5);
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
        wait_for(self.machine.start(&mut self.context));
    }

    fn dispatch(&mut self, event: Event) -> bool {
        wait_for(self.machine.dispatch(&event, &mut self.context)).is_ok()
    }

    fn leaf(&self) -> (u16, u8) {
        match self.machine.state() {
            State::S2 => (2, 0),
            State::S4 => (4, 0),
            State::S6 => (6, 0),
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
            _ => false,
        }
    }

    fn states(&self) -> u16 {
        7
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
    EH3G2AFFG2BI3BFADFEI3BCI2BI3CAH3AEFI0EH0H3DCCI2AI2I1I2H3G3CI1I3ABCAH0EDBDH0AI2H3AH2DAEDH3D\
    I1ECDBADACBEADI0DCH3CBABFBG1ACDH0I3G1I1FFFEEI0AG0AAADAFG3CG1I2EDDCG2H1BCI0BDDDG0DFAADH1DG2\
    I2FCH3G1G2G1DG3G3I0CFADH2I2BH3FI3G3DH3BCBBFDG1AFBEBFG1H3FBG3BBAG2DH3DG0AACDG1FG1FH3G1I3H3B\
    I1G1DBCFFBH1I1DBBH3BEG3FI1DDDDBBH1G1CEEEFFG0BDG2I3BEG1DEH3FCCADCBBI0DG1BCBH2BCG1H3I2DG1DEC\
    ABI0ABG1AEAI0AH2BI3AH1FDI1AFDEH2EG3AEDDCDH0AFI3FADDAAG3I0CBEI3FBCI1G1I0FH2CG0FDDAG2I2DH0DC\
    ECBH2EBG1BH2FI2I0DDFBH3H1CI2I1G0CDDFH2CG3DCG3G0CI0BDI0BH2CI2G3FECDACFDI3I3EG3H0EBCBG2BI0G0\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0xab930673, 0x95560970, 0x14cdafcf, 0x59f62154, 0x4fa6814e, 0x85a6256c, 0xbc33154f,
    0xed1f2e6f, 0xe8fc532d, 0xc54d786f, 0x25cd57e4, 0x83076091, 0xda892d9d, 0x76978bea,
    0x9cb312b9, 0x65546765, 0x6d8ab246, 0xa6924dac, 0x8a9a42e9, 0x126f8d0a,
];
