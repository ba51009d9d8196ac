//! What every engine promises, as one check over the four ports. It needs an empty store.

use std::time::Duration;

use forge_core::store::{
    Appended, BlobDigest, Claim, Depth, Enqueued, Hold, MAX_BYTES, Moment, NewJob, ReadBound,
    Recorded, Retry, Standing, StoreError, StreamName,
};

use super::Ports;

pub(super) async fn check(ports: &Ports<'_>) {
    a_stream_grows_only_from_its_head(ports).await;
    a_reading_is_bounded(ports).await;
    streams_are_listed_with_their_end(ports).await;
    of_many_writers_one_is_first(ports).await;
    a_job_is_added_once(ports).await;
    a_claim_ends_when_its_lease_does(ports).await;
    a_failed_job_waits_or_is_given_up(ports).await;
    a_blob_is_found_by_its_digest(ports).await;
    a_name_has_one_owner(ports).await;
    what_is_too_large_is_refused(ports).await;
}

async fn a_stream_grows_only_from_its_head(ports: &Ports<'_>) {
    let log = ports.log;
    let stream = name("grows/a");
    assert_eq!(log.head(&stream).await.unwrap(), 0);
    let page = log.read(&stream, 0, ReadBound::default()).await.unwrap();
    assert_eq!((page.events, page.head), (Vec::new(), 0));
    let append = async |expected, texts: &[&str]| {
        let events = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        log.append(&stream, expected, events).await.unwrap()
    };
    assert_eq!(append(0, &[]).await, Appended::At { head: 0 });
    assert_eq!(append(1, &["x"]).await, Appended::Conflict { head: 0 });
    assert_eq!(append(0, &["one"]).await, Appended::At { head: 1 });
    assert_eq!(append(0, &["x"]).await, Appended::Conflict { head: 1 });
    assert_eq!(
        append(1, &["two", "", "four"]).await,
        Appended::At { head: 4 }
    );
    assert_eq!(
        append(u64::MAX, &["x"]).await,
        Appended::Conflict { head: 4 }
    );
    assert_eq!(append(4, &[]).await, Appended::At { head: 4 });
    assert_eq!(log.head(&stream).await.unwrap(), 4);
    assert_eq!(log.head(&name("grows/b")).await.unwrap(), 0);
    let read = async |after| {
        let page = log
            .read(&stream, after, ReadBound::default())
            .await
            .unwrap();
        assert_eq!(page.head, 4);
        page.events
    };
    let all = [(1, "one"), (2, "two"), (3, ""), (4, "four")].map(|(position, text)| Recorded {
        position,
        event: text.as_bytes().to_vec(),
    });
    assert_eq!(read(0).await, all);
    assert_eq!(read(2).await, all[2..]);
    assert_eq!(read(4).await, []);
    assert_eq!(read(u64::MAX).await, []);
}

async fn a_reading_is_bounded(ports: &Ports<'_>) {
    let stream = name("bounded");
    let events = vec![vec![b'a'; 10], vec![b'b'; 100], vec![b'c'; 10]];
    ports.log.append(&stream, 0, events).await.unwrap();
    let read = async |after, events, bytes| {
        let bound = ReadBound { events, bytes };
        let page = ports.log.read(&stream, after, bound).await.unwrap();
        assert_eq!(page.head, 3);
        page.events.len()
    };
    assert_eq!(read(0, 9, 1000).await, 3);
    assert_eq!(read(0, 2, 1000).await, 2);
    assert_eq!(read(0, 9, 110).await, 2);
    assert_eq!(read(0, 9, 109).await, 1);
    // The first one always comes, or reading would never get past it.
    assert_eq!(read(1, 9, 50).await, 1);
    assert_eq!(read(1, 0, 0).await, 1);
}

async fn streams_are_listed_with_their_end(ports: &Ports<'_>) {
    for text in [
        "list/b", "list/a", "list-c", "list/b-1", "lisu", "list/b_2", "list/ba",
    ] {
        let events = vec![b"first".to_vec(), text.as_bytes().to_vec()];
        ports.log.append(&name(text), 0, events).await.unwrap();
    }
    let list = async |prefix, after: Option<&str>, limit| {
        let after = after.map(name);
        let found = ports.log.streams(prefix, after.as_ref(), limit).await;
        let names = found.unwrap().into_iter().map(|stream| {
            assert_eq!(stream.last.position, 2);
            assert_eq!(stream.last.event, stream.name.as_str().as_bytes());
            stream.name.to_string()
        });
        names.collect::<Vec<_>>()
    };
    let all = ["list/a", "list/b", "list/b-1", "list/b_2", "list/ba"];
    assert_eq!(list("list/", None, 99).await, all);
    assert_eq!(list("list/", None, 2).await, all[..2]);
    assert_eq!(list("list/", Some("list/b"), 2).await, all[2..4]);
    assert_eq!(list("list/", Some("list/ba"), 2).await, [""; 0]);
    assert_eq!(list("list/b", None, 99).await, all[1..]);
    assert_eq!(list("list/", None, 0).await, [""; 0]);
    assert_eq!(list("nothing", None, 9).await, [""; 0]);
}

