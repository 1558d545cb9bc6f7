//! Who reports an event.

/// The account that a report belongs to. Two reports with the same identity are the same event only within one scope, so an
/// account cannot occupy the `event_id` of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// All keys that the operator created on the command line.
    Operator,
    /// All keys of a user.
    Account(i64),
    /// A key without a user that follows the rules of account keys.
    Key(i64),
}

impl Scope {
    /// The scope of an ingest key.
    pub fn of(key_id: i64, user_id: Option<i64>, is_operator: bool) -> Self {
        match user_id {
            _ if is_operator => Self::Operator,
            Some(user_id) => Self::Account(user_id),
            None => Self::Key(key_id),
        }
    }

    pub fn is_operator(self) -> bool {
        self == Self::Operator
    }

    /// The user, unless the scope is the operator's or a single key's.
    pub fn user_id(self) -> Option<i64> {
        match self {
            Self::Account(user_id) => Some(user_id),
            Self::Operator | Self::Key(_) => None,
        }
    }
}

/// The sender of a batch: an ingest key and its scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reporter {
    pub key_id: i64,
    pub scope: Scope,
}

impl Reporter {
    /// The person behind a report: the account, or the key where several people may share a scope.
    pub fn person(self) -> Scope {
        if self.scope.is_operator() { Scope::Key(self.key_id) } else { self.scope }
    }

    /// The operator, with one of the operator's keys.
    pub fn operator(key_id: i64) -> Self {
        Self { key_id, scope: Scope::Operator }
    }
}
