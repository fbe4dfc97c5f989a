//! Streams: queues of commands that run in order, each by itself, and wait for one another where events say so.

use std::collections::VecDeque;

use super::MemoryError;
use crate::memory::allocation::{Span, unique};

/// A queue of commands of one [`MemoryPool`](super::MemoryPool), whose bytes are the host's. Its commands run in the order in
/// which they were given, when somebody waits for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stream {
    owner: u64,
    number: usize,
}

/// A point of a [`Stream`] of host commands: all that it had been given when the event was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Event {
    stream: Stream,
    commands: u64,
}

/// What a stream does. Lengths were checked when it was given.
#[derive(Debug)]
pub(super) enum Command {
    Write { to: Span, bytes: Box<[u8]> },
    Copy { from: Span, to: Span },
    Fill { to: Span, value: u8 },
    Wait(Event),
}

impl Command {
    fn spans(&self) -> [Option<Span>; 2] {
        match *self {
            Command::Write { to, .. } | Command::Fill { to, .. } => [Some(to), None],
            Command::Copy { from, to } => [Some(from), Some(to)],
            Command::Wait(_) => [None, None],
        }
    }
}

/// What one stream has left to do.
#[derive(Debug, Default)]
struct Queue {
    pending: VecDeque<Command>,
    done: u64,
}

impl Queue {
    fn given(&self) -> u64 {
        self.done + self.pending.len() as u64
    }
}

/// The streams of a pool.
#[derive(Debug)]
pub(super) struct Streams {
    owner: u64,
    queues: Vec<Queue>,
}

impl Streams {
    pub(super) fn new() -> Self {
        Self { owner: unique(), queues: Vec::new() }
    }

    pub(super) fn create(&mut self) -> Stream {
        self.queues.push(Queue::default());
        Stream { owner: self.owner, number: self.queues.len() - 1 }
    }

    fn queue(&self, stream: Stream) -> Result<&Queue, MemoryError> {
        let foreign = MemoryError::Foreign { offset: stream.number as u64 };
        self.queues.get(stream.number).filter(|_| stream.owner == self.owner).ok_or(foreign)
    }

    pub(super) fn check(&self, stream: Stream) -> Result<(), MemoryError> {
        self.queue(stream).map(|_| ())
    }

    pub(super) fn push(&mut self, stream: Stream, command: Command) -> Result<(), MemoryError> {
        self.check(stream)?;
        if let Command::Wait(event) = &command {
            self.check(event.stream)?;
        }
        self.queues[stream.number].pending.push_back(command);
        Ok(())
    }

    /// The point behind everything that the stream was given.
    pub(super) fn record(&self, stream: Stream) -> Result<Event, MemoryError> {
        Ok(Event { stream, commands: self.queue(stream)?.given() })
    }

    /// The points behind everything that all streams were given.
    pub(super) fn record_all(&self) -> Vec<Event> {
        let stream = |number| Stream { owner: self.owner, number };
        let events = self.queues.iter().enumerate();
        events.map(|(number, queue)| Event { stream: stream(number), commands: queue.given() }).collect()
    }

    /// How many commands that have not run use memory of a span.
    pub(super) fn pending_on(&self, span: Span) -> u64 {
        let uses = |command: &&Command| command.spans().into_iter().flatten().any(|used| used.overlap(span) > 0);
        self.queues.iter().flat_map(|queue| &queue.pending).filter(uses).count() as u64
    }

    /// Takes the commands on the way to an event, in an order in which they may run. Events are recorded before anybody waits
    /// for them, so that no two streams wait for each other.
    pub(super) fn take(&mut self, until: Event) -> Vec<Command> {
        let (mut commands, mut goals) = (Vec::new(), vec![until]);
        while let Some(goal) = goals.last() {
            let number = goal.stream.number;
            if self.queues[number].done >= goal.commands {
                goals.pop();
                continue;
            }
            match self.queues[number].pending.front() {
                Some(Command::Wait(event)) if self.queues[event.stream.number].done < event.commands => {
                    goals.push(*event)
                }
                _ => {
                    commands.extend(self.queues[number].pending.pop_front());
                    self.queues[number].done += 1;
                }
            }
        }
        commands
    }
}
