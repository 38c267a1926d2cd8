//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder, pause, wait_for};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s0(),
)]
impl Chart {
    #[superstate(
        initial = State::s3(),
        initial_action = s0_initial,
    )]
    async fn s0(&mut self, event: Event, context: &mut Context) -> Outcome<State> {
        pause().await;
        match event {
            Event::B => {
                self.0.act(3);
                Transition(State::s4(), |this, context| this.0.grow(4, &mut context.sum, 3))
            }
            Event::H(n) if self.0.guard(5, n >= 3) => {
                self.0.act(6);
                Super
            }
            Event::H(_) => {
                Transition(State::s0(), |this, context| this.0.add(7, 0, 4))
            }
            Event::D if self.0.guard(8, self.0.v[2] >= 4) => {
                self.0.add(9, 2, 3);
                Transition(State::s0())
            }
            Event::D if self.0.guard(10, self.0.v[1] >= 4) => {
                self.0.grow(11, &mut context.sum, 4);
                Transition(State::s4(), |this, context| this.0.grow(12, &mut context.sum, 5))
            }
            Event::D => {
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    async fn s0_initial(&mut self) {
        pause().await;
        self.0.act(2);
    }

    #[superstate(
        initial = State::s6(0),
        entry_action = s1_entry,
        exit_action = s1_exit,
    )]
    async fn s1(&mut self, event: Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::E => {
                if self.0.guard(15, self.0.v[2] >= 2) {
                    Super
                } else {
                    self.0.act(16);
                    Local(State::s4(), |this, context| this.0.act(17))
                }
            }
            Event::D => {
                if self.0.guard(18, self.0.v[1] >= 4) {
                    Super
                } else {
                    self.0.add(19, 0, 2);
                    Transition(State::s0(), |this, context| this.0.act(20))
                }
            }
            _ => Super,
        }
    }

    #[action]
    async fn s1_entry(&mut self) {
        pause().await;
        self.0.add(13, 1, 1);
    }

    #[action]
    async fn s1_exit(&mut self) {
        pause().await;
        self.0.add(14, 0, 5);
    }

    #[superstate(
        superstate = s1,
        initial = State::s5(5),
        entry_action = s2_entry,
        exit_action = s2_exit,
    )]
    async fn s2(&mut self, own: &mut u8, event: Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::B => {
                Local(State::s1())
            }
            Event::H(_) => {
                Handled
            }
            Event::C if self.0.guard(23, *own % 2 == 1) => {
                Transition(State::s2(), |this, context| this.0.grow(24, &mut context.sum, 3))
            }
            Event::C => {
                self.0.add(25, 0, 3);
                Transition(State::s0())
            }
            _ => Super,
        }
    }

    #[action]
    async fn s2_entry(&mut self) {
        pause().await;
        self.0.act(21);
    }

    #[action]
    async fn s2_exit(&mut self) {
        pause().await;
        self.0.add(22, 0, 2);
    }

    #[state(
        superstate = s0,
        entry_action = s3_entry,
    )]
    async fn s3(&mut self, event: Event, context: &mut Context) -> Outcome<State> {
        pause().await;
        match event {
            Event::D => {
                self.0.grow(27, &mut context.sum, 1);
                Transition(State::s1(), |this, context| this.0.add(28, 2, 1))
            }
            Event::G(_) if self.0.guard(29, self.0.v[0] >= 4) => {
                Handled
            }
            Event::G(n) => {
                self.0.set(30, 0, n);
                Handled
            }
            Event::F if self.0.guard(31, self.0.v[2] >= 6) => {
                Local(State::s0())
            }
            Event::F if self.0.guard(32, self.0.v[0] >= 3) => {
                self.0.add(33, 1, 4);
                Transition(State::s3(), |this, context| this.0.add(34, 0, 5))
            }
            Event::F => {
                self.0.add(35, 0, 1);
                Super
            }
            Event::A => {
                if self.0.guard(36, self.0.v[0] >= 4) {
                    return Transition(State::s0());
                }
                if self.0.guard(37, self.0.v[0] >= 5) {
                    return Handled;
                }
                self.0.grow(38, &mut context.sum, 1);
                Handled
            }
            Event::B if self.0.guard(39, self.0.v[1] >= 5) => {
                self.0.add(40, 1, 3);
                Handled
            }
            Event::B if self.0.guard(41, self.0.v[2] >= 7) => {
                self.0.add(42, 0, 5);
                Handled
            }
            Event::B => {
                self.0.grow(43, &mut context.sum, 4);
                Handled
            }
            Event::E => {
                Transition(State::s5(2), |this, context| this.0.add(73, 2, 2))
            }
            _ => Super,
        }
    }

    #[action]
    async fn s3_entry(&mut self) {
        pause().await;
        self.0.add(26, 1, 3);
    }

    #[state(
        superstate = s1,
        entry_action = s4_entry,
        exit_action = s4_exit,
    )]
    async fn s4(&mut self, event: Event, context: &mut Context) -> Outcome<State> {
        pause().await;
        match event {
            Event::D if self.0.guard(46, self.0.v[1] >= 3) => {
                self.0.act(47);
                Transition(State::s6(4))
            }
            Event::D if self.0.guard(48, self.0.v[2] >= 1) => {
                self.0.grow(49, &mut context.sum, 3);
                Transition(State::s6(1))
            }
            Event::D => {
                Transition(State::s0(), |this, context| this.0.add(50, 1, 5))
            }
            Event::C if self.0.guard(51, self.0.v[2] >= 4) => {
                Transition(State::s3(), |this, context| this.0.add(52, 1, 2))
            }
            Event::C if self.0.guard(53, self.0.v[2] >= 3) => {
                Super
            }
            Event::C => {
                Local(State::s6(4))
            }
            Event::A => {
                Transition(State::s6(self.0.v[2]), |this, context| this.0.add(71, 0, 1))
            }
            _ => Super,
        }
    }

    #[action]
    async fn s4_entry(&mut self, context: &mut Context) {
        pause().await;
        self.0.grow(44, &mut context.sum, 5);
    }

    #[action]
    async fn s4_exit(&mut self, context: &mut Context) {
        pause().await;
        self.0.grow(45, &mut context.sum, 2);
    }

    #[state(
        superstate = s2,
        entry_action = s5_entry,
        exit_action = s5_exit,
    )]
    async fn s5(&mut self, own: &mut u8, event: Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::F => {
                if self.0.guard(56, self.0.v[2] >= 3) {
                    return Super;
                }
                if self.0.guard(57, self.0.v[0] >= 1) {
                    self.0.add(58, 1, 1);
                    return Transition(State::s1());
                }
                Super
            }
            Event::G(1) => {
                if self.0.guard(59, self.0.v[2] >= 1) {
                    return Super;
                }
                Super
            }
            Event::G(_) => {
                self.0.grow(60, own, 2);
                Local(State::s6(0))
            }
            Event::C => {
                Transition(State::s4())
            }
            _ => Super,
        }
    }

    #[action]
    async fn s5_entry(&mut self, own: &mut u8) {
        pause().await;
        self.0.grow(54, own, 5);
    }

    #[action]
    async fn s5_exit(&mut self) {
        pause().await;
        self.0.act(55);
    }

    #[state(
        superstate = s2,
        entry_action = s6_entry,
        exit_action = s6_exit,
    )]
    async fn s6(&mut self, own: &mut u8, event: Event, context: &mut Context) -> Outcome<State> {
        pause().await;
        match event {
            Event::E if self.0.guard(63, *own % 2 == 1) => {
                Transition(State::s4())
            }
            Event::E if self.0.guard(64, *own % 2 == 1) => {
                self.0.grow(65, &mut context.sum, 5);
                Transition(State::s6(6))
            }
            Event::E => {
                self.0.grow(66, own, 3);
                Transition(State::s5(1))
            }
            Event::B if self.0.guard(67, self.0.v[0] >= 7) => {
                Super
            }
            Event::B if self.0.guard(68, *own % 2 == 1) => {
                self.0.grow(69, own, 5);
                Transition(State::s6(2))
            }
            Event::B => {
                self.0.add(70, 2, 4);
                Transition(State::s6(5))
            }
            Event::G(_) => {
                Transition(State::s3(), |this, context| this.0.act(72))
            }
            _ => Super,
        }
    }

    #[action]
    async fn s6_entry(&mut self, own: &mut u8) {
        pause().await;
        self.0.grow(61, own, 1);
    }

    #[action]
    async fn s6_exit(&mut self) {
        pause().await;
        self.0.act(62);
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
        wait_for(self.machine.dispatch(event, &mut self.context));
        true
    }

    fn leaf(&self) -> (u16, u8) {
        match self.machine.state() {
            State::S3 => (3, 0),
            State::S4 => (4, 0),
            State::S5 { own } => (5, *own),
            State::S6 { own } => (6, *own),
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
    I2I3G0CFDG3FEECBI1CH3H3FH0BH2AECCEEH1EG3AI3AI2CEG3G1CI3AI3H0G3AI3BBFABFAG3G0G2ACBEEBCCBI1B\
    I1BG0DFG1AG0BG1FDDH0DAFG3H1AG2BI2G3ADDDI1DDI0H0EDEH3I2CI3FBG0DDI0G2G2CDFG3I2AH2DG2G1DI0CDF\
    FFEAH3I3G1DI3G1H0FEFEG3EDI3FH2G3EAG0I0I1FH3CBDG1AAG0I1FCI3CAEG1CBH1G3DAH2G1EH1FG3G1DBH0H3D\
    I1H3H3AG1EG0I0H1H0AFH0AAH1H0DG1DCCAAEABCCFG0G1I1DEG3DAEDEG1EI1DI2CFI3I3AFI1CACCH0AI1BH1AI2\
    EDEBBBG3ABABAEG3CDH3I1BI3EBADEBFG0G0AG0BEABCCEDDAI2CCFDDFCBH1G0DI1BBDH2H3BG3H1FH3BFG3BFAEH\
    2FG1G1EEFEG1H3CG1I2CH2H3EFI2H0BH1AG3BBDCH3BCG0EH3CBAH0DFDFBEH0CDDAG3AI0DG0H0DH2I1CH3I1DAEH\
    2DBG3BFABBG3\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0x8f985b55, 0xc965f2bf, 0xdf4b1513, 0x84606ddc, 0x6843b90e, 0x8b603aa0, 0xef79646c,
    0xf6f73b42, 0x04bc1077, 0xbefc93b1, 0x1fbb4781, 0x6fc4255e, 0xc6b7f90f, 0x9e741e5f,
    0x3da45076, 0x8f4626fe, 0x01882423, 0x34a74a1e, 0x9591b934, 0x4af42093,
];
