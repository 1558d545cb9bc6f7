//! Tests of the hub: order, replay, states, retraction, and unsubscribing in constant time.

use tokio_stream::StreamExt;

use super::{Hub, OutgoingMessage, Resume, StateUpdate, Subscription, Topic, message_id};

fn note(topic: &str, text: &str) -> OutgoingMessage {
    OutgoingMessage { name: "activity", topics: vec![Topic::new(topic)], json: format!("\"{text}\"") }
}

async fn next(subscription: &mut Subscription) -> String {
    String::from_utf8(subscription.next().await.unwrap().to_vec()).unwrap()
}

#[tokio::test]
async fn a_subscriber_receives_its_topics_in_order() {
    let hub = Hub::starting_after(10);
    let mut reader = hub.subscribe(vec![Topic::new("activity")], Resume::Now);
    assert!(next(&mut reader).await.starts_with("retry: 3000\n\nid: "));
    hub.publish(12, vec![(11, note("activity", "a")), (12, note("other", "b"))]);
    hub.publish(13, vec![(13, note("activity", "c"))]);
    let got = next(&mut reader).await;
    assert!(got.contains("\"a\"") && got.contains("\"c\"") && !got.contains("\"b\""), "{got}");
}

#[tokio::test]
async fn resuming_replays_missed_messages_once() {
    let hub = Hub::starting_after(0);
    hub.publish(3, (1..=3).map(|id| (id, note("activity", &format!("e{id}")))).collect());
    let mut reader = hub.subscribe(vec![Topic::new("activity")], Resume::After(message_id(1, 0)));
    next(&mut reader).await;
    let got = next(&mut reader).await;
    assert!(!got.contains("e1") && got.contains("e2") && got.contains("e3"), "{got}");
}

#[tokio::test]
async fn an_unknown_or_evicted_id_begins_with_a_reset() {
    let hub = Hub::starting_after(5);
    for place in [Resume::After(message_id(2, 0)), Resume::After(message_id(99, 0)), Resume::After(-1), Resume::Unknown]
    {
        let mut reader = hub.subscribe(vec![Topic::new("activity")], place);
        assert!(next(&mut reader).await.contains("event: reset"));
    }
}

#[tokio::test]
async fn a_client_ahead_of_this_process_receives_no_duplicate() {
    let hub = Hub::starting_after(5);
    hub.mark_committed(7);
    let mut reader = hub.subscribe(vec![Topic::new("activity")], Resume::After(message_id(7, 3)));
    assert!(next(&mut reader).await.starts_with("retry: 3000\n\nid: "));
    hub.publish(8, (6..=8).map(|id| (id, note("activity", &format!("e{id}")))).collect());
    let got = next(&mut reader).await;
    assert!(!got.contains("e6") && !got.contains("e7") && got.contains("e8"), "{got}");
}

#[tokio::test]
async fn a_retraction_resets_waiting_subscribers() {
    let hub = Hub::starting_after(0);
    let mut reader = hub.subscribe(vec![Topic::new("activity")], Resume::Now);
    next(&mut reader).await;
    let shown = OutgoingMessage { topics: vec![Topic::new("activity"), Topic::new("player:bob")], ..note("", "bob") };
    hub.publish(2, vec![(1, shown), (2, note("activity", "later"))]);
    hub.retract(Topic::new("player:bob"));
    let got = next(&mut reader).await;
    assert!(got.contains("event: reset") && !got.contains("bob"), "{got}");
    assert_eq!(reader.next().await, None);
}

fn state(topic: &str, text: &str, is_changed: bool) -> StateUpdate {
    let snapshot = format!("\"{text}\"");
    StateUpdate { name: "counts", topic: Topic::new(topic), snapshot, delta: None, is_changed }
}

#[tokio::test]
async fn a_state_has_an_id_after_the_newest_message_and_before_the_next() {
    let hub = Hub::starting_after(5);
    let topics = || vec![Topic::new("activity"), Topic::new("counts")];
    let mut reader = hub.subscribe(topics(), Resume::Now);
    assert_eq!(next(&mut reader).await, format!("retry: 3000\n\nid: {}\n\n", message_id(5, 0)));
    let (first, second) = (message_id(5, 0) + 1, message_id(5, 0) + 2);
    assert!(hub.publish_states(hub.epoch(), vec![state("counts", "one", true)]));
    assert_eq!(next(&mut reader).await, format!("id: {first}\nevent: counts\ndata: \"one\"\n\n"));
    hub.publish_states(hub.epoch(), vec![state("counts", "two", true)]);
    assert_eq!(next(&mut reader).await, format!("id: {second}\nevent: counts\ndata: \"two\"\n\n"));
    hub.publish_derived(5, vec![(1, note("activity", "third"))]);
    assert_eq!(next(&mut reader).await, format!("id: {}\nevent: activity\ndata: \"third\"\n\n", message_id(5, 1)));
    // A stream that resumes receives later messages and the current state.
    let mut again = hub.subscribe(topics(), Resume::After(second));
    next(&mut again).await;
    let got = next(&mut again).await;
    assert!(got.contains("third") && got.contains("two") && !got.contains("one"), "{got}");
    assert_eq!(got.matches("id: ").count(), 2, "an older state has a new id: {got}");
    assert!(got.contains(&format!("id: {}\nevent: counts\n", message_id(5, 1) + 1)), "{got}");
    // A new stream receives the state only on request.
    let mut fresh = hub.subscribe(topics(), Resume::Now).with_states_of(|topic| topic == Topic::new("counts"));
    next(&mut fresh).await;
    assert!(next(&mut fresh).await.contains("two"));
}

