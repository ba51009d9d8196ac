//! An engine that keeps everything in memory, for tests only.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use forge_core::store::{
    Appended, BlobDigest, BlobStore, Claim, Depth, Enqueued, EventLog, Hold, JobQueue, Leases,
    Moment, NewJob, Page, ReadBound, Recorded, Retry, Standing, StoreError, StreamHead, StreamName,
    check_size,
};
use sha2::{Digest, Sha256};

#[derive(Default)]
pub(super) struct MemoryStore {
    streams: Mutex<BTreeMap<StreamName, Vec<Vec<u8>>>>,
    jobs: Mutex<Vec<Job>>,
    blobs: Mutex<BTreeMap<BlobDigest, Vec<u8>>>,
    leases: Mutex<BTreeMap<String, (String, Moment)>>,
}

struct Job {
    job: NewJob,
    state: State,
    attempt: u32,
}

#[derive(PartialEq)]
enum State {
    Waiting,
    Claimed,
    Done,
    GivenUp,
}

impl Job {
    fn is_open(&self) -> bool {
        matches!(self.state, State::Waiting | State::Claimed)
    }
}

impl MemoryStore {
    fn change(&self, claim: &Claim, change: impl FnOnce(&mut Job)) -> Standing {
        let mut jobs = self.jobs.lock().unwrap();
        let claimed = jobs.iter_mut().find(|it| {
            (&it.job.queue, &it.job.id, it.attempt) == (&claim.queue, &claim.id, claim.attempt)
                && it.state == State::Claimed
        });
        match claimed {
            Some(job) => {
                change(job);
                Standing::Held
            }
            None => Standing::Lost,
        }
    }
}

#[async_trait]
impl EventLog for MemoryStore {
    async fn append(
        &self,
        stream: &StreamName,
        expected: u64,
        events: Vec<Vec<u8>>,
    ) -> Result<Appended, StoreError> {
        for event in &events {
            check_size("an event", event.len())?;
        }
        let mut streams = self.streams.lock().unwrap();
        let head = streams.get(stream).map_or(0, Vec::len) as u64;
        if head != expected {
            return Ok(Appended::Conflict { head });
        }
        if events.is_empty() {
            return Ok(Appended::At { head });
        }
        let kept = streams.entry(stream.clone()).or_default();
        kept.extend(events);
        Ok(Appended::At {
            head: kept.len() as u64,
        })
    }

    async fn read(
        &self,
        stream: &StreamName,
        after: u64,
        bound: ReadBound,
    ) -> Result<Page, StoreError> {
        let streams = self.streams.lock().unwrap();
        let kept = streams.get(stream).map_or(&[][..], Vec::as_slice);
        let mut bytes = 0;
        let events = (1..).zip(kept).filter(|(position, _)| *position > after);
        let events = events
            .enumerate()
            .take_while(|(index, (_, event))| {
                bytes += event.len();
                *index == 0 || (*index < bound.events && bytes <= bound.bytes)
            })
            .map(|(_, (position, event))| Recorded {
                position,
                event: event.clone(),
            })
            .collect();
        Ok(Page {
            events,
            head: kept.len() as u64,
        })
    }

    async fn head(&self, stream: &StreamName) -> Result<u64, StoreError> {
        let streams = self.streams.lock().unwrap();
        Ok(streams.get(stream).map_or(0, Vec::len) as u64)
    }

    async fn streams(
        &self,
        prefix: &str,
        after: Option<&StreamName>,
        limit: usize,
    ) -> Result<Vec<StreamHead>, StoreError> {
        let streams = self.streams.lock().unwrap();
        let wanted = streams.iter().filter(|(name, _)| {
            name.as_str().starts_with(prefix) && after.is_none_or(|after| *name > after)
        });
        let heads = wanted.take(limit).map(|(name, events)| StreamHead {
            name: name.clone(),
            last: Recorded {
                position: events.len() as u64,
                event: events.last().unwrap().clone(),
            },
        });
        Ok(heads.collect())
    }
}

