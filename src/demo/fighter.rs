//! Who takes part in a fight.

/// One side of a fight.
#[derive(Clone, Copy)]
pub(super) enum Fighter<'a> {
    /// The player of the session.
    Own,
    Player(&'a str),
    Npc(&'a str),
}

impl Fighter<'_> {
    /// The name, and whether it is an NPC's.
    pub(super) fn named(self, own: &str) -> (String, bool) {
        let name = match self {
            Self::Own => own,
            Self::Player(name) | Self::Npc(name) => name,
        };
        (name.to_owned(), matches!(self, Self::Npc(_)))
    }
}
