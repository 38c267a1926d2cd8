//! The commands of a line: an action and a process, by its name or its index.

use ::core::fmt;

use super::line::{INPUT_MAX, LINE_MAX, Unreadable};

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// The line is empty.
    Nothing,
    /// Shows the commands.
    Help,
    /// Lists all processes.
    List,
    /// Shows the memory and the flash of all processes.
    Memory,
    /// An action on one process.
    Of(Action, Target<'a>),
}

/// An action on a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Stops the process.
    Stop,
    /// Starts the process.
    Start,
    /// Ends the process.
    Terminate,
    /// Restarts the process.
    Restart,
    /// Shows the last fault of the process.
    Fault,
}

/// The process of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// By its place.
    Index(usize),
    /// By its name.
    Name(&'a str),
}

/// The problem with a line. Its `Display` tells the user what to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem<'a> {
    /// There is no such command.
    Unknown(&'a str),
    /// The command needs a process, and the line names none.
    NoTarget(&'a str),
    /// The line has more words than the command needs.
    TooMuch(&'a str),
    /// The line can't be read.
    Unreadable(Unreadable),
}

/// The commands that need a process.
const ACTIONS: [(&str, Action); 5] = [
    ("stop", Action::Stop),
    ("start", Action::Start),
    ("terminate", Action::Terminate),
    ("restart", Action::Restart),
    ("fault", Action::Fault),
];

/// The text of `help`.
pub const HELP: &str = "\
list                  all processes and how they stand
memory                where their memory and flash are
stop NAME or INDEX    it doesn't run until it is started
start NAME or INDEX   it goes on where it was stopped
terminate NAME or INDEX   it ends
restart NAME or INDEX     it starts anew, also one that has ended
fault NAME or INDEX   the last fault that was noted of it
help                  this";

/// Reads a line.
pub fn read(line: Result<&str, Unreadable>) -> Result<Command<'_>, Problem<'_>> {
    let mut words = line.map_err(Problem::Unreadable)?.split_ascii_whitespace();
    let Some(name) = words.next() else { return Ok(Command::Nothing) };
    let target = words.next();
    let of_all = match name {
        "help" => Some(Command::Help),
        "list" => Some(Command::List),
        "memory" => Some(Command::Memory),
        _ => None,
    };
    let more = if of_all.is_some() { target } else { words.next() };
    if let Some(more) = more {
        return Err(Problem::TooMuch(more));
    }
    if let Some(command) = of_all {
        return Ok(command);
    }
    let found = ACTIONS.into_iter().find(|(action, _)| *action == name);
    let (_, action) = found.ok_or(Problem::Unknown(name))?;
    let target = target.ok_or(Problem::NoTarget(name))?;
    let target = target.parse().map_or(Target::Name(target), Target::Index);
    Ok(Command::Of(action, target))
}

impl fmt::Display for Problem<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => write!(
                formatter,
                "there is no command `{name}`: list, memory, stop, start, terminate, restart, \
                 fault and help are"
            ),
            Self::NoTarget(name) => write!(
                formatter,
                "`{name}` is for one process: write its name or index behind it, as `list` shows \
                 them"
            ),
            Self::TooMuch(word) => {
                write!(formatter, "nothing may follow where `{word}` is: leave it out")
            }
            Self::Unreadable(Unreadable::TooLong) => {
                write!(formatter, "a line has {LINE_MAX} bytes at most; this one was dropped")
            }
            Self::Unreadable(Unreadable::Lost) => write!(
                formatter,
                "bytes of one line or more were lost, so nothing of these lines was executed: \
                 write them again; there is room for {INPUT_MAX} bytes that aren't served yet"
            ),
            Self::Unreadable(Unreadable::NoText) => formatter.write_str(
                "a line is text in UTF-8 without control characters; this one was dropped",
            ),
        }
    }
}

impl fmt::Display for Target<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => write!(formatter, "process {index}"),
            Self::Name(name) => formatter.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Action, Command, HELP, Problem, Target, Unreadable, read};

    #[test]
    fn commands_are_read() {
        for (line, command) in [
            ("", Command::Nothing),
            ("  ", Command::Nothing),
            ("help", Command::Help),
            (" list ", Command::List),
            ("memory", Command::Memory),
            ("stop blink", Command::Of(Action::Stop, Target::Name("blink"))),
            ("start  12", Command::Of(Action::Start, Target::Index(12))),
            ("terminate 1x", Command::Of(Action::Terminate, Target::Name("1x"))),
            ("restart a-b", Command::Of(Action::Restart, Target::Name("a-b"))),
            ("fault 0", Command::Of(Action::Fault, Target::Index(0))),
        ] {
            assert_eq!(read(Ok(line)), Ok(command), "{line}");
        }
    }

    #[test]
    fn what_is_wrong_says_what_to_write() {
        let said = |line| read(line).expect_err("it is wrong").to_string();
        assert!(said(Ok("ps")).starts_with("there is no command `ps`: list, memory, stop,"));
        assert_eq!(
            said(Ok("stop")),
            "`stop` is for one process: write its name or index behind it, as `list` shows them"
        );
        assert_eq!(said(Ok("list all")), "nothing may follow where `all` is: leave it out");
        assert_eq!(said(Ok("stop a b")), "nothing may follow where `b` is: leave it out");
        assert_eq!(read(Ok("stop a b")), Err(Problem::TooMuch("b")));
        assert!(said(Err(Unreadable::TooLong)).contains("64 bytes at most"));
        assert!(said(Err(Unreadable::NoText)).contains("UTF-8"));
        let lost = said(Err(Unreadable::Lost));
        assert!(lost.starts_with("bytes of one line or more were lost, so nothing of"), "{lost}");
        assert!(lost.ends_with("there is room for 65 bytes that aren't served yet"), "{lost}");
    }

    #[test]
    fn help_has_each_command_and_each_is_read() {
        for line in HELP.lines() {
            let name = line.split(' ').next().expect("it has a word");
            let result = read(Ok(name));
            assert!(!matches!(result, Err(Problem::Unknown(_))), "{name}");
        }
        for name in super::ACTIONS.map(|(name, _)| name) {
            assert!(HELP.lines().any(|line| line.starts_with(name)), "{name}");
        }
    }
}
