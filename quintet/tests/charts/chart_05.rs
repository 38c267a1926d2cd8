//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s5(),
    deferred = 3,
)]
impl Chart {
    #[superstate(
        initial = State::s1(),
        initial_action = s0_initial,
        entry_action = s0_entry,
        exit_action = s0_exit,
        on_completion = s0_next,
    )]
    fn s0(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::G(0) => {
                if self.0.guard(7, self.0.v[2] >= 6) {
                    self.0.act(8);
                    return Transition(State::s1(), |this| this.0.add(9, 2, 4));
                }
                Transition(State::s3())
            }
            Event::G(_) => {
                if self.0.guard(10, self.0.v[2] >= 4) {
                    self.0.add(11, 1, 3);
                    Handled
                } else {
                    Handled
                }
            }
            Event::D => {
                if self.0.guard(12, self.0.v[0] >= 2) {
                    self.0.add(13, 2, 3);
                    Transition(State::s0(), |this| this.0.act(14))
                } else {
                    Super
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_entry(&mut self) {
        self.0.add(5, 0, 4);
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.add(6, 1, 1);
    }

    #[action]
    fn s0_initial(&mut self) {
        self.0.act(2);
    }

    fn s0_next(&mut self) -> Outcome<State> {
        Transition(State::s1())
    }

    #[superstate(
        superstate = s0,
        initial = State::s7(),
        entry_action = s1_entry,
    )]
    fn s1(event: &Event) -> Outcome<State> {
        match event {
            Event::H(_) => {
                Transition(State::s5(), |this| this.0.add(16, 2, 4))
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.add(15, 0, 1);
    }

    #[superstate(
        exit_action = s2_exit,
    )]
    fn s2(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::A => {
                self.0.act(18);
                Local(State::s8(self.0.v[0]))
            }
            Event::B => {
                self.0.add(19, 0, 1);
                Local(State::s6())
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_exit(&mut self) {
        self.0.add(17, 2, 1);
    }

    #[state(
        completes = s0,
        entry_action = s3_entry,
        exit_action = s3_exit,
    )]
    fn s3(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::D => {
                if self.0.guard(22, self.0.v[2] >= 2) {
                    Handled
                } else {
                    Handled
                }
            }
            Event::A => {
                Transition(State::s5())
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.add(20, 1, 4);
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(21, 0, 4);
    }

    #[superstate(
        superstate = s1,
        initial = State::s5(),
        entry_action = s4_entry,
        exit_action = s4_exit,
        after = (self.0.timer(51), 4),
    )]
    fn s4(event: &Event) -> Outcome<State> {
        match event {
            Event::C => {
                Local(State::s4(), |this| this.0.add(25, 0, 1))
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_entry(&mut self) {
        self.0.add(23, 2, 5);
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.add(24, 0, 4);
    }

    #[state(
        superstate = s4,
        exit_action = s5_exit,
    )]
    fn s5(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::H(_) => {
                Super
            }
            Event::E if self.0.guard(27, self.0.v[2] >= 6) => {
                self.0.act(28);
                Super
            }
            Event::E if self.0.guard(29, self.0.v[1] >= 1) => {
                self.0.add(30, 1, 4);
                Super
            }
            Event::E => {
                self.0.add(31, 1, 5);
                Handled
            }
            Event::G(_) => {
                Transition(State::s7())
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_exit(&mut self) {
        self.0.act(26);
    }

    #[superstate(
        superstate = s2,
        initial = State::s8(3),
        initial_action = s6_initial,
        entry_action = s6_entry,
        exit_action = s6_exit,
    )]
    fn s6(event: &Event) -> Outcome<State> {
        match event {
            Event::A => {
                Handled
            }
            _ => Super,
        }
    }

    #[action]
    fn s6_entry(&mut self) {
        self.0.act(32);
    }

    #[action]
    fn s6_exit(&mut self) {
        self.0.add(33, 2, 5);
    }

    #[action]
    fn s6_initial(&mut self) {
        self.0.add(4, 2, 2);
    }

    #[state(
        superstate = s1,
        exit_action = s7_exit,
    )]
    fn s7(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::E => {
                self.0.add(35, 0, 4);
                Deferred
            }
            Event::I(_) => {
                if self.0.guard(36, self.0.v[2] >= 2) {
                    return Handled;
                }
                if self.0.guard(37, self.0.v[2] >= 7) {
                    return Handled;
                }
                Transition(State::s3(), |this| this.0.add(38, 0, 3))
            }
            Event::H(n) if self.0.guard(39, *n >= 1) => {
                self.0.add(40, 2, 5);
                Super
            }
            Event::H(n) if self.0.guard(41, self.0.v[2] >= 3) => {
                self.0.set(42, 2, *n);
                Local(State::s4())
            }
            Event::H(_) => {
                Transition(State::s3())
            }
            Event::D => {
                if self.0.guard(43, self.0.v[1] >= 3) {
                    return Handled;
                }
                if self.0.guard(44, self.0.v[0] >= 6) {
                    return Super;
                }
                Transition(State::s1())
            }
            Event::C if self.0.guard(45, self.0.v[0] >= 7) => {
                self.0.add(46, 1, 4);
                Transition(State::s7())
            }
            Event::C if self.0.guard(47, self.0.v[0] >= 2) => {
                self.0.act(48);
                Transition(State::s5())
            }
            Event::C => {
                Transition(State::s8(7))
            }
            Event::B => {
                Transition(State::s8(1))
            }
            _ => Super,
        }
    }

    #[action]
    fn s7_exit(&mut self) {
        self.0.add(34, 2, 2);
    }

    #[state(
        superstate = s6,
        entry_action = s8_entry,
        exit_action = s8_exit,
        defer = [Event::A],
    )]
    fn s8(own: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::I(_) => {
                Transition(State::s3())
            }
            _ => Super,
        }
    }

    #[action]
    fn s8_entry(&mut self, own: &mut u8) {
        self.0.grow(49, own, 1);
    }

    #[action]
    fn s8_exit(&mut self) {
        self.0.add(50, 1, 1);
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
        self.machine.dispatch(&event).is_ok()
    }

    fn leaf(&self) -> (u16, u8) {
        match self.machine.state() {
            State::S3 => (3, 0),
            State::S5 => (5, 0),
            State::S7 => (7, 0),
            State::S8 { own } => (8, *own),
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
    EI2G3EI1BI2FBDH2DBBDDI0CDEI3EFBI0EEAH2G0FFFH0FBBH1FG3EDI1DBEAAI3DCFDG2H2CEG0G2FEADH1DDCI2A\
    H3H1EI3AI0EFAH1G0EI1FH2I3CH1CBG3ACG3ADDBDACH1CFFAEEG0CAI1DACI2CDH3DAH0G2I2DFEFBAACH0H0G2EA\
    BCEI2AG0AEH1AG0I1FH3BCFAI3ACECADDI1EDH0I3EFCI2ECABBI1FEFEI3I2BAFFFEAH0H0H2DH1I3I1CDABFEBI3\
    BCI1I1I2G0FAACAFEI0CABI3FCDEAG2FAH3H2DFI1G3ACABI1H3CDH3H2BG2ACG2I3AFH1ABH3CBG3DEDDG1CI0G0B\
    BCI2DG3H2BBCCG2H2H0CI3G2G0FDFEFCH1AADI3DEI3AG0G0CCI0G0CAH0DDDH0AFDBBCBG2G3G1FG1ECDBCEECDEC\
    AFDDFBAG2DCCFI3BCI2CI3G3EEI1BAEECFI0H0BBBDAI2BEFDFG1DDBI3I0G1H0FH0CI1G2EG3AEEDB\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0x1d75ec6b, 0x7dd767e8, 0x5ec66efb, 0xfccdf0ae, 0x2d5e78d0, 0xc729c53b, 0x8bfdc2e8,
    0x1feb40ff, 0x6dd3dd87, 0x7696a51a, 0x1ef552a6, 0xf4bdae87, 0xff63b29c, 0x71bffc48,
    0xe7a7682d, 0xee0cfe2a, 0x39595ef3, 0xc90833e0, 0xdf14b9c8, 0xc030b58f,
];
