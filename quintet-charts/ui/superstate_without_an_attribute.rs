//! Refused: a superstate that is not marked.
#[state_machine(initial = State::idle())]
impl Door {
    #[state(superstate = working)]
    fn idle(event: &Event) -> Outcome<State> {
        Transition(State::open())
    }

    #[state(superstate = working)]
    fn open(event: &Event) -> Outcome<State> {
        Transition(State::idle())
    }

    fn working(event: &Event) -> Outcome<State> {
        Super
    }
}
