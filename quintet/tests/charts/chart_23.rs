//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s0(),
    deferred = 2,
)]
impl Chart {
    #[superstate(
        initial = State::s7(),
        entry_action = s0_entry,
        exit_action = s0_exit,
    )]
    fn s0(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::I(n) => {
                if self.0.guard(5, n >= 1) {
                    return Local(State::s1());
                }
                Super
            }
            Event::B => {
                self.0.act(6);
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_entry(&mut self) {
        self.0.add(3, 0, 3);
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.add(4, 2, 5);
    }

    #[superstate(
        superstate = s0,
        initial = State::s2(),
        exit_action = s1_exit,
        after = (self.0.timer(66), 1),
        on_completion = s1_next,
    )]
    fn s1(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::A if self.0.guard(8, self.0.v[1] >= 6) => {
                Transition(State::s1())
            }
            Event::A => {
                Super
            }
            Event::H(_) => {
                if self.0.guard(9, self.0.v[1] >= 1) {
                    self.0.act(10);
                    Transition(State::s1(), |this, context| this.0.act(11))
                } else {
                    Local(State::s4())
                }
            }
            Event::C => {
                self.0.add(12, 1, 4);
                DeepHistory(State::s4())
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.add(7, 1, 2);
    }

    fn s1_next(&mut self) -> Outcome<State> {
        self.0.add(67, 2, 4);
        Transition(State::s3())
    }

    #[state(
        completes = s1,
        entry_action = s2_entry,
        exit_action = s2_exit,
    )]
    fn s2(&mut self, event: Event, context: &mut Context) -> Outcome<State> {
        match event {
            Event::A => {
                if self.0.guard(15, self.0.v[0] >= 3) {
                    Transition(State::s2())
                } else if self.0.guard(16, self.0.v[1] >= 1) {
                    self.0.grow(17, &mut context.sum, 2);
                    Transition(State::s7(), |this, context| this.0.act(18))
                } else {
                    Transition(State::s3())
                }
            }
            Event::D => {
                Transition(State::s7())
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.add(13, 1, 5);
    }

    #[action]
    fn s2_exit(&mut self) {
        self.0.add(14, 0, 4);
    }

    #[superstate(
        initial = State::s6(),
        exit_action = s3_exit,
    )]
    fn s3(event: Event) -> Outcome<State> {
        match event {
            Event::A => {
                History(State::s4(), |this, context| this.0.grow(20, &mut context.sum, 3))
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(19, 1, 2);
    }

    #[superstate(
        superstate = s1,
        initial = State::s7(),
        initial_action = s4_initial,
        entry_action = s4_entry,
        exit_action = s4_exit,
    )]
    fn s4(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::F if self.0.guard(23, self.0.v[1] >= 5) => {
                self.0.act(24);
                Transition(State::s0(), |this, context| this.0.act(25))
            }
            Event::F => {
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_entry(&mut self) {
        self.0.add(21, 0, 5);
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.add(22, 0, 1);
    }

    #[action]
    fn s4_initial(&mut self) {
        self.0.add(2, 0, 2);
    }

    #[state(
        superstate = s0,
        entry_action = s5_entry,
        exit_action = s5_exit,
    )]
    fn s5(&mut self, event: Event, context: &mut Context) -> Outcome<State> {
        match event {
            Event::B => {
                if self.0.guard(28, self.0.v[1] >= 4) {
                    self.0.act(29);
                    return Transition(State::s5());
                }
                Transition(State::s2(), |this, context| this.0.act(30))
            }
            Event::H(0) => {
                if self.0.guard(31, self.0.v[2] >= 7) {
                    return Local(State::s1());
                }
                if self.0.guard(32, self.0.v[2] >= 1) {
                    self.0.act(33);
                    return Super;
                }
                Handled
            }
            Event::H(_) => {
                if self.0.guard(34, self.0.v[1] >= 5) {
                    Local(State::s1(), |this, context| this.0.add(35, 0, 3))
                } else {
                    Transition(State::s2())
                }
            }
            Event::F => {
                Super
            }
            Event::C if self.0.guard(36, self.0.v[2] >= 6) => {
                self.0.grow(37, &mut context.sum, 4);
                Super
            }
            Event::C => {
                self.0.add(38, 0, 2);
                Local(State::s4(), |this, context| this.0.grow(39, &mut context.sum, 2))
            }
            Event::E => {
                Transition(State::s2())
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_entry(&mut self) {
        self.0.add(26, 1, 5);
    }

    #[action]
    fn s5_exit(&mut self) {
        self.0.add(27, 0, 5);
    }

    #[state(
        superstate = s3,
        entry_action = s6_entry,
        exit_action = s6_exit,
        after = (self.0.timer(68), 6),
        defer = [Event::H(3)],
    )]
    fn s6(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::F if self.0.guard(42, self.0.v[0] >= 5) => {
                self.0.add(43, 1, 1);
                Local(State::s3(), |this, context| this.0.add(44, 0, 2))
            }
            Event::F => {
                Transition(State::s0())
            }
            Event::C if self.0.guard(45, self.0.v[1] >= 4) => {
                History(State::s4())
            }
            Event::C if self.0.guard(46, self.0.v[1] >= 4) => {
                self.0.add(47, 0, 3);
                Local(State::s3())
            }
            Event::C => {
                self.0.add(48, 1, 2);
                Transition(State::s6(), |this, context| this.0.add(49, 1, 5))
            }
            Event::E => {
                self.0.add(50, 2, 3);
                Super
            }
            Event::B if self.0.guard(51, self.0.v[0] >= 2) => {
                self.0.act(52);
                Transition(State::s6())
            }
            Event::B if self.0.guard(53, self.0.v[2] >= 4) => {
                Handled
            }
            Event::B => {
                self.0.add(54, 2, 4);
                Transition(State::s6())
            }
            Event::I(_) => {
                Transition(State::s5())
            }
            _ => Super,
        }
    }

    #[action]
    fn s6_entry(&mut self) {
        self.0.add(40, 2, 3);
    }

    #[action]
    fn s6_exit(&mut self) {
        self.0.add(41, 0, 2);
    }

    #[state(
        superstate = s4,
        exit_action = s7_exit,
        defer = [Event::C],
        on_completion = s7_next,
    )]
    fn s7(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::G(_) if self.0.guard(56, self.0.v[1] >= 5) => {
                Handled
            }
            Event::G(_) if self.0.guard(57, self.0.v[1] >= 2) => {
                Deferred
            }
            Event::G(_) => {
                self.0.add(58, 0, 4);
                Super
            }
            Event::I(3) if self.0.guard(59, self.0.v[2] >= 5) => {
                Super
            }
            Event::I(3) if self.0.guard(60, self.0.v[1] >= 6) => {
                self.0.add(61, 0, 4);
                Transition(State::s0(), |this, context| this.0.act(62))
            }
            Event::I(3) => {
                Deferred
            }
            Event::I(n) => {
                if self.0.guard(63, n >= 3) {
                    Super
                } else {
                    Super
                }
            }
            Event::B => {
                Transition(State::s6())
            }
            _ => Super,
        }
    }

    #[action]
    fn s7_exit(&mut self) {
        self.0.add(55, 2, 3);
    }

    fn s7_next(&mut self) -> Outcome<State> {
        if self.0.guard(64, self.0.v[1] >= 6) {
            Transition(State::s1(), |this, context| this.0.act(65))
        } else {
            Handled
        }
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
        self.machine.dispatch(event, &mut self.context).is_ok()
    }

    fn leaf(&self) -> (u16, u8) {
        match self.machine.state() {
            State::S2 => (2, 0),
            State::S5 => (5, 0),
            State::S6 => (6, 0),
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
    .AG2AG1CG0BI0AH0BEAEG0I2I2H1I1I3BCFI2DH2DAG2G2I2FDEG3BI2CI2G3I1DI3H2FDI0EBBG3CAG0I2CEFBG2A\
    AEAFH3G0H3BFCH0EI0I1AH3H3I3I0BEFBEG1I1AAI3EG1DFFBH1EH2H1BI3BAFDEBEEG3FH2EBEEBEG0H1I1ABDBDA\
    AG1H3I2ACFADBCFCCEFEG1G3EBG2DG3BAFH3AH2DADFDI2BDG1CI3ABCG0AH2ADH0BEI3EDBAEACG0G3DFECH3BAEI\
    0BBH1CCCG1I3EECFBH2H0H3G3DH1DEI1ABBI0G1H1EAAI2DG0ACBCCFBECBG1CBFAECFI2CCCFAFI2H0FDG1I1DG0D\
    G1G2ABBDDI2G0BAH1EDH2EADI1I3FH0AG1DI3CCH3DBDAECH1EFEG0G0DBH3CG2I0CACG2CEDDG3AI0CBH0I3CEEDD\
    DBBBACBI0H1I3BEAAABFDBFDH1CCAEH2G1DDCEFCFFG2CG1DBDH3FFH3CEI2H0EH1ECFABACDFG1H3DBF\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0x0ccc6c81, 0xfa76eb4d, 0x50666d35, 0x02c82814, 0x6f005faf, 0xe6f58d01, 0x8f24d36b,
    0x000be654, 0x16782bab, 0xc8c13df4, 0xc50ef6c7, 0x8f7731e9, 0x31ca31e2, 0xb790ce85,
    0xea4790eb, 0xda8d014f, 0x7031fdd4, 0x96c39846, 0x0e79fd5d, 0x6074c884, 0x8216cc6f,
];
