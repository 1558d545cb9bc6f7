//! Effects of a committed batch on derived state: ranks, leaderboards, search and live messages. All of it can be rebuilt from
//! the database.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use crate::app::{App, failpoint};
use crate::live::{OutgoingMessage, Topic};
use crate::search::{Change, Entry, Kind};
use crate::store::patch;
use crate::store::players::PlayerRef;
use crate::views::activity::{Names, PlayerSummary};

use super::commit::Committed;
use super::live_messages;
use super::tally::scores;

/// Applies the effects of a commit. Called once per commit, in commit order.
pub fn apply_effects(app: &App, committed: &Committed) {
    update_ranks(app, committed);
    // After everything that responses are computed from, so that no response of the new generation misses this commit.
    app.count_commit();
    failpoint("effect");
    update_search(app, committed);
    publish_live(app, committed);
    live_messages::publish_derived(app, committed);
    if committed.touches_patches {
        app.is_patch_stale.store(true, Ordering::Release);
    }
}

fn update_ranks(app: &App, committed: &Committed) {
    let visible = committed.scores.iter().filter(|(_, now)| !now.is_hidden);
    let late = |player_id| committed.late.get(&player_id).copied().unwrap_or_default();
    app.remember_players(visible.clone().map(|(old, now)| (now.player_id, *old, late(now.player_id))));
    app.remember_guilds(committed.guilds.iter().map(|g| (g.guild_id, g.before, g.late)));
    app.change_player_ranks(visible.map(|(old, now)| (*old, scores(now))));
    app.change_guild_ranks(committed.guilds.iter().map(|g| (g.before, g.now)));
    update_boards(app, committed);
}

fn update_boards(app: &App, committed: &Committed) {
    app.player_boards.lines.forget(committed.players.keys().copied());
    app.guild_boards.lines.forget(committed.guilds.iter().map(|g| g.guild_id));
    let visible = committed.scores.iter().filter(|(_, now)| !now.is_hidden);
    let players = visible.filter_map(|(_, now)| {
        let player = committed.players.get(&now.player_id)?;
        Some((now.player_id, player.handle_folded.as_str(), scores(now)))
    });
    app.player_boards.put(&players.collect::<Vec<_>>());
    let guilds = committed
        .guilds
        .iter()
        .filter_map(|g| Some((g.guild_id, committed.guild_tags.get(&g.guild_id)?.as_str(), g.now)));
    app.guild_boards.put(&guilds.collect::<Vec<_>>());
}

fn update_search(app: &App, committed: &Committed) {
    let mut changes = Vec::new();
    for (old, now) in &committed.scores {
        let Some(player) = committed.players.get(&now.player_id).filter(|p| !p.is_hidden) else { continue };
        if committed.new_players.contains(&now.player_id) {
            changes.push(Change::Put(entry(player, now.overall, &committed.guild_tags)));
        } else if old.overall() != now.overall {
            changes.push(Change::Score { kind: Kind::Player, id: now.player_id, score: now.overall });
        }
    }
    let guilds = committed.guilds.iter().filter(|guild| guild.before.overall() != guild.now.overall());
    changes.extend(guilds.map(|guild| Change::Score {
        kind: Kind::Guild,
        id: guild.guild_id,
        score: guild.now.overall(),
    }));
    let last = committed.events.last().map_or(0, |e| e.id);
    if let Err(error) = app.search.apply(changes, last) {
        tracing::error!(%error, "the search index could not apply a commit and will be rebuilt");
        app.is_derived_stale.store(true, Ordering::Release);
    }
    let made = committed.new_players.len() as i64;
    if made > 0 {
        app.player_count.fetch_add(made, Ordering::Relaxed);
        app.are_counts_stale.store(true, Ordering::Release);
    }
}

fn entry(player: &PlayerRef, overall: i64, guild_tags: &HashMap<i64, String>) -> Entry {
    Entry {
        kind: Kind::Player,
        id: player.id,
        key: player.handle.clone(),
        name: player.handle.clone(),
        former: Vec::new(),
        org_short: player.guild_id.and_then(|id| guild_tags.get(&id).cloned()),
        score: overall,
        member_count: 0,
        is_claimed: false,
    }
}

fn publish_live(app: &App, committed: &Committed) {
    let Some(last) = committed.events.last() else { return };
    let people = committed.players.values().map(|p| {
        let org_short = p.guild_id.and_then(|id| committed.guild_tags.get(&id).cloned());
        let person = PlayerSummary {
            handle: p.handle.clone(),
            is_hidden: p.is_hidden,
            profile_image: p.profile_image.clone(),
            org_short,
        };
        (p.id, person)
    });
    let mut versions: Vec<i64> = committed.events.iter().filter_map(|e| e.patch_version).collect();
    versions.sort_unstable();
    versions.dedup();
    let patches = app.store.read_blocking(|conn| patch::names(conn, &versions)).unwrap_or_default();
    let names = Names { people: people.collect(), patches: patches.into_iter().collect() };
    let messages = committed
        .events
        .iter()
        .filter(|e| e.category != crate::store::activity::CONNECTION_CATEGORY && names.is_visible(e))
        .filter_map(|e| activity_message(&names, e).map(|message| (e.id, message)))
        .collect();
    app.live.publish(last.id, messages);
}

/// Builds the live message of an event.
pub fn activity_message(names: &Names, event: &crate::store::ingest::EventRow) -> Option<OutgoingMessage> {
    let row = names.row(event);
    let mut topics = vec![Topic::new("activity")];
    for id in [event.killer_id, event.victim_id, event.player_id].into_iter().flatten() {
        if let Some(person) = names.people.get(&id).filter(|p| !p.is_hidden) {
            topics.push(player_topic(&person.handle));
        }
    }
    topics.extend(row.orgs.iter().map(|tag| guild_topic(tag)));
    topics.sort_unstable();
    topics.dedup();
    let json = serde_json::to_string(&row).ok()?;
    Some(OutgoingMessage { name: "activity", topics, json })
}

pub fn player_topic(handle: &str) -> Topic {
    Topic::new(&format!("player:{}", handle.to_ascii_lowercase()))
}

pub fn guild_topic(tag: &str) -> Topic {
    Topic::new(&format!("guild:{tag}"))
}
