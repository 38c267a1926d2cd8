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
        defer = [Event::E, Event::B, Event::I(_)],
    )]
    async fn s0() -> Outcome<State> {
        pause().await;
        Super
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
    )]
    async fn s1(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::E => {
                if self.0.guard(6, self.0.v[0] >= 6) {
                    Handled
                } else if self.0.guard(7, self.0.v[0] >= 1) {
                    Transition(State::s0())
                } else {
                    self.0.add(8, 1, 3);
                    Transition(State::s5())
                }
            }
            _ => Super,
        }
    }

    #[action]
    async fn s1_entry(&mut self) {
        pause().await;
        self.0.add(4, 0, 1);
    }

    #[action]
    async fn s1_exit(&mut self) {
        pause().await;
        self.0.add(5, 1, 5);
    }

    #[superstate(
        superstate = s1,
        initial = State::s3(),
        entry_action = s2_entry,
    )]
    async fn s2(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::A => {
                if self.0.guard(10, self.0.v[1] >= 4) {
                    return Transition(State::s7());
                }
                self.0.add(11, 2, 5);
                Transition(State::s7(), |this| this.0.add(12, 0, 3))
            }
            Event::H(_) => {
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    async fn s2_entry(&mut self) {
        pause().await;
        self.0.add(9, 1, 2);
    }

    #[state(
        superstate = s2,
        entry_action = s3_entry,
        exit_action = s3_exit,
        defer = [Event::B, Event::I(0)],
    )]
    async fn s3(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::H(_) => {
                if self.0.guard(15, self.0.v[0] >= 2) {
                    self.0.act(16);
                    Handled
                } else if self.0.guard(17, self.0.v[1] >= 2) {
                    Super
                } else {
                    Deferred
                }
            }
            Event::D => {
                if self.0.guard(18, self.0.v[1] >= 3) {
                    Deferred
                } else {
                    Deferred
                }
            }
            Event::A => {
                if self.0.guard(19, self.0.v[2] >= 2) {
                    Transition(State::s7())
                } else {
                    Super
                }
            }
            Event::E => {
                Transition(State::s6())
            }
            _ => Super,
        }
    }

    #[action]
    async fn s3_entry(&mut self) {
        pause().await;
        self.0.add(13, 1, 5);
    }

    #[action]
    async fn s3_exit(&mut self) {
        pause().await;
        self.0.add(14, 2, 1);
    }

    #[state(
        superstate = s1,
        entry_action = s4_entry,
        exit_action = s4_exit,
        defer = [Event::B],
    )]
    async fn s4(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::I(_) if self.0.guard(22, self.0.v[2] >= 1) => {
                Local(State::s0(), |this| this.0.add(23, 2, 2))
            }
            Event::I(_) if self.0.guard(24, self.0.v[2] >= 1) => {
                self.0.add(25, 1, 2);
                Local(State::s2(), |this| this.0.act(26))
            }
            Event::I(_) => {
                self.0.add(27, 0, 1);
                Deferred
            }
            Event::C => {
                History(State::s7(), |this| this.0.add(28, 0, 4))
            }
            Event::G(_) => {
                Transition(State::s8())
            }
            _ => Super,
        }
    }

    #[action]
    async fn s4_entry(&mut self) {
        pause().await;
        self.0.add(20, 0, 4);
    }

    #[action]
    async fn s4_exit(&mut self) {
        pause().await;
        self.0.add(21, 1, 1);
    }

    #[state(
        superstate = s1,
        entry_action = s5_entry,
        defer = [Event::E],
    )]
    async fn s5(&mut self, event: &Event) -> Outcome<State> {
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
                    Transition(State::s5())
                } else {
                    self.0.add(38, 1, 1);
                    Local(State::s3(), |this| this.0.add(39, 2, 3))
                }
            }
            Event::A => {
                Transition(State::s3(), |this| this.0.add(49, 2, 3))
            }
            _ => Super,
        }
    }

    #[action]
    async fn s5_entry(&mut self) {
        pause().await;
        self.0.add(29, 1, 5);
    }

    #[state(
        superstate = s2,
        entry_action = s6_entry,
        exit_action = s6_exit,
    )]
    async fn s6(event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::H(_) => {
                Transition(State::s3())
            }
            Event::G(_) => {
                Transition(State::s4())
            }
            _ => Super,
        }
    }

    #[action]
    async fn s6_entry(&mut self) {
        pause().await;
        self.0.add(40, 0, 4);
    }

    #[action]
    async fn s6_exit(&mut self) {
        pause().await;
        self.0.act(41);
    }

    #[superstate(
        initial = State::s8(),
        initial_action = s7_initial,
        exit_action = s7_exit,
    )]
    async fn s7(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::E => {
                self.0.add(43, 0, 1);
                Transition(State::s3())
            }
            _ => Super,
        }
    }

    #[action]
    async fn s7_exit(&mut self) {
        pause().await;
        self.0.add(42, 2, 3);
    }

    #[action]
    async fn s7_initial(&mut self) {
        pause().await;
        self.0.add(2, 2, 5);
    }

    #[state(
        superstate = s7,
        entry_action = s8_entry,
    )]
    async fn s8(&mut self, event: &Event) -> Outcome<State> {
        pause().await;
        match event {
            Event::A => {
                if self.0.guard(45, self.0.v[2] >= 4) {
                    self.0.add(46, 0, 2);
                    return Deferred;
                }
                if self.0.guard(47, self.0.v[0] >= 4) {
                    return Transition(State::s8(), |this| this.0.act(48));
                }
                Transition(State::s8())
            }
            Event::C => {
                Transition(State::s5())
            }
            _ => Super,
        }
    }

    #[action]
    async fn s8_entry(&mut self) {
        pause().await;
        self.0.add(44, 2, 3);
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
    0xbb0e3ae6, 0xdb7a1ae5, 0xc6feeb2b, 0x99490757, 0xa2ec37af, 0x828363d0, 0xebf61814,
    0xb05ebb37, 0xcf29c651, 0x533097db, 0xf880f909, 0x39e5c0ee, 0x0a9a3dea, 0x8622205f,
    0x8f3058c7, 0x53ab705d, 0x3d0c6432, 0x23fce4c3, 0xec270b93, 0xc199349c,
];
