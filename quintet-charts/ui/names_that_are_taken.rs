//! Refused: names that the machine itself has.
#[state_machine(initial = State::machine())]
impl Door {
    #[state]
    fn machine(&mut self, event: &Event) -> Outcome<State> {
        Transition(State::_self())
    }

    #[state]
    fn _self(&mut self, event: &Event) -> Outcome<State> {
        Transition(State::machine())
    }
}