#[async_trait]
impl JobQueue for MemoryStore {
    async fn enqueue(&self, job: NewJob) -> Result<Enqueued, StoreError> {
        check_size("a job", job.payload.len())?;
        let mut jobs = self.jobs.lock().unwrap();
        let is_same = |it: &Job| (&it.job.queue, &it.job.id) == (&job.queue, &job.id);
        if jobs.iter().any(is_same) {
            return Ok(Enqueued::Known);
        }
        jobs.push(Job {
            job,
            state: State::Waiting,
            attempt: 0,
        });
        Ok(Enqueued::Added)
    }

    async fn claim(
        &self,
        queue: &str,
        now: Moment,
        lease: Duration,
        limit: usize,
    ) -> Result<Vec<Claim>, StoreError> {
        let mut jobs = self.jobs.lock().unwrap();
        let mut due: Vec<&mut Job> = jobs
            .iter_mut()
            .filter(|it| it.job.queue == queue && it.is_open() && it.job.due <= now)
            .collect();
        due.sort_by_key(|it| it.job.due);
        let claims = due.into_iter().take(limit).map(|it| {
            it.state = State::Claimed;
            it.attempt += 1;
            it.job.due = now.after(lease);
            Claim {
                queue: queue.to_owned(),
                id: it.job.id.clone(),
                payload: it.job.payload.clone(),
                attempt: it.attempt,
            }
        });
        Ok(claims.collect())
    }

    async fn extend(
        &self,
        claim: &Claim,
        now: Moment,
        lease: Duration,
    ) -> Result<Standing, StoreError> {
        Ok(self.change(claim, |it| it.job.due = now.after(lease)))
    }

    async fn done(&self, claim: &Claim) -> Result<Standing, StoreError> {
        Ok(self.change(claim, |it| it.state = State::Done))
    }

    async fn failed(&self, claim: &Claim, retry: Retry) -> Result<Standing, StoreError> {
        Ok(self.change(claim, |it| match retry {
            Retry::At(due) => {
                it.state = State::Waiting;
                it.job.due = due;
            }
            Retry::Never => it.state = State::GivenUp,
        }))
    }

    async fn depth(&self, queue: &str, now: Moment) -> Result<Depth, StoreError> {
        let mut depth = Depth::default();
        for it in self.jobs.lock().unwrap().iter() {
            match it.state {
                _ if it.job.queue != queue => {}
                State::Waiting | State::Claimed if it.job.due <= now => depth.ready += 1,
                State::Waiting => depth.waiting += 1,
                State::Claimed => depth.claimed += 1,
                State::GivenUp => depth.given_up += 1,
                State::Done => {}
            }
        }
        Ok(depth)
    }
}

#[async_trait]
impl BlobStore for MemoryStore {
    async fn put(&self, blob: Vec<u8>) -> Result<BlobDigest, StoreError> {
        check_size("a blob", blob.len())?;
        let digest = BlobDigest::from_bytes(&Sha256::digest(&blob).into());
        self.blobs.lock().unwrap().insert(digest.clone(), blob);
        Ok(digest)
    }

    async fn get(&self, digest: &BlobDigest) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.blobs.lock().unwrap().get(digest).cloned())
    }

    async fn exists(&self, digest: &BlobDigest) -> Result<bool, StoreError> {
        Ok(self.blobs.lock().unwrap().contains_key(digest))
    }
}

#[async_trait]
impl Leases for MemoryStore {
    async fn try_hold(
        &self,
        name: &str,
        owner: &str,
        now: Moment,
        ttl: Duration,
    ) -> Result<Hold, StoreError> {
        let mut leases = self.leases.lock().unwrap();
        let until = match leases.get(name) {
            Some((holder, until)) if holder == owner => now.after(ttl).max(*until),
            Some((holder, until)) if *until > now => {
                return Ok(Hold::HeldBy {
                    owner: holder.clone(),
                    until: *until,
                });
            }
            _ => now.after(ttl),
        };
        leases.insert(name.to_owned(), (owner.to_owned(), until));
        Ok(Hold::Held { until })
    }

    async fn release(&self, name: &str, owner: &str) -> Result<(), StoreError> {
        let mut leases = self.leases.lock().unwrap();
        leases.retain(|held, (holder, _)| held != name || holder != owner);
        Ok(())
    }
}
