//! Operations: one step of a context's script.

/// One step of a context. The numbers of [`word`](Self::word) are the interpreter's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the variants say what they are")]
pub enum Operation {
    End,
    Give(u8),
    Take(u8),
    TryTake(u8),
    Yield,
    Suspend(u8),
    Resume(u8),
    Start(u8),
    Join(u8),
    Await,
    AwaitItself,
    Park,
    ParkUntil(u8),
    JoinUntil { thread: u8, ticks: u8 },
    Wake(u8),
    Available(u8),
    State(u8),
    SetFlags(u8),
    WaitFlags { mask: u8, all: bool, take: bool },
    ClearFlags(u8),
    GetFlags,
    Lock(u8),
    Unlock(u8),
    SetPriority { thread: u8, priority: u8 },
    Send(u8),
    Receive,
    TrySend(u8),
    TryReceive,
    Delay(u8),
    TakeUntil { semaphore: u8, ticks: u8 },
    Tick(u8),
    TryLock(u8),
    LockUntil { mutex: u8, ticks: u8 },
    WaitFlagsUntil { mask: u8, all: bool, take: bool, ticks: u8 },
    WaitChange(u8),
    WaitChangeUntil { mutex: u8, ticks: u8 },
    NotifyOne,
    NotifyAll,
    Read,
    Write,
    ReadUntil(u8),
    WriteUntil(u8),
    TryRead,
    TryWrite,
    LeaveRw,
    GlanceRead,
    GlanceWrite,
    Signal(u8),
    WaitSignal,
    WaitSignalUntil(u8),
    TrySignal,
    Post(u8),
    PostUntil { message: u8, ticks: u8 },
    TryPost(u8),
    Replace(u8),
    TakeMail,
    TakeMailUntil(u8),
    TryTakeMail,
    Arrive,
    Meet,
    StartTimer(u8),
    StartPeriodic(u8),
    StopTimer,
    TakeTurns,
    Unpark(u8),
    SendUntil { message: u8, ticks: u8 },
    ReceiveUntil(u8),
    Enter(u8),
    Exit,
    Alloc(u8),
    TryAlloc(u8),
    Free(u8),
    Host,
    Spawn(u8),
    WakeTask(u8),
    SetOwn { thread: u8, flags: u8 },
    ClearOwn { thread: u8, flags: u8 },
    WaitOwn { mask: u8, all: bool, take: bool },
    WaitOwnUntil { mask: u8, all: bool, take: bool, ticks: u8 },
    AllocUntil { value: u8, ticks: u8 },
    PostEvent { actor: u8, event: u8 },
    PostFront { actor: u8, event: u8 },
    PostMargin { actor: u8, event: u8, free: u8 },
    StopActor(u8),
    StartActor(u8),
    StartActorWith { actor: u8, event: u8 },
    RestartActor(u8),
    RestartActorWith { actor: u8, event: u8 },
    Fill(u8),
}

/// The number by which an actor logs its event.
pub const HANDLES: u8 = 87;

impl Operation {
    /// Returns the interpreter's word for the operation: its number, an object, and more in the
    /// upper half.
    #[must_use]
    pub fn word(self) -> u32 {
        let (object, more) = self.operands();
        u32::from(self.number()) | u32::from(object) << 8 | more << 16
    }

