//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder, pause, wait_for};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s1(),
    deferred = 1,
)]
impl Chart {
    #[superstate(
        initial = State::s4(),
        initial_action = s0_initial,
        exit_action = s0_exit,
    )]
    async fn s0(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::I(_) => {
                if self.0.guard(4, self.0.v[2] >= 4) {
                    self.0.add(5, 1, 4);
                    return Local(State::s8(), |this| this.0.add(6, 2, 5));
                }
                Transition(State::s7(self.0.v[1]))
            }
            Event::D => {
                if self.0.guard(7, self.0.v[0] >= 1) {
                    return Super;
                }
                if self.0.guard(8, self.0.v[0] >= 6) {
                    return Handled;
                }
                self.0.add(9, 1, 5);
                Transition(State::s0())
            }
            Event::A => {
                self.0.add(10, 0, 2);
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    async fn s0_exit(&mut self) {
        pause().await;
        self.0.add(3, 0, 4);
    }

    #[action]
    async fn s0_initial(&mut self) {
        pause().await;
        self.0.add(2, 2, 3);
    }

    #[state(
        superstate = s0,
        entry_action = s1_entry,
        exit_action = s1_exit,
        defer = [Event::B],
    )]
    async fn s1(event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::E => {
                Transition(State::s4())
            }
            _ => Super,
        }
    }

    #[action]
    async fn s1_entry(&mut self) {
        pause().await;
        self.0.act(11);
    }

    #[action]
    async fn s1_exit(&mut self) {
        pause().await;
        self.0.act(12);
    }

    #[superstate(
        superstate = s0,
        initial = State::s7(3),
        entry_action = s2_entry,
        exit_action = s2_exit,
    )]
    async fn s2(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::A => {
                self.0.add(15, 1, 4);
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    async fn s2_entry(&mut self) {
        pause().await;
        self.0.add(13, 2, 5);
    }

    #[action]
    async fn s2_exit(&mut self) {
        pause().await;
        self.0.act(14);
    }

    #[superstate(
        superstate = s2,
        exit_action = s3_exit,
    )]
    async fn s3(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::D if self.0.guard(17, self.0.v[0] >= 2) => {
                self.0.act(18);
                Super
            }
            Event::D => {
                Local(State::s9())
            }
            _ => Super,
        }
    }

    #[action]
    async fn s3_exit(&mut self) {
        pause().await;
        self.0.act(16);
    }

    #[state(
        superstate = s2,
        entry_action = s4_entry,
    )]
    async fn s4(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::B => {
                if self.0.guard(20, self.0.v[0] >= 1) {
                    Transition(State::s2())
                } else {
                    self.0.add(21, 1, 1);
                    Transition(State::s4())
                }
            }
            Event::F => {
                self.0.add(22, 1, 1);
                Local(State::s5())
            }
            Event::H(_) => {
                Transition(State::s7(1))
            }
            _ => Super,
        }
    }

    #[action]
    async fn s4_entry(&mut self) {
        pause().await;
        self.0.add(19, 0, 4);
    }

    #[superstate(
        superstate = s2,
        initial = State::s6(),
        entry_action = s5_entry,
        exit_action = s5_exit,
        defer = [Event::E, Event::I(_)],
    )]
    async fn s5(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::H(_) if self.0.guard(25, self.0.v[1] >= 4) => {
                self.0.add(26, 2, 3);
                Deferred
            }
            Event::H(_) => {
                Transition(State::s0(), |this| this.0.add(27, 2, 2))
            }
            _ => Super,
        }
    }

    #[action]
    async fn s5_entry(&mut self) {
        pause().await;
        self.0.add(23, 1, 3);
    }

    #[action]
    async fn s5_exit(&mut self) {
        pause().await;
        self.0.add(24, 1, 1);
    }

    #[superstate(
        superstate = s5,
        initial = State::s7(3),
        entry_action = s6_entry,
    )]
    async fn s6(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::B => {
                self.0.add(29, 0, 3);
                Transition(State::s6())
            }
            _ => Super,
        }
    }

    #[action]
    async fn s6_entry(&mut self) {
        pause().await;
        self.0.add(28, 1, 5);
    }

    #[state(
        superstate = s6,
        entry_action = s7_entry,
        exit_action = s7_exit,
        defer = [Event::D],
    )]
    async fn s7(own: &mut u8, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::C => {
                Transition(State::s9(), |this| this.0.add(42, 0, 4))
            }
            _ => Super,
        }
    }

    #[action]
    async fn s7_entry(&mut self) {
        pause().await;
        self.0.act(30);
    }

    #[action]
    async fn s7_exit(&mut self) {
        pause().await;
        self.0.add(31, 0, 1);
    }

    #[superstate(
        superstate = s3,
        initial = State::s9(),
        entry_action = s8_entry,
        exit_action = s8_exit,
    )]
    async fn s8(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::D => {
                if self.0.guard(34, self.0.v[0] >= 3) {
                    self.0.add(35, 0, 4);
                    Handled
                } else if self.0.guard(36, self.0.v[1] >= 2) {
                    Transition(State::s2())
                } else {
                    self.0.add(37, 2, 1);
                    Transition(State::s5())
                }
            }
            Event::B => {
                if self.0.guard(38, self.0.v[1] >= 3) {
                    Handled
                } else {
                    self.0.act(39);
                    Handled
                }
            }
            Event::E => {
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    async fn s8_entry(&mut self) {
        pause().await;
        self.0.act(32);
    }

    #[action]
    async fn s8_exit(&mut self) {
        pause().await;
        self.0.add(33, 1, 2);
    }

    #[state(
        superstate = s8,
        exit_action = s9_exit,
    )]
    async fn s9(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::H(1) => {
                Transition(State::s9())
            }
            Event::H(_) => {
                self.0.add(41, 1, 4);
                Handled
            }
            Event::A => {
                Transition(State::s1(), |this| this.0.add(43, 1, 2))
            }
            _ => Super,
        }
    }

    #[action]
    async fn s9_exit(&mut self) {
        pause().await;
        self.0.add(40, 2, 2);
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
        wait_for(self.machine.start());
    }

    fn dispatch(&mut self, event: Event) -> bool {
        wait_for(self.machine.dispatch(&event)).is_ok()
    }

    fn leaf(&self) -> (u16, u8) {
        match self.machine.state() {
            State::S1 => (1, 0),
            State::S4 => (4, 0),
            State::S7 { own } => (7, *own),
            State::S9 => (9, 0),
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
            9 => machine.is_in(Within::S9),
            _ => false,
        }
    }

    fn states(&self) -> u16 {
        10
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
    .I0DH0DH0CFFEFI0DI2BCI0G3EI3AI2G3EFEG3AEAEI3DFDFH3DEAFBFAAH2CEDCCCG3G3DDDACI2EAI0EDFEG0FG3\
    BEDAABEG2G0H1ADEBG1DH2G3H2BAAEG0CDBCI0CI2EFG2DFG0DCEH0BFDH3H2EFI3FI0CAFBDBDECABBAEBH2DBH2A\
    CFEAFAI2G3BI2DBDI0DI2BH1FCDFDDBAG2H1CI2H2CEEFH0FI0FG3G3G3DG2FCDCFEECG1CBG0ACG3CDCI2I3BDFFF\
    H1EH1H1AEG2AEI1DCFG2H3CECECDG3I1FDI0H3I1G2AFEH1I2H0G1H0EFCBFACCDDAABDEI3DI3ADH3I2EEDCFDG3C\
    FEFDDBH3DFBG2AG0G3CCFDCDFH0G0ACI2G0EFEABH0BH1FH1FBG2I1BCBAFEI2I0EH1G1DG2CDEFDI0I1DI1CH1G1E\
    I0BCG3AFG3EH1DCACAG3DH1FG1FAFAH1H0DCG0BFACBG1H1CG2I0G0ADBBI0AEFI0I0FI1I0AAEAA\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0xaefe611b, 0x8fde95e7, 0x7797ae79, 0x8080b010, 0xba928ec7, 0x9f7572be, 0xe4fa87c9,
    0x02d300ed, 0x792238d7, 0x6095c133, 0x587d68ed, 0xc376b3ea, 0xc23fb2a4, 0xf762691c,
    0x50f57afb, 0x58da7b99, 0x795f2a56, 0xbca2a623, 0x9ba2caa1, 0x58a36784, 0x7d6a8d9e,
];
