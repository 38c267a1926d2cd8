//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s0(),
)]
impl Chart {
    #[superstate(
        initial = State::s2(2),
        initial_action = s0_initial,
        entry_action = s0_entry,
        exit_action = s0_exit,
    )]
    fn s0(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::D => {
                if self.0.guard(6, self.0.v[0] >= 4) {
                    Transition(State::s0())
                } else if self.0.guard(7, self.0.v[1] >= 1) {
                    self.0.add(8, 0, 1);
                    Super
                } else {
                    History(State::s3(), |this| this.0.add(9, 2, 1))
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_entry(&mut self) {
        self.0.act(4);
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.act(5);
    }

    #[action]
    fn s0_initial(&mut self) {
        self.0.act(2);
    }

    #[state(
        superstate = s0,
        entry_action = s1_entry,
        exit_action = s1_exit,
    )]
    fn s1(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::I(_) if self.0.guard(12, self.0.v[1] >= 4) => {
                Super
            }
            Event::I(_) if self.0.guard(13, self.0.v[1] >= 7) => {
                Super
            }
            Event::I(_) => {
                Super
            }
            Event::F => {
                Transition(State::s6())
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.add(10, 1, 4);
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.add(11, 1, 5);
    }

    #[state(
        superstate = s0,
        entry_action = s2_entry,
    )]
    fn s2(&mut self, own: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::D => {
                if self.0.guard(15, self.0.v[1] >= 1) {
                    self.0.grow(16, own, 2);
                    return DeepHistory(State::s3());
                }
                self.0.add(17, 2, 1);
                Transition(State::s3(), |this| this.0.add(18, 1, 1))
            }
            Event::H(3) => {
                if self.0.guard(19, self.0.v[2] >= 1) {
                    Transition(State::s2(7))
                } else {
                    self.0.add(20, 2, 2);
                    Handled
                }
            }
            Event::H(_) if self.0.guard(21, self.0.v[2] >= 2) => {
                Super
            }
            Event::H(n) => {
                self.0.set(22, 1, *n);
                Transition(State::s2(6))
            }
            Event::B => {
                Transition(State::s5())
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.add(14, 2, 2);
    }

    #[superstate(
        initial = State::s6(),
        initial_action = s3_initial,
        entry_action = s3_entry,
        exit_action = s3_exit,
    )]
    fn s3(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::F if self.0.guard(25, self.0.v[1] >= 3) => {
                Handled
            }
            Event::F => {
                self.0.add(26, 1, 1);
                Transition(State::s2(4))
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.act(23);
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(24, 2, 5);
    }

    #[action]
    fn s3_initial(&mut self) {
        self.0.add(3, 1, 2);
    }

    #[superstate(
        superstate = s3,
        initial = State::s5(),
        entry_action = s4_entry,
        exit_action = s4_exit,
    )]
    fn s4(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::A => {
                if self.0.guard(29, self.0.v[0] >= 6) {
                    Local(State::s6(), |this| this.0.add(30, 1, 1))
                } else {
                    Handled
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_entry(&mut self) {
        self.0.add(27, 2, 5);
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.act(28);
    }

    #[state(
        superstate = s4,
        entry_action = s5_entry,
        exit_action = s5_exit,
    )]
    fn s5(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::D => {
                if self.0.guard(33, self.0.v[2] >= 3) {
                    return Super;
                }
                if self.0.guard(34, self.0.v[0] >= 5) {
                    return Super;
                }
                self.0.add(35, 1, 4);
                Transition(State::s5())
            }
            Event::G(_) => {
                Transition(State::s1())
            }
            Event::B => {
                Local(State::s6())
            }
            Event::F => {
                self.0.act(36);
                Transition(State::s5())
            }
            Event::I(_) => {
                Transition(State::s1(), |this| this.0.add(53, 1, 3))
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_entry(&mut self) {
        self.0.add(31, 1, 5);
    }

    #[action]
    fn s5_exit(&mut self) {
        self.0.add(32, 1, 4);
    }

    #[state(
        superstate = s4,
        entry_action = s6_entry,
        exit_action = s6_exit,
    )]
    fn s6(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::I(n) => {
                if self.0.guard(39, self.0.v[2] >= 5) {
                    Transition(State::s2(5))
                } else if self.0.guard(40, self.0.v[2] >= 7) {
                    self.0.set(41, 0, *n);
                    DeepHistory(State::s3())
                } else {
                    self.0.add(42, 2, 2);
                    Transition(State::s6(), |this| this.0.add(43, 0, 2))
                }
            }
            Event::C => {
                if self.0.guard(44, self.0.v[1] >= 5) {
                    self.0.add(45, 1, 2);
                    Local(State::s3(), |this| this.0.act(46))
                } else if self.0.guard(47, self.0.v[2] >= 7) {
                    self.0.add(48, 0, 4);
                    Handled
                } else {
                    History(State::s3())
                }
            }
            Event::E => {
                if self.0.guard(49, self.0.v[1] >= 4) {
                    self.0.add(50, 2, 5);
                    Handled
                } else if self.0.guard(51, self.0.v[1] >= 3) {
                    self.0.add(52, 1, 3);
                    Super
                } else {
                    Super
                }
            }
            Event::F => {
                Transition(State::s2(self.0.v[2]))
            }
            _ => Super,
        }
    }

    #[action]
    fn s6_entry(&mut self) {
        self.0.add(37, 0, 1);
    }

    #[action]
    fn s6_exit(&mut self) {
        self.0.add(38, 1, 4);
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
        self.machine.dispatch(&event);
        true
    }

    fn leaf(&self) -> (u16, u8) {
        match self.machine.state() {
            State::S1 => (1, 0),
            State::S2 { own } => (2, *own),
            State::S5 => (5, 0),
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
    I1BH1DH3DI3G2CI3ABFEG3EDBFH3I2DBI1G2CI0CBDG2G0AG1DH3G0FI2BCEEEFI1G0I0FDBDH3DEEI1G3G2H1I0H1\
    CEAH3H1AG3BACBABI3CG0ABH1AEFEFEFEDI1ADFCI0BG0H3AFI1H1EDH1H0AFBBECDEECEDBI3G2FFBEI1FG3DCG3B\
    G0ECEFI3BAG0H1ECBDCH2DEDBDCFBG2AI0DEEH1G2H1AFFDCG1I1FAFI1BCCFH3H3H1DH1BI2CEI0DDBAI3AEH0FCE\
    I2EH0AI2CBDDDCH0BCG1FG2CI2CI1CI0CH2BCG3G0DH0I3DFG0AI2CDDI3BAH1DEI0CI3EBH1G0DEECCH3DDAFI3H3\
    G3DH0H2ACCCDI3FG1BDAEADAFBDDBG0AACCDI0I1H1BI2I3AH1I3FCI3G3H2G1G1CDBAEEG0G3CG2EG3BG2CFFFCFG\
    3DG2DCEH1H0EAH1H1FEDG0I3I1DEDH0ECI3BFECI0G3I1CDECAAG2ACCH3EG3CEI1G1G1I3DADAI0BG3FBH2DAI1CH\
    1H3\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0xfb74c68a, 0xda515d37, 0x718903ab, 0xe0aa6dae, 0x0dc883bf, 0x970823df, 0x66fbbc47,
    0xd9084cf8, 0x340b97d2, 0xe8cb20ae, 0xa876b402, 0x836c068a, 0xf2530801, 0xf9d88c91,
    0x433c686d, 0x1239876d, 0xddbe5dc7, 0x8edc10c3, 0x350a7bac, 0x18fd396e,
];
