//! The conversations that are in memory: those in use, and of the idle ones as many as there is room for, the
//! last used first.

use std::collections::HashMap;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forge_core::conversation::{Conversation, ConversationId, Window};

/// What a conversation takes besides its content, in bytes.
const ROOM_BYTES: usize = 512;

pub(super) struct Memory {
    window: Window,
    /// How much may be idle, in bytes.
    limit: usize,
    rooms: Mutex<Rooms>,
}

#[derive(Default)]
struct Rooms {
    by_id: HashMap<ConversationId, Entry>,
    /// Of all rooms together.
    bytes: usize,
    /// How often a seat was taken.
    taken: u64,
}

struct Entry {
    room: Arc<Room>,
    bytes: usize,
    seats: usize,
    /// [`Rooms::taken`] when a seat was taken last.
    last_taken: u64,
}

/// One conversation.
pub(super) struct Room {
    /// Whose turn it is. Waiting is fair.
    pub(super) turn: Arc<tokio::sync::Mutex<()>>,
    /// What was read so far. Held only while the store is asked.
    pub(super) conversation: tokio::sync::Mutex<Conversation>,
    bytes: AtomicUsize,
}

/// The right to use a conversation. As long as there is one, it stays in memory.
pub(super) struct Seat {
    memory: Arc<Memory>,
    id: ConversationId,
    room: Arc<Room>,
}

impl Memory {
    pub(super) fn new(window: Window, limit: usize) -> Arc<Self> {
        Arc::new(Self {
            window,
            limit,
            rooms: Mutex::default(),
        })
    }

    pub(super) fn seat(self: &Arc<Self>, id: &ConversationId) -> Seat {
        let mut rooms = self.rooms();
        rooms.taken += 1;
        let taken = rooms.taken;
        if !rooms.by_id.contains_key(id) {
            rooms.bytes += ROOM_BYTES;
        }
        let entry = rooms
            .by_id
            .entry(id.clone())
            .or_insert_with(|| Entry::new(self.window));
        entry.seats += 1;
        entry.last_taken = taken;
        Seat {
            memory: Arc::clone(self),
            id: id.clone(),
            room: Arc::clone(&entry.room),
        }
    }

    fn rooms(&self) -> MutexGuard<'_, Rooms> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    pub(super) fn id(&self) -> &ConversationId {
        &self.id
    }

    pub(super) fn room(&self) -> &Room {
        &self.room
    }

    /// The conversation before its first event.
    pub(super) fn empty(&self) -> Conversation {
        Conversation::new(self.memory.window)
    }

    /// Notes how large the conversation is now.
    pub(super) fn measure(&self, conversation: &Conversation) {
        let bytes = ROOM_BYTES + conversation.bytes();
        self.room.bytes.store(bytes, Ordering::Relaxed);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let bytes = self.room.bytes.load(Ordering::Relaxed);
        let mut rooms = self.memory.rooms();
        if let Some(entry) = rooms.by_id.get_mut(&self.id) {
            entry.seats -= 1;
            let before = mem::replace(&mut entry.bytes, bytes);
            rooms.bytes = rooms.bytes - before + bytes;
        }
        let forgotten = rooms.make_room(self.memory.limit);
        // Freeing them takes a while: nobody needs to wait for that.
        drop(rooms);
        drop(forgotten);
    }
}

impl Rooms {
    /// Takes out idle conversations if there are more than `limit` bytes, somewhat more than need be, so that
    /// it is not done at every turn.
    fn make_room(&mut self, limit: usize) -> Vec<Entry> {
        if self.bytes <= limit {
            return Vec::new();
        }
        let idle = self.by_id.iter().filter(|(_, entry)| entry.seats == 0);
        let mut idle: Vec<(u64, ConversationId)> = idle
            .map(|(id, entry)| (entry.last_taken, id.clone()))
            .collect();
        idle.sort_unstable();
        let mut forgotten = Vec::new();
        for (_, id) in idle {
            if self.bytes <= limit - limit / 8 {
                break;
            }
            if let Some(entry) = self.by_id.remove(&id) {
                self.bytes -= entry.bytes;
                forgotten.push(entry);
            }
        }
        forgotten
    }
}

impl Entry {
    fn new(window: Window) -> Self {
        Self {
            room: Arc::new(Room {
                turn: Arc::default(),
                conversation: tokio::sync::Mutex::new(Conversation::new(window)),
                bytes: AtomicUsize::new(ROOM_BYTES),
            }),
            bytes: ROOM_BYTES,
            seats: 0,
            last_taken: 0,
        }
    }
}

#[cfg(test)]
mod tests;
