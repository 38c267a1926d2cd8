//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder, pause, wait_for};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s5(),
    deferred = 2,
)]
impl Chart {
    #[superstate(
        initial = State::s1(),
        entry_action = s0_entry,
    )]
    async fn s0(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::E => {
                self.0.add(4, 1, 2);
                Handled
            }
            Event::F if self.0.guard(5, self.0.v[2] >= 3) => {
                self.0.add(6, 2, 3);
                Local(State::s5())
            }
            Event::F => {
                self.0.add(7, 1, 4);
                Handled
            }
            Event::B => {
                self.0.add(8, 2, 3);
                Local(State::s6())
            }
            _ => Super,
        }
    }

    #[action]
    async fn s0_entry(&mut self) {
        pause().await;
        self.0.add(3, 0, 4);
    }

    #[superstate(
        superstate = s0,
        initial = State::s3(),
        entry_action = s1_entry,
        exit_action = s1_exit,
        on_completion = s1_next,
    )]
    async fn s1(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::E if self.0.guard(11, self.0.v[2] >= 7) => {
                Super
            }
            Event::E if self.0.guard(12, self.0.v[2] >= 3) => {
                Transition(State::s7(), |this| this.0.add(13, 0, 3))
            }
            Event::E => {
                Transition(State::s3())
            }
            Event::D => {
                if self.0.guard(14, self.0.v[1] >= 4) {
                    Transition(State::s0())
                } else {
                    Local(State::s5(), |this| this.0.act(15))
                }
            }
            _ => Super,
        }
    }

    #[action]
    async fn s1_entry(&mut self) {
        pause().await;
        self.0.act(9);
    }

    #[action]
    async fn s1_exit(&mut self) {
        pause().await;
        self.0.add(10, 0, 3);
    }

    async fn s1_next(&mut self) -> Outcome<State> {
        pause().await;
        if self.0.guard(75, self.0.v[0] >= 1) {
            self.0.add(76, 1, 3);
            Transition(State::s4())
        } else {
            Handled
        }
    }

    #[superstate(
        superstate = s1,
        initial = State::s3(),
        after = (self.0.timer(77), 2),
        defer = [Event::G(_)],
    )]
    async fn s2(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::F if self.0.guard(16, self.0.v[2] >= 3) => {
                Super
            }
            Event::F => {
                self.0.add(17, 2, 3);
                Local(State::s4())
            }
            Event::H(_) if self.0.guard(18, self.0.v[2] >= 7) => {
                Transition(State::s6(), |this| this.0.add(19, 0, 4))
            }
            Event::H(_) if self.0.guard(20, self.0.v[0] >= 5) => {
                self.0.add(21, 2, 5);
                Handled
            }
            Event::H(_) => {
                self.0.add(22, 0, 2);
                Handled
            }
            _ => Super,
        }
    }

    #[state(
        superstate = s2,
        entry_action = s3_entry,
        exit_action = s3_exit,
        defer = [Event::I(1), Event::F],
    )]
    async fn s3(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::H(_) => {
                self.0.add(25, 1, 2);
                Local(State::s2(), |this| this.0.act(26))
            }
            Event::D => {
                self.0.add(27, 2, 3);
                History(State::s7(), |this| this.0.add(28, 0, 4))
            }
            Event::A => {
                Transition(State::s5(), |this| this.0.add(73, 0, 3))
            }
            _ => Super,
        }
    }

    #[action]
    async fn s3_entry(&mut self) {
        pause().await;
        self.0.act(23);
    }

    #[action]
    async fn s3_exit(&mut self) {
        pause().await;
        self.0.act(24);
    }

    #[state(
        superstate = s1,
        entry_action = s4_entry,
        defer = [Event::E],
    )]
    async fn s4(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::C if self.0.guard(30, self.0.v[1] >= 2) => {
                self.0.add(31, 1, 1);
                Handled
            }
            Event::C => {
                Local(State::s6())
            }
            Event::G(n) => {
                if self.0.guard(32, self.0.v[1] >= 2) {
                    return Transition(State::s1());
                }
                if self.0.guard(33, self.0.v[1] >= 5) {
                    self.0.add(34, 2, 2);
                    return Handled;
                }
                self.0.set(35, 2, *n);
                Handled
            }
            Event::F => {
                if self.0.guard(36, self.0.v[0] >= 4) {
                    self.0.add(37, 2, 5);
                    Transition(State::s4())
                } else {
                    self.0.add(38, 1, 1);
                    Local(State::s3(), |this| this.0.add(39, 2, 3))
                }
            }
            Event::B => {
                Transition(State::s8())
            }
            _ => Super,
        }
    }

    #[action]
    async fn s4_entry(&mut self) {
        pause().await;
        self.0.add(29, 1, 5);
    }

    #[state(
        completes = s1,
        entry_action = s5_entry,
        exit_action = s5_exit,
    )]
    async fn s5(event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::H(_) => {
                Transition(State::s3())
            }
            Event::G(_) => {
                Transition(State::s4(), |this| this.0.add(74, 0, 4))
            }
            _ => Super,
        }
    }

    #[action]
    async fn s5_entry(&mut self) {
        pause().await;
        self.0.add(40, 0, 4);
    }

    #[action]
    async fn s5_exit(&mut self) {
        pause().await;
        self.0.act(41);
    }

    #[state(
        superstate = s2,
        exit_action = s6_exit,
    )]
    async fn s6(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::E => {
                self.0.add(43, 0, 1);
                Transition(State::s3())
            }
            Event::H(n) if self.0.guard(44, self.0.v[0] >= 1) => {
                self.0.set(45, 2, *n);
                Super
            }
            Event::H(_) if self.0.guard(46, self.0.v[1] >= 3) => {
                self.0.act(47);
                Deferred
            }
            Event::H(n) => {
                self.0.set(48, 1, *n);
                Local(State::s3())
            }
            Event::B => {
                Transition(State::s3())
            }
            _ => Super,
        }
    }

    #[action]
    async fn s6_exit(&mut self) {
        pause().await;
        self.0.add(42, 2, 3);
    }

    #[superstate(
        initial = State::s8(),
        initial_action = s7_initial,
        entry_action = s7_entry,
        exit_action = s7_exit,
    )]
    async fn s7(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::A => {
                Super
            }
            Event::I(1) => {
                if self.0.guard(51, self.0.v[1] >= 4) {
                    self.0.add(52, 0, 4);
                    Transition(State::s7())
                } else if self.0.guard(53, self.0.v[1] >= 5) {
                    DeepHistory(State::s0())
                } else {
                    self.0.add(54, 0, 5);
                    Deferred
                }
            }
            Event::I(_) => {
                self.0.add(55, 2, 3);
                Deferred
            }
            Event::B => {
                if self.0.guard(56, self.0.v[1] >= 7) {
                    History(State::s2(), |this| this.0.add(57, 2, 5))
                } else {
                    DeepHistory(State::s7(), |this| this.0.add(58, 1, 1))
                }
            }
            _ => Super,
        }
    }

    #[action]
    async fn s7_entry(&mut self) {
        pause().await;
        self.0.add(49, 0, 4);
    }

    #[action]
    async fn s7_exit(&mut self) {
        pause().await;
        self.0.add(50, 2, 1);
    }

    #[action]
    async fn s7_initial(&mut self) {
        pause().await;
        self.0.add(2, 2, 5);
    }

    #[state(
        superstate = s7,
        entry_action = s8_entry,
        exit_action = s8_exit,
        after = (self.0.timer(78), 8),
    )]
    async fn s8(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::B if self.0.guard(61, self.0.v[1] >= 2) => {
                self.0.act(62);
                History(State::s2())
            }
            Event::B if self.0.guard(63, self.0.v[0] >= 5) => {
                self.0.add(64, 0, 5);
                History(State::s0())
            }
            Event::B => {
                Transition(State::s8())
            }
            Event::I(_) => {
                if self.0.guard(65, self.0.v[1] >= 1) {
                    self.0.add(66, 2, 2);
                    History(State::s0(), |this| this.0.add(67, 1, 3))
                } else {
                    self.0.act(68);
                    DeepHistory(State::s7())
                }
            }
            Event::A if self.0.guard(69, self.0.v[1] >= 3) => {
                self.0.act(70);
                Transition(State::s8())
            }
            Event::A => {
                self.0.add(71, 0, 2);
                Transition(State::s4(), |this| this.0.act(72))
            }
            Event::C => {
                Transition(State::s6())
            }
            _ => Super,
        }
    }

    #[action]
    async fn s8_entry(&mut self) {
        pause().await;
        self.0.act(59);
    }

    #[action]
    async fn s8_exit(&mut self) {
        pause().await;
        self.0.add(60, 0, 3);
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
            State::S3 => (3, 0),
            State::S4 => (4, 0),
            State::S5 => (5, 0),
            State::S6 => (6, 0),
            State::S8 => (8, 0),
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
    DG3I0DI1G1CCCI1EI0EDG3EFI1G1ECAG1BBAAAAI1CADCEFBG3EBBG2I1EG3I1EH1BCAH2FI2CH3AG1DFCH1EI0CFB\
    I1AI1I2FCAH0BBG2CI2AG0BH3FCCADI1BBEAI1FFDFFI1G0BADFADCAAEFCFDG0FH0DADFH3BFFG0I2EI1G0EDBEEC\
    G3DBDI2AAG3I2ECI2G2H0AG3AH1AI3CH3EBI1H1DH3H1I2G2G3BCCH1CI3G0G3CH3DG2H2I1G3FI0BBEH2H3I1G1AE\
    AFCAAI3FCFH3H1H1CI2FDBDDH2BG3DI2CCH3CI2DI0BI0BCH3H2ACFAFDI1CBEFG1BBDECADH1DBH2AH1I2I1BBCH1\
    DEG3CH3AI1CI2H0H3DFI3ACDI3EI3ADADG3FEG3EG2BCG2I0DABH1I1AG2BEEH0H1AAAEECCH0ABI0BG0BFG3G2FG0\
    AAH1EI0BDCH2AAH2CFEI0AFCFFI1I1BAEH3I3G2AFEH2DI3H2CI0H3G3I3BCH1FCFFBI1H1H2G1I3FBEBH3H0FCBG3\
    BBFI0EG3D\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0x5f2b04bd, 0xa2e9e87e, 0xae765b26, 0x2e3a8e47, 0xd474a59e, 0x60e1ce58, 0x874b3cca,
    0x86a76954, 0xd3c90a7a, 0xe029092e, 0x47b5d255, 0xd6bb02da, 0xd0cd34ec, 0x46ab10e2,
    0xfd09b8b3, 0x8c74d650, 0x05c63d02, 0x8a7445f0, 0x7c0156e9, 0xb8f9f101,
];