async fn of_many_writers_one_is_first(ports: &Ports<'_>) {
    let stream = name("race");
    let (stream, log) = (&stream, ports.log);
    let attempts = (0..20).map(|number: u8| log.append(stream, 0, vec![vec![number]]));
    let outcomes = futures_util::future::join_all(attempts).await;
    let first =
        |outcome: &&Result<Appended, StoreError>| matches!(outcome, Ok(Appended::At { head: 1 }));
    assert_eq!(outcomes.iter().filter(first).count(), 1);
    let beaten = |outcome: &&Result<Appended, StoreError>| {
        matches!(outcome, Ok(Appended::Conflict { head: 1 }))
    };
    assert_eq!(outcomes.iter().filter(beaten).count(), 19);
    assert_eq!(log.head(stream).await.unwrap(), 1);
}

const LEASE: Duration = Duration::from_millis(100);

async fn a_job_is_added_once(ports: &Ports<'_>) {
    let add = async |queue, id, due| {
        let job = NewJob {
            payload: format!("{queue} {id} {due}").into_bytes(),
            ..job(queue, id, due)
        };
        ports.jobs.enqueue(job).await.unwrap()
    };
    assert_eq!(add("once", "a", 20).await, Enqueued::Added);
    assert_eq!(add("once", "a", 10).await, Enqueued::Known);
    assert_eq!(add("other", "a", 20).await, Enqueued::Added);
    assert_eq!(add("once", "b", 10).await, Enqueued::Added);
    assert_eq!(add("once", "c", 10).await, Enqueued::Added);
    assert_eq!(add("once", "d", 99).await, Enqueued::Added);
    assert_eq!(depth(ports, "once", 20).await, [3, 1, 0, 0]);
    assert!(claim(ports, "once", 9, 9).await.is_empty());
    assert!(claim(ports, "nothing", 99, 9).await.is_empty());
    // The longest due first, at most two.
    let claims = claim(ports, "once", 20, 2).await;
    let ids: Vec<&str> = claims.iter().map(|claim| claim.id.as_str()).collect();
    assert_eq!(ids, ["b", "c"]);
    assert_eq!(claims[0].payload, b"once b 10");
    assert_eq!(claims[0].attempt, 1);
    assert_eq!(depth(ports, "once", 20).await, [1, 1, 2, 0]);
    // Done, it is still known.
    assert_eq!(ports.jobs.done(&claims[0]).await.unwrap(), Standing::Held);
    assert_eq!(ports.jobs.done(&claims[0]).await.unwrap(), Standing::Lost);
    assert_eq!(add("once", "b", 10).await, Enqueued::Known);
    assert_eq!(depth(ports, "once", 20).await, [1, 1, 1, 0]);
    assert_eq!(claim(ports, "once", 20, 9).await[0].id, "a");
    assert_eq!(depth(ports, "other", 20).await, [1, 0, 0, 0]);
}

async fn a_claim_ends_when_its_lease_does(ports: &Ports<'_>) {
    let jobs = ports.jobs;
    jobs.enqueue(job("lease", "a", 0)).await.unwrap();
    let first = claim(ports, "lease", 1000, 9).await.remove(0);
    assert!(claim(ports, "lease", 1099, 9).await.is_empty());
    let at = Moment::from_ms(1050);
    assert_eq!(
        jobs.extend(&first, at, LEASE).await.unwrap(),
        Standing::Held
    );
    assert!(claim(ports, "lease", 1149, 9).await.is_empty());
    // Late, but nobody has taken it.
    let at = Moment::from_ms(1200);
    assert_eq!(depth(ports, "lease", 1200).await, [1, 0, 0, 0]);
    assert_eq!(
        jobs.extend(&first, at, LEASE).await.unwrap(),
        Standing::Held
    );
    let second = claim(ports, "lease", 1300, 9).await.remove(0);
    assert_eq!((second.id.as_str(), second.attempt), ("a", 2));
    assert_eq!(
        jobs.extend(&first, at, LEASE).await.unwrap(),
        Standing::Lost
    );
    assert_eq!(jobs.done(&first).await.unwrap(), Standing::Lost);
    let retry = Retry::Never;
    assert_eq!(jobs.failed(&first, retry).await.unwrap(), Standing::Lost);
    assert_eq!(jobs.done(&second).await.unwrap(), Standing::Held);
    assert!(claim(ports, "lease", 9999, 9).await.is_empty());
}

