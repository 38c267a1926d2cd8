//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder, pause, wait_for};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s1(5),
    deferred = 4,
    unhandled = Self::unhandled,
)]
impl Chart {
    #[superstate(
        initial = State::s1(6),
        initial_action = s0_initial,
        entry_action = s0_entry,
        exit_action = s0_exit,
    )]
    async fn s0(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::G(n) => {
                self.0.set(5, 1, *n);
                Local(State::s1(2))
            }
            Event::D => {
                self.0.add(6, 2, 5);
                Local(State::s1(0))
            }
            _ => Super,
        }
    }

    #[action]
    async fn s0_entry(&mut self, context: &mut Context) {
        pause().await;
        self.0.grow(3, &mut context.sum, 2);
    }

    #[action]
    async fn s0_exit(&mut self, context: &mut Context) {
        pause().await;
        self.0.grow(4, &mut context.sum, 1);
    }

    #[action]
    async fn s0_initial(&mut self) {
        pause().await;
        self.0.add(2, 1, 1);
    }

    #[state(
        superstate = s0,
        entry_action = s1_entry,
        exit_action = s1_exit,
        on_completion = s1_next,
    )]
    async fn s1(&mut self, own: &mut u8, event: &Event, context: &mut Context) -> Outcome<State> {
        pause().await;
        match event {
            Event::C => {
                if self.0.guard(9, *own % 2 == 1) {
                    Transition(State::s2(self.0.v[0]), |this, context| this.0.add(10, 2, 1))
                } else if self.0.guard(11, *own % 2 == 1) {
                    Transition(State::s0())
                } else {
                    self.0.grow(12, &mut context.sum, 4);
                    Transition(State::s1(self.0.v[0]))
                }
            }
            Event::E => {
                self.0.grow(13, own, 5);
                Transition(State::s1(2))
            }
            Event::H(n) => {
                if self.0.guard(14, *n >= 1) {
                    self.0.grow(15, own, 5);
                    Transition(State::s2(4))
                } else if self.0.guard(16, *n >= 3) {
                    Transition(State::s1(4))
                } else {
                    Transition(State::s0(), |this, context| this.0.add(17, 0, 2))
                }
            }
            Event::B => {
                self.0.grow(18, &mut context.sum, 5);
                Handled
            }
            Event::I(_) => {
                Transition(State::s3(2))
            }
            _ => Super,
        }
    }

    #[action]
    async fn s1_entry(&mut self, own: &mut u8) {
        pause().await;
        self.0.grow(7, own, 1);
    }

    #[action]
    async fn s1_exit(&mut self, own: &mut u8) {
        pause().await;
        self.0.grow(8, own, 1);
    }

    async fn s1_next(&mut self) -> Outcome<State> {
        pause().await;
        if self.0.guard(19, self.0.v[0] >= 7) {
            Transition(State::s2(7), |this, context| this.0.add(20, 2, 4))
        } else {
            Handled
        }
    }

    #[state(
        superstate = s0,
        entry_action = s2_entry,
        defer = [Event::E],
    )]
    async fn s2(&mut self, own: &mut u8, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::C => {
                if self.0.guard(22, self.0.v[1] >= 5) {
                    Deferred
                } else if self.0.guard(23, self.0.v[1] >= 5) {
                    Transition(State::s0(), |this, context| this.0.grow(24, &mut context.sum, 1))
                } else {
                    self.0.grow(25, own, 2);
                    Super
                }
            }
            Event::F => {
                if self.0.guard(26, *own % 2 == 1) {
                    return Transition(State::s2(5), |this, context| this.0.act(27));
                }
                self.0.act(28);
                Handled
            }
            Event::G(_) => {
                Transition(State::s1(self.0.v[1]), |this, context| this.0.act(31))
            }
            _ => Super,
        }
    }

    #[action]
    async fn s2_entry(&mut self) {
        pause().await;
        self.0.act(21);
    }

    #[state(
        superstate = s0,
        entry_action = s3_entry,
        exit_action = s3_exit,
        defer = [Event::I(_)],
    )]
    async fn s3(own: &mut u8, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::B => {
                Transition(State::s2(4))
            }
            _ => Super,
        }
    }

    #[action]
    async fn s3_entry(&mut self) {
        pause().await;
        self.0.add(29, 1, 3);
    }

    #[action]
    async fn s3_exit(&mut self) {
        pause().await;
        self.0.add(30, 0, 4);
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
        wait_for(self.machine.start(&mut self.context));
    }

    fn dispatch(&mut self, event: Event) -> bool {
        wait_for(self.machine.dispatch(&event, &mut self.context)).is_ok()
    }

    fn leaf(&self) -> (u16, u8) {
        match self.machine.state() {
            State::S1 { own } => (1, *own),
            State::S2 { own } => (2, *own),
            State::S3 { own } => (3, *own),
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
    .ABH0EG3H3EAAH3I2DH3G3DFI2I2FBH3G3DBH2CEEDFG0G3G1H0I3ECABABDABEH3G1EAADCAEI3EBCBI2I2DDG1BB\
    G2H1AFCCBCDCEH2CDG3CDCG0EI3DACCH2EH0CAFG2DBG3H3G3BDFADI0FI0I3CDH2H1I3DG1BEFI1EFDCAI3DCFBFA\
    DH2DFH2G1G1G3CH0G3H0DCAABDG3I1FCI0FH0H0DAEAFI1I3CACEFEI0BDCH3H2I1ADEAEFI1H0CFCBEEDFBFBH1AF\
    AFH3FEAI2G1BAEEFEG2H2H1H0DI2DEEADFCCI1H2CBDCABI2ECDCCBG3G3AH1FAACBEFCAFEAI3G0AEH1I3G2BCADF\
    I1AH1I0H0BI0AECI0AH3DFCEI3G2DCEFEAFG1H0EACBG3ECG0ABFACCH1I2AAACCCI0CG1G3I0I3AECAFBFI1EG0I2\
    I3H2FDABAFCI1FG3CAFI2CBI0DDFEG1CEFBDDDI1DDEEG3CEEDFDI3G1AEECBH0H0DCCEI0EH1\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0x6dda07db, 0xcb04bb85, 0xee92b24d, 0xcaa33434, 0x1506939f, 0x14c3104b, 0x4e22c15b,
    0x5ab012a1, 0xdc9b2b72, 0x1c7867ce, 0xb84069ac, 0xee134dfa, 0x327d84e1, 0xf5f06922,
    0xbffc37a3, 0x4e7aecf3, 0x98ca5510, 0x8d236b6d, 0xcc6ede58, 0x8ddc273a, 0x2a4877d4,
];
