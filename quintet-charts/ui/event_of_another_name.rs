//! Refused: an event under another name.
#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(evt: &Event) -> Outcome<State> {
        Transition(State::open())
    }

    #[state]
    fn open(event: &Event) -> Outcome<State> {
        Transition(State::idle())
    }
}
