//! Printed by `cargo proof charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s5(),
    unhandled = Self::unhandled,
)]
impl Chart {
    #[superstate(
        initial = State::s6(),
        initial_action = s0_initial,
        entry_action = s0_entry,
        exit_action = s0_exit,
    )]
    fn s0(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::B if self.0.guard(7, self.0.v[2] >= 3) => {
                Local(State::s3())
            }
            Event::B => {
                Transition(State::s0(), |this| this.0.add(8, 1, 4))
            }
            Event::G(_) => {
                self.0.add(9, 0, 2);
                DeepHistory(State::s3(), |this| this.0.add(10, 2, 5))
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_entry(&mut self) {
        self.0.add(5, 1, 1);
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.add(6, 1, 5);
    }

    #[action]
    fn s0_initial(&mut self) {
        self.0.add(2, 2, 3);
    }

    #[superstate(
        superstate = s0,
        initial = State::s3(),
        initial_action = s1_initial,
        entry_action = s1_entry,
        exit_action = s1_exit,
    )]
    fn s1(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::H(n) => {
                if self.0.guard(13, self.0.v[1] >= 5) {
                    self.0.set(14, 1, n);
                    return Handled;
                }
                DeepHistory(State::s0(), |this| this.0.add(15, 2, 1))
            }
            Event::E => {
                if self.0.guard(16, self.0.v[1] >= 5) {
                    self.0.act(17);
                    return Transition(State::s5(), |this| this.0.add(18, 2, 5));
                }
                self.0.add(19, 1, 3);
                Super
            }
            Event::D if self.0.guard(20, self.0.v[2] >= 6) => {
                self.0.add(21, 1, 3);
                Super
            }
            Event::D => {
                self.0.add(22, 1, 2);
                DeepHistory(State::s2(), |this| this.0.add(23, 1, 3))
            }
            _ => Super,
        }
    }

    #[action]
    fn s1_entry(&mut self) {
        self.0.add(11, 0, 3);
    }

    #[action]
    fn s1_exit(&mut self) {
        self.0.add(12, 2, 5);
    }

    #[action]
    fn s1_initial(&mut self) {
        self.0.add(3, 1, 2);
    }

    #[superstate(
        superstate = s1,
        initial = State::s4(),
        initial_action = s2_initial,
        entry_action = s2_entry,
    )]
    fn s2(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::I(n) => {
                if self.0.guard(25, self.0.v[0] >= 5) {
                    return Transition(State::s4());
                }
                if self.0.guard(26, self.0.v[2] >= 4) {
                    self.0.set(27, 1, n);
                    return Handled;
                }
                Transition(State::s2())
            }
            Event::A => {
                Transition(State::s8(), |this| this.0.add(28, 2, 3))
            }
            Event::F => {
                if self.0.guard(29, self.0.v[2] >= 5) {
                    self.0.add(30, 0, 1);
                    return Transition(State::s2());
                }
                Local(State::s2())
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.add(24, 2, 1);
    }

    #[action]
    fn s2_initial(&mut self) {
        self.0.add(4, 1, 3);
    }

    #[superstate(
        superstate = s2,
        initial = State::s4(),
        entry_action = s3_entry,
        exit_action = s3_exit,
    )]
    fn s3(event: Event) -> Outcome<State> {
        match event {
            Event::C => {
                Transition(State::s6())
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.add(31, 0, 4);
    }

    #[action]
    fn s3_exit(&mut self) {
        self.0.add(32, 2, 2);
    }

    #[superstate(
        superstate = s3,
        initial = State::s6(),
        entry_action = s4_entry,
        exit_action = s4_exit,
        after = (self.0.timer(80), 4),
    )]
    fn s4(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::E if self.0.guard(35, self.0.v[1] >= 6) => {
                self.0.add(36, 0, 2);
                Transition(State::s8())
            }
            Event::E if self.0.guard(37, self.0.v[2] >= 5) => {
                Transition(State::s1())
            }
            Event::E => {
                Handled
            }
            Event::H(n) => {
                if self.0.guard(38, self.0.v[0] >= 5) {
                    return Transition(State::s7());
                }
                if self.0.guard(39, self.0.v[1] >= 5) {
                    self.0.set(40, 0, n);
                    return History(State::s0());
                }
                Transition(State::s2(), |this| this.0.add(41, 2, 1))
            }
            _ => Super,
        }
    }

    #[action]
    fn s4_entry(&mut self) {
        self.0.add(33, 2, 2);
    }

    #[action]
    fn s4_exit(&mut self) {
        self.0.add(34, 0, 5);
    }

    #[state(
        superstate = s0,
        entry_action = s5_entry,
        exit_action = s5_exit,
    )]
    fn s5(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::B => {
                if self.0.guard(44, self.0.v[1] >= 1) {
                    return DeepHistory(State::s2());
                }
                Super
            }
            Event::A => {
                self.0.add(45, 2, 3);
                Transition(State::s6())
            }
            Event::I(_) => {
                Transition(State::s6(), |this| this.0.add(79, 2, 2))
            }
            _ => Super,
        }
    }

    #[action]
    fn s5_entry(&mut self) {
        self.0.add(42, 1, 2);
    }

    #[action]
    fn s5_exit(&mut self) {
        self.0.add(43, 0, 2);
    }

    #[state(
        superstate = s4,
        exit_action = s6_exit,
    )]
    fn s6(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::C if self.0.guard(47, self.0.v[2] >= 6) => {
                Transition(State::s6())
            }
            Event::C if self.0.guard(48, self.0.v[2] >= 3) => {
                Local(State::s3())
            }
            Event::C => {
                Transition(State::s6(), |this| this.0.add(49, 1, 2))
            }
            Event::D if self.0.guard(50, self.0.v[1] >= 6) => {
                self.0.add(51, 1, 4);
                Transition(State::s1())
            }
            Event::D if self.0.guard(52, self.0.v[2] >= 5) => {
                self.0.add(53, 1, 2);
                DeepHistory(State::s0(), |this| this.0.add(54, 1, 4))
            }
            Event::D => {
                Handled
            }
            Event::A => {
                self.0.add(55, 0, 5);
                Handled
            }
            Event::E if self.0.guard(56, self.0.v[1] >= 5) => {
                Handled
            }
            Event::E => {
                Transition(State::s6(), |this| this.0.act(57))
            }
            Event::G(_) => {
                Transition(State::s8())
            }
            _ => Super,
        }
    }

    #[action]
    fn s6_exit(&mut self) {
        self.0.add(46, 0, 2);
    }

    #[superstate(
        initial = State::s8(),
        entry_action = s7_entry,
        exit_action = s7_exit,
    )]
    fn s7(event: Event) -> Outcome<State> {
        match event {
            Event::I(_) => {
                Local(State::s8(), |this| this.0.add(60, 0, 3))
            }
            _ => Super,
        }
    }

    #[action]
    fn s7_entry(&mut self) {
        self.0.add(58, 1, 1);
    }

    #[action]
    fn s7_exit(&mut self) {
        self.0.add(59, 2, 2);
    }

    #[state(
        superstate = s7,
        entry_action = s8_entry,
        on_completion = s8_next,
    )]
    fn s8(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::D => {
                if self.0.guard(62, self.0.v[1] >= 4) {
                    self.0.add(63, 2, 5);
                    Transition(State::s8())
                } else {
                    History(State::s2(), |this| this.0.act(64))
                }
            }
            Event::B if self.0.guard(65, self.0.v[0] >= 4) => {
                self.0.add(66, 0, 1);
                Transition(State::s6())
            }
            Event::B => {
                DeepHistory(State::s3())
            }
            Event::H(n) => {
                if self.0.guard(67, n >= 1) {
                    return DeepHistory(State::s0());
                }
                if self.0.guard(68, self.0.v[1] >= 3) {
                    self.0.add(69, 1, 4);
                    return Handled;
                }
                self.0.add(70, 0, 4);
                Transition(State::s8())
            }
            Event::A => {
                self.0.add(71, 1, 4);
                DeepHistory(State::s3(), |this| this.0.act(72))
            }
            Event::G(1) => {
                if self.0.guard(73, self.0.v[2] >= 3) {
                    self.0.act(74);
                    Transition(State::s3())
                } else {
                    Handled
                }
            }
            Event::G(_) if self.0.guard(75, self.0.v[1] >= 4) => {
                self.0.add(76, 0, 1);
                History(State::s2())
            }
            Event::G(_) => {
                self.0.add(77, 1, 4);
                Handled
            }
            Event::F => {
                Transition(State::s5())
            }
            _ => Super,
        }
    }

    #[action]
    fn s8_entry(&mut self) {
        self.0.add(61, 2, 2);
    }

    fn s8_next(&mut self) -> Outcome<State> {
        self.0.act(78);
        Transition(State::s3())
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
        self.machine.dispatch(event);
        true
    }

    fn leaf(&self) -> (u16, u8) {
        match self.machine.state() {
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
    EDH0FCFI3H2AAFDI0I3CI1H2AH2CDI3DG3CI0ACCEBCBDI2FBDDCFDI2FI2BCI2BI1ECDDECI1H0DFBEAH1ADH3H0D\
    EG3I3H3G3FI2BH2I0DG0G0FDBBAH3AFH2H1CH1DI2BBEEG2AFDEECI3DDI0H0BCH3EFECADFH3EH2I2EG2FG3FDBH1\
    I3CDBAG3FECI2H2H2G3I3EH2AEEI1FDG3CFG2EEFDDFBG1G3CADDBG3BI3FH2H3BI1H2AFCEG1FCBH1BH3EH0EI2CF\
    EDH2ACH0I3EI2H3EAEAG2AEBEDDDCFI0H1DACECEEEFG3I1BBDBBI0H3G2BECDAEBI1CADEG1H2AADH3H0G1FEDEAC\
    ACACDBG2AEH0CH0CI1BAH3CBBBH2G1I1BBDI0BEFCG1I1EFBCEFI2G1DEDH2FEFAH1BEBI1BH2I0FBG2H3BAFCAEEC\
    DCFCADBFH1BI0CFH0DH3CDH0DEDBCI0DEFI1EBEBH2H0DEG1CCI1CH0CH1CFBABCI3H2FDDDG3H0\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0x6987bd55, 0x3556341a, 0x748f8a31, 0x5ed5d341, 0x42805b69, 0x59994006, 0x3c1fb401,
    0xf294e889, 0x3f68d56f, 0x47f8440a, 0x609c5b9c, 0x3cd852f4, 0x2f8e171d, 0x0011dc00,
    0x188338c7, 0xa985de38, 0x3b254892, 0xf55186a0, 0x4008b2df, 0xef55b020,
];
