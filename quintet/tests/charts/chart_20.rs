//! Printed by `cargo xtask charts --write`: a random chart, its events, and what the rules
//! say of them.

use quintet::chart::prelude::*;

use super::support::{Context, Driven, Event, Recorder};

/// The machine.
pub struct Chart(Recorder);

#[quintet::state_machine(
    initial = State::s0(),
    deferred = 3,
)]
impl Chart {
    #[superstate(
        initial = State::s1(),
        initial_action = s0_initial,
        exit_action = s0_exit,
    )]
    fn s0(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::B => {
                self.0.add(5, 0, 5);
                Handled
            }
            Event::D => {
                if self.0.guard(6, self.0.v[1] >= 1) {
                    self.0.act(7);
                    return Local(State::s0());
                }
                if self.0.guard(8, self.0.v[0] >= 3) {
                    self.0.add(9, 1, 3);
                    return Transition(State::s3(5), |this| this.0.add(10, 0, 1));
                }
                Transition(State::s0())
            }
            _ => Super,
        }
    }

    #[action]
    fn s0_exit(&mut self) {
        self.0.add(4, 2, 3);
    }

    #[action]
    fn s0_initial(&mut self) {
        self.0.act(2);
    }

    #[state(
        superstate = s0,
    )]
    fn s1(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::I(_) => {
                self.0.add(11, 0, 2);
                Deferred
            }
            Event::D => {
                if self.0.guard(12, self.0.v[1] >= 1) {
                    Deferred
                } else if self.0.guard(13, self.0.v[2] >= 6) {
                    Transition(State::s1())
                } else {
                    Super
                }
            }
            Event::C => {
                Transition(State::s3(6))
            }
            _ => Super,
        }
    }

    #[superstate(
        initial = State::s3(5),
        initial_action = s2_initial,
        entry_action = s2_entry,
        exit_action = s2_exit,
        defer = [Event::G(1)],
    )]
    fn s2(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::F => {
                if self.0.guard(16, self.0.v[2] >= 2) {
                    self.0.add(17, 2, 5);
                    return Local(State::s3(3), |this| this.0.add(18, 0, 4));
                }
                Transition(State::s2(), |this| this.0.add(19, 1, 5))
            }
            Event::D => {
                if self.0.guard(20, self.0.v[0] >= 7) {
                    Local(State::s2())
                } else {
                    self.0.add(21, 2, 5);
                    Handled
                }
            }
            _ => Super,
        }
    }

    #[action]
    fn s2_entry(&mut self) {
        self.0.add(14, 2, 3);
    }

    #[action]
    fn s2_exit(&mut self) {
        self.0.act(15);
    }

    #[action]
    fn s2_initial(&mut self) {
        self.0.act(3);
    }

    #[state(
        superstate = s2,
        entry_action = s3_entry,
    )]
    fn s3(&mut self, own: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::H(n) => {
                self.0.set(23, 2, *n);
                Handled
            }
            Event::A => {
                if self.0.guard(24, self.0.v[1] >= 4) {
                    return Transition(State::s3(2), |this| this.0.add(25, 0, 5));
                }
                Transition(State::s3(self.0.v[1]))
            }
            Event::E if self.0.guard(26, self.0.v[0] >= 5) => {
                self.0.add(27, 2, 2);
                Super
            }
            Event::E => {
                self.0.add(28, 1, 5);
                Transition(State::s1())
            }
            Event::G(_) => {
                Transition(State::s1())
            }
            _ => Super,
        }
    }

    #[action]
    fn s3_entry(&mut self) {
        self.0.act(22);
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
            State::S1 => (1, 0),
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
    .I1I1AH1H0I2FCCH2G2EH2CADDDACDH1CCI3G3I3BCG2ACCG0CCG1G2AI2FI0FDFFFH1DI1G1G1FFAI2CAEI2ADH2G\
    3I2H3CG3CDI3G0EG0EEECEADDH3H0FG3DADH1CG3I0BCEI2BI0FI3I1FAG1DCCECEDCH1G0BI2I1I0EH0G3FBAAFI3\
    FBDEFECH2I3I0ACH3CDH0CEBFFG0FEI2DI2AFBH3EAEH2H2G2I0I0ACI3CCBFFFAFEDH1H0ECFCDI0BI1AG3G3G0H2\
    DAACECCI3I3G0ECFH0BFABBH2I0H2G3I0G2EEI3BH2FCH3DDBH1EH2FDI2FBI0ABFDEEAACH2DCDFCDBI0EG0H0CAB\
    DI2G3I0CFEBH2H2BI1FECDCCH2AI0BFCI3CH2EH0AFI0DDH2AEBG1AAEACDDBDI1I1FDH0DBH2CCFAEADCFDABEAAH\
    1H3CBDDFAFG0H0DCFFG2EBI1CH2AI1I3G1DEI3I3FCCFFH1EDCFI2I2G2CEEI2G2FFH2BBG0FDG1BDACEI3DCC\
";

/// A digest of what is seen in each 20 steps.
pub const SEEN: &[u32] = &[
    0xf5aadc4e, 0x1370b25b, 0x2093bbb6, 0x355af44e, 0x3751d99e, 0x0e9ff085, 0x54b459d9,
    0x99497a2a, 0xb3307cf5, 0x02348ab4, 0xd118eedd, 0x0e3438cf, 0xa7e5b9ab, 0x02ccb451,
    0xc8a9cb51, 0xc9b1aa78, 0x99c0bfeb, 0x23344b38, 0x7e634397, 0x6b5b08eb, 0x8007d9c6,
];
