//! The person behind a request. Permissions depend on nothing else.

/// A signed-in user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub user_id: i64,
    pub discord_id: String,
    pub session_id: String,
    /// The player that this user has claimed.
    pub player_id: Option<i64>,
    /// The tag of the guild whose settings this user may edit.
    pub guild_ownership: Option<String>,
    pub is_admin: bool,
}

impl Member {
    /// Whether the user may see the player while it is hidden, and change its settings.
    pub fn may_edit_player(&self, player_id: i64) -> bool {
        self.is_admin || self.player_id == Some(player_id)
    }

    /// Whether the user may change the settings of the guild with this upper-case tag.
    pub fn may_edit_guild(&self, tag: &str) -> bool {
        self.is_admin || self.guild_ownership.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(tag))
    }
}

/// A signed-in user or a guest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Viewer {
    #[default]
    Guest,
    Member(Member),
}

impl Viewer {
    pub fn member(&self) -> Option<&Member> {
        match self {
            Self::Guest => None,
            Self::Member(member) => Some(member),
        }
    }

    pub fn is_admin(&self) -> bool {
        self.member().is_some_and(|m| m.is_admin)
    }

    /// Whether the player is the one that the viewer has claimed.
    pub fn owns_player(&self, player_id: i64) -> bool {
        self.member().is_some_and(|m| m.player_id == Some(player_id))
    }

    /// See [`Member::may_edit_player`].
    pub fn may_edit_player(&self, player_id: i64) -> bool {
        self.member().is_some_and(|member| member.may_edit_player(player_id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(player_id: Option<i64>, guild: Option<&str>, is_admin: bool) -> Member {
        Member {
            user_id: 1,
            discord_id: "1".into(),
            session_id: "s".into(),
            player_id,
            guild_ownership: guild.map(Into::into),
            is_admin,
        }
    }

    #[test]
    fn a_guest_may_edit_nothing() {
        assert!(!Viewer::Guest.may_edit_player(1));
    }

    #[test]
    fn owners_edit_their_own_and_admins_everything() {
        assert!(Viewer::Member(member(Some(7), None, false)).may_edit_player(7));
        assert!(!member(Some(7), None, false).may_edit_player(8));
        assert!(member(None, Some("abc"), false).may_edit_guild("ABC"));
        assert!(!member(None, Some("abc"), false).may_edit_guild("ABD"));
        assert!(member(None, None, true).may_edit_player(8));
    }
}
