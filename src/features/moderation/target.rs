//! Targets of actions, and the events that they select.

use std::collections::BTreeSet;

use crate::domain::names::fold_for_lookup;
use crate::domain::trust::{Action, Reasons, TargetKind};
use crate::error::AppError;
use crate::features::ingest::Decision;
use crate::store::conn::AnyConn;
use crate::store::moderation::{EventBounds, EventSelection, ModerationRow};
use crate::store::{keys, players, users};
use crate::views::moderation::ModerationSelect;

const MAX_EVENTS: usize = 1_000;

/// What an action concerns, as an admin names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The id of an ingest key.
    Key(i64),
    /// The Discord id of an account.
    Account(String),
    /// The handle of a player.
    Player(String),
    /// The ids of events.
    Events(Vec<i64>),
}

/// A target, limited to a time; epoch milliseconds, `until` exclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    pub target: Target,
    pub from: Option<i64>,
    pub until: Option<i64>,
}

impl Selection {
    pub fn new(select: ModerationSelect) -> Result<Self, AppError> {
        let ModerationSelect { key, account, player, events, from, until } = select;
        let mut targets: Vec<Target> = Vec::new();
        targets.extend(key.map(Target::Key));
        targets.extend(account.map(|id| Target::Account(id.trim().to_owned())));
        targets.extend(player.map(|handle| Target::Player(handle.trim().to_owned())));
        targets.extend(events.map(Target::Events));
        let target = match (targets.pop(), targets.is_empty()) {
            (Some(target), true) => target,
            _ => return Err(AppError::Validation("Select exactly one of key, account, player and events.".into())),
        };
        if let Target::Events(ids) = &target
            && !(1..=MAX_EVENTS).contains(&ids.len())
        {
            return Err(AppError::invalid_parameter("events", "1 to 1000 ids"));
        }
        let millis = |secs: Option<i64>| secs.map(|secs| secs.saturating_mul(1000));
        Ok(Self { target, from: millis(from), until: millis(until) })
    }

    /// The selected events between two ids, inclusive.
    pub(super) fn bounds(&self, first_id: i64, last_id: i64) -> EventBounds {
        EventBounds { first_id, last_id, from: self.from, until: self.until, state: None }
    }
}

/// A target in the database.
#[derive(Debug, Clone)]
pub(super) struct Resolved {
    pub kind: TargetKind,
    /// As the history stores it.
    pub subject: String,
    pub name: Option<String>,
    pub events: EventSelection,
}

impl Resolved {
    /// The user of an account.
    pub fn user_id(&self) -> Option<i64> {
        self.subject.parse().ok().filter(|_| self.kind == TargetKind::Account)
    }

    pub fn key_ids(&self) -> &[i64] {
        match &self.events {
            EventSelection::Keys(ids) => ids,
            EventSelection::Player(_) | EventSelection::Events(_) => &[],
        }
    }
}

impl Target {
    /// Finds the target; `None` if it does not exist.
    pub(super) fn resolve(&self, conn: &mut AnyConn) -> diesel::QueryResult<Option<Resolved>> {
        Ok(match self {
            Self::Key(id) => keys::find(conn, *id)?.map(|key| Resolved {
                kind: TargetKind::Key,
                subject: key.id.to_string(),
                name: Some(key.id.to_string()),
                events: EventSelection::Keys(vec![key.id]),
            }),
            Self::Account(discord_id) => match users::find_by_discord_id(conn, discord_id)? {
                Some(user) => Some(Resolved {
                    kind: TargetKind::Account,
                    subject: user.id.to_string(),
                    name: None,
                    events: EventSelection::Keys(keys_of(conn, user.id)?),
                }),
                None => None,
            },
            Self::Player(handle) => {
                let folded = fold_for_lookup(handle).unwrap_or_default();
                players::find_by_handle(conn, &folded)?.map(|player| Resolved {
                    kind: TargetKind::Player,
                    subject: player.id.to_string(),
                    name: Some(player.handle),
                    events: EventSelection::Player(player.id),
                })
            }
            Self::Events(ids) => Some(Resolved {
                kind: TargetKind::Events,
                subject: serde_json::to_string(ids).unwrap_or_default(),
                name: Some(ids.len().to_string()),
                events: EventSelection::Events(ids.clone()),
            }),
        })
    }

    pub(super) fn not_found(&self) -> AppError {
        match self {
            Self::Key(id) => AppError::NotFound(format!("No ingest key has the id {id}.")),
            Self::Account(id) => AppError::NotFound(format!("No account has the Discord id '{id}'.")),
            Self::Player(handle) => AppError::player_not_found(handle),
            Self::Events(_) => AppError::NotFound("Event not found.".into()),
        }
    }
}

fn keys_of(conn: &mut AnyConn, user_id: i64) -> diesel::QueryResult<Vec<i64>> {
    Ok(keys::list(conn, Some(user_id))?.into_iter().map(|key| key.id).collect())
}

/// The events that an entry of the history concerns. Keys that the account created after the entry belong to it, too.
pub(super) fn selection_of(conn: &mut AnyConn, entry: &ModerationRow) -> diesel::QueryResult<Option<EventSelection>> {
    let number = entry.subject.parse::<i64>().ok();
    Ok(match (TargetKind::from_code(entry.target), number) {
        (Some(TargetKind::Key), Some(id)) => Some(EventSelection::Keys(vec![id])),
        (Some(TargetKind::Account), Some(user_id)) => Some(EventSelection::Keys(keys_of(conn, user_id)?)),
        (Some(TargetKind::Player), Some(id)) => Some(EventSelection::Player(id)),
        (Some(TargetKind::Events), _) => serde_json::from_str(&entry.subject).ok().map(EventSelection::Events),
        _ => None,
    })
}

/// What an action decides about the events of its target. An undo decides event by event.
pub(super) fn decision(action: Action, events: &EventSelection) -> Option<Decision> {
    match (action, events) {
        (Action::Void, EventSelection::Keys(ids)) => {
            Some(Decision::VoidReports(ids.iter().copied().collect::<BTreeSet<i64>>()))
        }
        (Action::Void, _) => Some(Decision::Add(Reasons::VOID_BY_ADMIN)),
        (Action::Hold, _) => Some(Decision::Add(Reasons::HELD_BY_ADMIN)),
        (Action::Release, _) => Some(Decision::Remove(Reasons::HELD_BY_ADMIN.with(Reasons::UNTIL_CONFIRMED))),
        (Action::Undo, _) => None,
    }
}
