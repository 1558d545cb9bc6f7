//! Who reports events.

/// The account that a report belongs to. An identity occurs once per account, so nobody can occupy the `event_id` of another account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Account {
    /// All operator keys, which are created on the command line, and imports.
    Operator,
    /// All keys of a user.
    User(i64),
    /// A key that belongs to nobody and follows the rules of account keys.
    Key(i64),
}

impl Account {
    /// The account of an ingest key.
    pub fn of(key_id: i64, user_id: Option<i64>, is_operator: bool) -> Self {
        match user_id {
            _ if is_operator => Self::Operator,
            Some(user_id) => Self::User(user_id),
            None => Self::Key(key_id),
        }
    }

    /// The stored value: 0 for operators, the id of a user, or the negative id of a key.
    pub fn code(self) -> i64 {
        match self {
            Self::Operator => 0,
            Self::User(id) => id,
            Self::Key(id) => -id,
        }
    }

    pub fn from_code(code: i64) -> Self {
        match code {
            0 => Self::Operator,
            1.. => Self::User(code),
            _ => Self::Key(-code),
        }
    }

    pub fn is_operator(self) -> bool {
        self == Self::Operator
    }

    /// The user, unless the account is the operator's or a single key.
    pub fn user_id(self) -> Option<i64> {
        match self {
            Self::User(user_id) => Some(user_id),
            Self::Operator | Self::Key(_) => None,
        }
    }
}

/// The sender of a batch: an ingest key and its account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reporter {
    pub key_id: i64,
    pub account: Account,
}

impl Reporter {
    /// The operator, with one of the operator's keys.
    pub fn operator(key_id: i64) -> Self {
        Self { key_id, account: Account::Operator }
    }

    /// Whether two reports come from one reader, so that they are two fights and not one. Operator keys may belong to several people.
    pub fn is_same_reader(self, other: Self) -> bool {
        self.account == other.account && (!self.account.is_operator() || self.key_id == other.key_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_account_has_its_code() {
        for account in [Account::Operator, Account::User(7), Account::Key(7)] {
            assert_eq!(Account::from_code(account.code()), account);
        }
    }

    #[test]
    fn two_operator_keys_are_two_readers_and_two_keys_of_a_user_are_one() {
        let of = |key_id, account| Reporter { key_id, account };
        assert!(!Reporter::operator(1).is_same_reader(Reporter::operator(2)));
        assert!(of(1, Account::User(5)).is_same_reader(of(2, Account::User(5))));
        assert!(!of(1, Account::User(5)).is_same_reader(of(1, Account::Key(1))));
    }
}