#[tokio::test]
async fn states_come_in_the_order_of_their_ids() {
    let hub = Hub::starting_after(5);
    let names = ["a", "b", "c", "d", "e"];
    let mut reader = hub.subscribe(names.map(Topic::new).to_vec(), Resume::Now);
    next(&mut reader).await;
    hub.publish_states(hub.epoch(), names.map(|name| state(name, name, true)).to_vec());
    let got = next(&mut reader).await;
    let ids: Vec<i64> = got.lines().filter_map(|line| line.strip_prefix("id: ")?.parse().ok()).collect();
    assert_eq!(ids, [1, 2, 3, 4, 5].map(|nth| message_id(5, 0) + nth), "{got}");
}

#[tokio::test]
async fn a_state_from_before_a_retraction_is_not_published() {
    let hub = Hub::starting_after(5);
    let mut reader = hub.subscribe(vec![Topic::new("counts")], Resume::Now);
    next(&mut reader).await;
    let before = hub.epoch();
    hub.publish_states(before, vec![state("counts", "bob", true)]);
    hub.retract(Topic::new("player:bob"));
    assert!(!hub.publish_states(before, vec![state("counts", "bob", true)]));
    assert!(hub.lacks_state(Topic::new("counts")));
    hub.publish_states(hub.epoch(), vec![state("counts", "ann", true)]);
    let got = next(&mut reader).await;
    assert!(got.contains("ann") && !got.contains("bob"), "{got}");
}

#[tokio::test]
async fn a_named_heartbeat_carries_the_newest_id() {
    let hub = Hub::starting_after(5);
    let mut reader = hub.subscribe(vec![Topic::new("activity")], Resume::Now).with_named_heartbeat();
    let beat = |id| format!("id: {}\nevent: heartbeat\ndata: {{}}\n\n", message_id(id, 0));
    assert_eq!(next(&mut reader).await, format!("retry: 3000\n\n{}", beat(5)));
    hub.publish(6, vec![(6, note("other", "x"))]);
    hub.send_heartbeat();
    assert_eq!(next(&mut reader).await, format!(": still here\n\n{}", beat(6)));
}

/// Measures the time to drop 40,000 subscriptions; `topic_of` names the topic of each.
fn time_to_unsubscribe(topic_of: impl Fn(usize) -> String) -> std::time::Duration {
    let hub = Hub::starting_after(0);
    let subscribe = |nth| hub.subscribe(vec![Topic::new(&topic_of(nth))], Resume::Now);
    let all: Vec<_> = (0..40_000).map(subscribe).collect();
    let began = std::time::Instant::now();
    drop(all);
    assert_eq!((hub.subscriber_count(), hub.has_subscribers(Topic::new(&topic_of(0)))), (0, false));
    began.elapsed()
}

#[test]
fn unsubscribing_takes_constant_time() {
    // The minimum of several runs, because of other load on the machine.
    let best = |topic_of: fn(usize) -> String| (0..3).map(|_| time_to_unsubscribe(topic_of)).min().unwrap();
    let alone = best(|nth| format!("player:{nth}"));
    let together = best(|_| "activity".to_owned());
    // A linear search for the subscriber would take many times as long.
    assert!(together < 5 * alone, "{alone:?} for 40,000 topics with one reader, {together:?} for one with 40,000");
}

#[tokio::test]
async fn closing_ends_every_stream() {
    let hub = Hub::starting_after(0);
    let mut reader = hub.subscribe(vec![Topic::new("activity")], Resume::Now);
    next(&mut reader).await;
    hub.close();
    let last = next(&mut reader).await;
    let retry: u64 = last.trim().strip_prefix("retry: ").unwrap().parse().unwrap();
    assert!((1_000..5_000).contains(&retry), "{last}");
    assert_eq!(reader.next().await, None);
    drop(reader);
    assert_eq!(hub.subscriber_count(), 0);
}