async fn a_failed_job_waits_or_is_given_up(ports: &Ports<'_>) {
    let jobs = ports.jobs;
    jobs.enqueue(job("fail", "a", 0)).await.unwrap();
    let first = claim(ports, "fail", 0, 9).await.remove(0);
    let retry = Retry::At(Moment::from_ms(500));
    assert_eq!(jobs.failed(&first, retry).await.unwrap(), Standing::Held);
    assert_eq!(jobs.failed(&first, retry).await.unwrap(), Standing::Lost);
    assert_eq!(depth(ports, "fail", 499).await, [0, 1, 0, 0]);
    assert!(claim(ports, "fail", 499, 9).await.is_empty());
    let second = claim(ports, "fail", 500, 9).await.remove(0);
    assert_eq!(second.attempt, 2);
    let given_up = jobs.failed(&second, Retry::Never).await.unwrap();
    assert_eq!(given_up, Standing::Held);
    assert_eq!(depth(ports, "fail", 9999).await, [0, 0, 0, 1]);
    assert!(claim(ports, "fail", 9999, 9).await.is_empty());
    assert_eq!(
        jobs.enqueue(job("fail", "a", 0)).await.unwrap(),
        Enqueued::Known
    );
}

async fn a_blob_is_found_by_its_digest(ports: &Ports<'_>) {
    let blobs = ports.blobs;
    let check = async |blob: &[u8], expected: &str| {
        let digest = BlobDigest::parse(expected).unwrap();
        assert!(!blobs.exists(&digest).await.unwrap());
        assert_eq!(blobs.get(&digest).await.unwrap(), None);
        for _ in 0..2 {
            assert_eq!(blobs.put(blob.to_vec()).await.unwrap(), digest);
        }
        assert!(blobs.exists(&digest).await.unwrap());
        assert_eq!(blobs.get(&digest).await.unwrap().as_deref(), Some(blob));
    };
    // The digests are FIPS 180's own examples.
    check(
        b"",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    )
    .await;
    check(
        b"abc",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    )
    .await;
    check(
        &[b'a'; 1_000_000],
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
    )
    .await;
}

async fn a_name_has_one_owner(ports: &Ports<'_>) {
    let hold = async |owner, now, ttl_ms| {
        let (now, ttl) = (Moment::from_ms(now), Duration::from_millis(ttl_ms));
        match ports
            .leases
            .try_hold("cron", owner, now, ttl)
            .await
            .unwrap()
        {
            Hold::Held { until } => format!("held until {}", until.ms()),
            Hold::HeldBy { owner, until } => format!("{owner}'s until {}", until.ms()),
        }
    };
    assert_eq!(hold("one", 1000, 100).await, "held until 1100");
    assert_eq!(hold("two", 1099, 100).await, "one's until 1100");
    assert_eq!(hold("one", 1050, 100).await, "held until 1150");
    // Asking for less does not shorten it.
    assert_eq!(hold("one", 1050, 10).await, "held until 1150");
    assert_eq!(hold("two", 1150, 100).await, "held until 1250");
    assert_eq!(hold("one", 1200, 100).await, "two's until 1250");
    ports.leases.release("cron", "one").await.unwrap();
    assert_eq!(hold("one", 1200, 100).await, "two's until 1250");
    ports.leases.release("cron", "two").await.unwrap();
    assert_eq!(hold("one", 1200, 100).await, "held until 1300");
    ports.leases.release("nothing", "one").await.unwrap();
}

async fn what_is_too_large_is_refused(ports: &Ports<'_>) {
    let large = vec![0; MAX_BYTES + 1];
    let check = |error: StoreError, expected: &str| assert_eq!(error.to_string(), expected);
    let stream = name("large");
    let appended = ports.log.append(&stream, 0, vec![large.clone()]).await;
    check(
        appended.unwrap_err(),
        "an event of 67108865 bytes can't be kept: at most 67108864 fit",
    );
    let job = NewJob {
        payload: large.clone(),
        ..job("large", "a", 0)
    };
    check(
        ports.jobs.enqueue(job).await.unwrap_err(),
        "a job of 67108865 bytes can't be kept: at most 67108864 fit",
    );
    check(
        ports.blobs.put(large).await.unwrap_err(),
        "a blob of 67108865 bytes can't be kept: at most 67108864 fit",
    );
}

fn name(text: &str) -> StreamName {
    StreamName::parse(text).unwrap()
}

fn job(queue: &str, id: &str, due: u64) -> NewJob {
    NewJob {
        queue: queue.to_owned(),
        id: id.to_owned(),
        payload: Vec::new(),
        due: Moment::from_ms(due),
    }
}

async fn claim(ports: &Ports<'_>, queue: &str, now: u64, limit: usize) -> Vec<Claim> {
    let now = Moment::from_ms(now);
    ports.jobs.claim(queue, now, LEASE, limit).await.unwrap()
}

/// Ready, waiting, claimed, given up.
async fn depth(ports: &Ports<'_>, queue: &str, now: u64) -> [u64; 4] {
    let depth = ports.jobs.depth(queue, Moment::from_ms(now)).await;
    let Depth {
        ready,
        waiting,
        claimed,
        given_up,
    } = depth.unwrap();
    [ready, waiting, claimed, given_up]
}
