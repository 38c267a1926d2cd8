//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s0(),
    deferred = 2,
    unhandled = Self::unhandled,
)]
impl Chart {
    #[superstate(
        initial = State::s3(),
        initial_action = s0_initial,
        entry_action = s0_entry,
        exit_action = s0_exit,
    )]
    fn s0(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::I(_) => {
                Deferred
            }
            Event::B => {
                if self.0.guard(8, self.0.v[0] >= 5) {
                    Local(State::s3())
                } else {
                    Transition(State::s2())
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_entry(&mut self) {
        self.0.add(6, 0, 3);
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.add(7, 1, 2);
    }

    #[action]
    fn s0_initial(&mut self) {
        self.0.add(2, 0, 3);
    }

    #[state(
        superstate = s0,
        entry_action = s1_entry,
        exit_action = s1_exit,
        defer = [Event::G(3), Event::F],
        on_completion = s1_next,
    )]
    fn s1(&mut self, own: &mut u8, event: Event) -> Outcome<State> {
        match event {
            Event::H(n) => {
                if self.0.guard(11, n >= 2) {
                    self.0.add(12, 1, 2);
                    Transition(State::s2())
                } else if self.0.guard(13, self.0.v[2] >= 2) {
                    self.0.act(14);
                    History(State::s6())
                } else {
                    Transition(State::s1(self.0.v[0]))
                }
            }
            Event::I(_) => {
                Transition(State::s3())
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.add(9, 0, 4);
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.add(10, 0, 4);
    }

    fn s1_next(&mut self) -> Outcome<State> {
        if self.0.guard(15, self.0.v[2] >= 1) {
            Transition(State::s5())
        } else {
            Handled
        }
    }

    #[superstate(
        superstate = s0,
        initial = State::s3(),
        initial_action = s2_initial,
        entry_action = s2_entry,
        exit_action = s2_exit,
    )]
    fn s2(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::D if self.0.guard(18, self.0.v[2] >= 2) => {
                DeepHistory(State::s6(), |this| this.0.act(19))
            }
            Event::D if self.0.guard(20, self.0.v[0] >= 4) => {
                Deferred
            }
            Event::D => {
                Transition(State::s5())
            }
            Event::A => {
                if self.0.guard(21, self.0.v[2] >= 4) {
                    self.0.add(22, 1, 5);
                    return Handled;
                }
                if self.0.guard(23, self.0.v[2] >= 6) {
                    self.0.act(24);
                    return Local(State::s2(), |this| this.0.add(25, 1, 3));
                }
                self.0.add(26, 0, 1);
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.act(16);
    }

    #[action]
    fn s2_exit(&mut self) {
        self.0.add(17, 2, 4);
    }

    #[action]
    fn s2_initial(&mut self) {
        self.0.add(3, 0, 2);
    }

    #[state(
        superstate = s2,
        entry_action = s3_entry,
        exit_action = s3_exit,
    )]
    fn s3(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::H(_) => {
                Transition(State::s3(), |this| this.0.add(29, 0, 3))
            }
            Event::G(n) => {
                self.0.set(30, 1, n);
                Transition(State::s3(), |this| this.0.add(31, 1, 2))
            }
            Event::E => {
                self.0.add(32, 2, 2);
                Local(State::s6())
            }
            Event::C => {
                Transition(State::s7())
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.add(27, 2, 2);
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.act(28);
    }

    #[superstate(
        superstate = s2,
        initial = State::s6(),
        initial_action = s4_initial,
        entry_action = s4_entry,
        exit_action = s4_exit,
        defer = [Event::D],
    )]
    fn s4(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::H(_) if self.0.guard(35, self.0.v[0] >= 6) => {
                self.0.add(36, 1, 3);
                Transition(State::s2())
            }
            Event::H(_) => {
                Local(State::s4())
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_entry(&mut self) {
        self.0.add(33, 1, 1);
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.act(34);
    }

    #[action]
    fn s4_initial(&mut self) {
        self.0.add(4, 2, 3);
    }

    #[state(
        superstate = s4,
        entry_action = s5_entry,
        exit_action = s5_exit,
    )]
    fn s5(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::A if self.0.guard(39, self.0.v[2] >= 2) => {
                self.0.add(40, 2, 4);
                Transition(State::s5())
            }
            Event::A if self.0.guard(41, self.0.v[1] >= 5) => {
                self.0.add(42, 0, 1);
                Handled
            }
            Event::A => {
                Super
            }
            Event::B => {
                Transition(State::s1(0))
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_entry(&mut self) {
        self.0.act(37);
    }

    #[action]
    fn s5_exit(&mut self) {
        self.0.add(38, 1, 5);
    }

    #[superstate(
        superstate = s4,
        initial = State::s7(),
        initial_action = s6_initial,
        entry_action = s6_entry,
    )]
    fn s6(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::D => {
                if self.0.guard(44, self.0.v[1] >= 1) {
                    self.0.act(45);
                    return Local(State::s7());
                }
                Local(State::s1(5), |this| this.0.add(46, 1, 4))
            }
            Event::H(_) => {
                self.0.act(47);
                Super
            }
            Event::I(_) => {
                if self.0.guard(48, self.0.v[1] >= 2) {
                    Transition(State::s6(), |this| this.0.add(49, 0, 1))
                } else {
                    Local(State::s7())
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s6_entry(&mut self) {
        self.0.add(43, 0, 3);
    }

    #[action]
    fn s6_initial(&mut self) {
        self.0.add(5, 1, 3);
    }

    #[state(
        superstate = s6,
        entry_action = s7_entry,
        exit_action = s7_exit,
    )]
    fn s7(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::I(_) => {
                if self.0.guard(52, self.0.v[0] >= 1) {
                    self.0.add(53, 0, 4);
                    return Super;
                }
                self.0.add(54, 2, 2);
                Transition(State::s6())
            }
            Event::H(_) => {
                Transition(State::s5())
            }
            _ => Super,
        }
    }

    #[action]
    fn s7_entry(&mut self) {
        self.0.add(50, 0, 3);
    }

    #[action]
    fn s7_exit(&mut self) {
        self.0.add(51, 0, 3);
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
        self.machine.start();
    }

    fn dispatch(&mut self, event: Event) -> bool {
        self.machine.dispatch(event).is_ok()
    }

    fn leaf(&self) -> (u16, u8) {
        match self.machine.state() {
            State::S1 { own } => (1, *own),
            State::S3 => (3, 0),
            State::S5 => (5, 0),
            State::S7 => (7, 0),
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
            _ => false,
        }
    }

    fn states(&self) -> u16 {
        8
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
    .BI0BBFH3I0EI0EH2I1I0BG1AI3H3I3ACEABBDH1AADEAH3FFI2ABAFFFFI0FG1I1EDECI2CDI1BFG1BAH2EDBI0BI\
    2FBDI0CI2G3G3CCDH2EBCBCCAFBAAEABBEAH3ECADI0DBADI1AG2DADH3AG3G2G1CCEH0EBCG3G2H0EI2ADI2CCI2G\
    0FI3EAFG2EH1G0H1CCBBDCG3ADFI3FCI2BH3G2DEH2CEAAH0ECAECDH2H0G3DCCBBCBG3FH2G2I2CI2H0FG3I3DFCC\
    AFH1I1I3I1DG1BG3I3I0I3ACEBI2BEBBH2I1I2FDEFI1I2AAEFI2BEBI1BAACG1BDBG1H3G3DI0FAG1G3I1EFH0DCD\
    ACEI3I1BAAG3FCDBFFBBEAH2EG1AFDDDH3DG1FH3DG0AG2FI1I3BCAH1EDEFCBABI2FCI3CI2AG0FCH3EH3CAFFEAI\
    1EABBH1FG1FG1BH1BEFEBCEH3BH2BDEBFG2H0FBI0ABFBG1DECCI2I0EBEI2G3EAEFBFAG1FDI0AI1BAA\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0xf53d50ad, 0x8ba2dd93, 0x2d0d3aba, 0x6b1dfec7, 0x509d6126, 0x2b4c9ac3, 0x2c78a255,
    0x770cf7c5, 0x98c389c3, 0x6592b423, 0x83024fde, 0xfda93803, 0x8a34f30d, 0xfa0abd40,
    0x6b320dc8, 0x3c395572, 0xaaeb3fa4, 0x449f4242, 0xa3f75bb4, 0x8088b863, 0x78f326aa,
];
