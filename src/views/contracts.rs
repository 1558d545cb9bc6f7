//! Titles of contracts, as pages show them.

use std::collections::{BTreeSet, HashSet};

use crate::domain::events::is_contract_class;
use crate::store::activity;
use crate::store::conn::AnyConn;
use gamelog::catalogue;

/// The titles that the catalogue does not list and that are shown nevertheless, because an operator or three accounts have reported them.
#[derive(Debug, Default)]
pub struct ContractTitles {
    reported: HashSet<String>,
}

impl ContractTitles {
    /// Reads which of these names of contracts are shown. Names that the catalogue knows need no query.
    pub fn read<'a>(conn: &mut AnyConn, names: impl Iterator<Item = &'a str>) -> diesel::QueryResult<Self> {
        let unlisted: BTreeSet<&str> = names.filter(|name| !catalogue::is_listed_mission(name)).collect();
        let mut reported = HashSet::new();
        for name in unlisted {
            if activity::is_contract_name_shown(conn, name)? {
                reported.insert(name.to_owned());
            }
        }
        Ok(Self { reported })
    }

    /// Whether a name of a contract is shown.
    pub fn shows(&self, name: &str) -> bool {
        self.reported.contains(name) || catalogue::is_listed_mission(name)
    }

    /// The title of a contract from its name and its id, of which one is given: until its name is shown, that of its class.
    pub fn title(&self, name: Option<&str>, id: Option<&str>) -> Option<String> {
        let title = |text: &str| catalogue::mission_title(text).into_owned();
        match name {
            Some(name) if !self.shows(name) => {
                Some(id.filter(|id| is_contract_class(id)).map_or_else(|| catalogue::UNKNOWN_MISSION.to_owned(), title))
            }
            name => name.or(id).map(title),
        }
    }
}