    /// Returns the operation's number, by which it is logged.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::End => 0,
            Self::Give(_) => 1,
            Self::Take(_) => 2,
            Self::TryTake(_) => 3,
            Self::Yield => 4,
            Self::Suspend(_) => 5,
            Self::Resume(_) => 6,
            Self::Start(_) => 7,
            Self::Join(_) => 8,
            Self::Await => 9,
            Self::Wake(_) => 10,
            Self::Available(_) => 11,
            Self::State(_) => 12,
            Self::SetFlags(_) => 13,
            Self::WaitFlags { .. } => 14,
            Self::ClearFlags(_) => 15,
            Self::GetFlags => 16,
            Self::Lock(_) => 17,
            Self::Unlock(_) => 18,
            Self::SetPriority { .. } => 19,
            Self::Send(_) => 20,
            Self::Receive => 21,
            Self::TrySend(_) => 22,
            Self::TryReceive => 23,
            Self::Delay(_) => 24,
            Self::TakeUntil { .. } => 25,
            Self::Tick(_) => 26,
            Self::TryLock(_) => 27,
            Self::LockUntil { .. } => 28,
            Self::WaitFlagsUntil { .. } => 29,
            Self::WaitChange(_) => 30,
            Self::WaitChangeUntil { .. } => 31,
            Self::NotifyOne => 32,
            Self::NotifyAll => 33,
            Self::Read => 34,
            Self::Write => 35,
            Self::ReadUntil(_) => 36,
            Self::WriteUntil(_) => 37,
            Self::TryRead => 38,
            Self::TryWrite => 39,
            Self::LeaveRw => 40,
            Self::GlanceRead => 41,
            Self::GlanceWrite => 42,
            Self::Signal(_) => 43,
            Self::WaitSignal => 44,
            Self::WaitSignalUntil(_) => 45,
            Self::TrySignal => 46,
            Self::Post(_) => 47,
            Self::PostUntil { .. } => 48,
            Self::TryPost(_) => 49,
            Self::Replace(_) => 50,
            Self::TakeMail => 51,
            Self::TakeMailUntil(_) => 52,
            Self::TryTakeMail => 53,
            Self::Arrive => 54,
            Self::Meet => 55,
            Self::StartTimer(_) => 56,
            Self::StartPeriodic(_) => 57,
            Self::StopTimer => 58,
            Self::TakeTurns => 59,
            Self::Unpark(_) => 60,
            Self::SendUntil { .. } => 61,
            Self::ReceiveUntil(_) => 62,
            _ => self.later_number(),
        }
    }

    /// Returns the numbers of later operations: sections, the pool, tasks, threads' own flags,
    /// actors.
    const fn later_number(self) -> u8 {
        match self {
            Self::Enter(_) => 63,
            Self::Exit => 64,
            Self::Alloc(_) => 65,
            Self::TryAlloc(_) => 66,
            Self::Free(_) => 67,
            Self::Host => 68,
            Self::Spawn(_) => 69,
            Self::WakeTask(_) => 70,
            Self::SetOwn { .. } => 71,
            Self::ClearOwn { .. } => 72,
            Self::WaitOwn { .. } => 73,
            Self::WaitOwnUntil { .. } => 74,
            Self::Park => 76,
            Self::ParkUntil(_) => 77,
            Self::JoinUntil { .. } => 78,
            Self::AwaitItself => 79,
            Self::PostEvent { .. } => 80,
            Self::PostFront { .. } => 81,
            Self::PostMargin { .. } => 82,
            Self::StopActor(_) => 83,
            Self::StartActor(_) => 84,
            Self::StartActorWith { .. } => 85,
            Self::Fill(_) => 86,
            Self::RestartActor(_) => 88,
            Self::RestartActorWith { .. } => 89,
            _ => 75,
        }
    }

    /// Returns the operation's time limit, if it has one.
    #[must_use]
    pub const fn ticks(self) -> Option<u8> {
        match self {
            Self::Delay(ticks)
            | Self::ParkUntil(ticks)
            | Self::JoinUntil { ticks, .. }
            | Self::TakeUntil { ticks, .. }
            | Self::LockUntil { ticks, .. }
            | Self::WaitFlagsUntil { ticks, .. }
            | Self::WaitOwnUntil { ticks, .. }
            | Self::WaitChangeUntil { ticks, .. }
            | Self::ReadUntil(ticks)
            | Self::WriteUntil(ticks)
            | Self::WaitSignalUntil(ticks)
            | Self::PostUntil { ticks, .. }
            | Self::TakeMailUntil(ticks)
            | Self::SendUntil { ticks, .. }
            | Self::AllocUntil { ticks, .. }
            | Self::ReceiveUntil(ticks) => Some(ticks),
            _ => None,
        }
    }

    /// Returns the operation's object or value, and its other operand.
    fn operands(self) -> (u8, u32) {
        match self {
            Self::Give(object)
            | Self::Take(object)
            | Self::TryTake(object)
            | Self::Suspend(object)
            | Self::Resume(object)
            | Self::Start(object)
            | Self::Join(object)
            | Self::Wake(object)
            | Self::Unpark(object)
            | Self::Available(object)
            | Self::State(object)
            | Self::SetFlags(object)
            | Self::ClearFlags(object)
            | Self::Lock(object)
            | Self::Unlock(object)
            | Self::TryLock(object)
            | Self::WaitChange(object)
            | Self::Send(object)
            | Self::TrySend(object)
            | Self::Signal(object)
            | Self::Post(object)
            | Self::TryPost(object)
            | Self::Replace(object)
            | Self::Tick(object)
            | Self::StartTimer(object)
            | Self::StartPeriodic(object)
            | Self::Enter(object)
            | Self::Alloc(object)
            | Self::TryAlloc(object)
            | Self::Free(object)
            | Self::Spawn(object)
            | Self::WakeTask(object)
            | Self::StopActor(object)
            | Self::StartActor(object)
            | Self::RestartActor(object)
            | Self::Fill(object)
            | Self::Delay(object) => (object, 0),
            Self::SetPriority { thread: object, priority: other }
            | Self::SetOwn { thread: object, flags: other }
            | Self::ClearOwn { thread: object, flags: other }
            | Self::PostEvent { actor: object, event: other }
            | Self::PostFront { actor: object, event: other }
            | Self::StartActorWith { actor: object, event: other }
            | Self::RestartActorWith { actor: object, event: other } => (object, other.into()),
            Self::TakeUntil { semaphore: object, ticks }
            | Self::JoinUntil { thread: object, ticks }
            | Self::LockUntil { mutex: object, ticks }
            | Self::WaitChangeUntil { mutex: object, ticks }
            | Self::PostUntil { message: object, ticks }
            | Self::SendUntil { message: object, ticks }
            | Self::AllocUntil { value: object, ticks } => (object, ticks.into()),
            Self::PostMargin { actor, event, free } => (actor, halves(event, free)),
            Self::ReadUntil(ticks)
            | Self::ParkUntil(ticks)
            | Self::WriteUntil(ticks)
            | Self::WaitSignalUntil(ticks)
            | Self::TakeMailUntil(ticks)
            | Self::ReceiveUntil(ticks) => (0, ticks.into()),
            Self::WaitFlags { mask, all, take } | Self::WaitOwn { mask, all, take } => {
                (mask, kind(all, take))
            }
            Self::WaitFlagsUntil { mask, all, take, ticks }
            | Self::WaitOwnUntil { mask, all, take, ticks } => {
                (mask, kind(all, take) << 8 | u32::from(ticks))
            }
            _ => (0, 0),
        }
    }
}

/// Returns the kind of a wait for flags: all or any, and whether it takes them.
fn kind(all: bool, take: bool) -> u32 {
    u32::from(all) | u32::from(take) << 1
}

/// Two bytes, the lower one first.
fn halves(low: u8, high: u8) -> u32 {
    u32::from(low) | u32::from(high) << 8
}
