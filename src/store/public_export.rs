//! The figures in public exports.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};

use super::conn::AnyConn;
use super::scores::impl_scores;
use crate::domain::scores::Scores;

/// A player who is shown, with the figures of all time.
#[derive(Debug, Clone, PartialEq, QueryableByName)]
pub struct ExportedPlayer {
    #[diesel(sql_type = BigInt)]
    pub id: i64,
    #[diesel(sql_type = Text)]
    pub handle: String,
    /// The tag of the guild.
    #[diesel(sql_type = Nullable<Text>)]
    pub guild: Option<String>,
    /// Whether repeated kills were decided with the player as a claimed one.
    #[diesel(sql_type = Bool)]
    pub is_claimed: bool,
    /// Figures that no event accounts for, as JSON.
    #[diesel(sql_type = Nullable<Text>)]
    pub figures: Option<String>,
    #[diesel(sql_type = BigInt)]
    pub pu_player_kills: i64,
    #[diesel(sql_type = BigInt)]
    pub pve_kills: i64,
    #[diesel(sql_type = BigInt)]
    pub vehicle_destructions: i64,
    #[diesel(sql_type = BigInt)]
    pub missions_completed: i64,
    #[diesel(sql_type = BigInt)]
    pub playtime: i64,
    #[diesel(sql_type = BigInt)]
    pub confirmed_pu_player_kills: i64,
    #[diesel(sql_type = BigInt)]
    pub confirmed_pve_kills: i64,
    #[diesel(sql_type = BigInt)]
    pub confirmed_vehicle_destructions: i64,
    #[diesel(sql_type = BigInt)]
    pub confirmed_missions_completed: i64,
}

impl_scores!(ExportedPlayer);

impl ExportedPlayer {
    /// Whether the player has figures, or a claim on which repeated kills depend.
    pub fn has_line(&self) -> bool {
        self.is_claimed || self.figures.is_some() || !self.scores().is_zero()
    }
}

const FIGURES: [&str; 9] = [
    "pu_player_kills",
    "pve_kills",
    "vehicle_destructions",
    "missions_completed",
    "playtime",
    "confirmed_pu_player_kills",
    "confirmed_pve_kills",
    "confirmed_vehicle_destructions",
    "confirmed_missions_completed",
];

/// The players after an id who are shown, by id.
pub fn players_after(conn: &mut AnyConn, id: i64, limit: i64) -> QueryResult<Vec<ExportedPlayer>> {
    let figures = FIGURES.map(|figure| format!("COALESCE(s.{figure}, 0) AS {figure}")).join(", ");
    diesel::sql_query(format!(
        "SELECT p.id, p.handle, g.tag AS guild, c.player_id IS NOT NULL AS is_claimed, b.figures, {figures} FROM players p \
         LEFT JOIN player_scores s ON s.player_id = p.id LEFT JOIN player_baselines b ON b.player_id = p.id \
         LEFT JOIN repeat_claims c ON c.player_id = p.id LEFT JOIN guilds g ON g.id = p.guild_id \
         WHERE p.id > $1 AND NOT p.is_hidden AND NOT p.is_provisional ORDER BY p.id LIMIT $2"
    ))
    .bind::<BigInt, _>(id)
    .bind::<BigInt, _>(limit)
    .load(conn)
}

/// The scores of the members who are not shown, by guild.
pub fn hidden_guild_scores(conn: &mut AnyConn) -> QueryResult<Vec<(i64, Scores)>> {
    let sums = FIGURES.map(|figure| format!("CAST(SUM(s.{figure}) AS BIGINT) AS {figure}")).join(", ");
    let rows: Vec<GuildSum> = diesel::sql_query(format!(
        "SELECT p.guild_id, {sums} FROM players p JOIN player_scores s ON s.player_id = p.id \
         WHERE p.guild_id IS NOT NULL AND (p.is_hidden OR p.is_provisional) GROUP BY p.guild_id ORDER BY p.guild_id"
    ))
    .load(conn)?;
    Ok(rows.iter().map(|row| (row.guild_id, row.scores())).collect())
}

#[derive(QueryableByName)]
struct GuildSum {
    #[diesel(sql_type = BigInt)]
    guild_id: i64,
    #[diesel(sql_type = BigInt)]
    pu_player_kills: i64,
    #[diesel(sql_type = BigInt)]
    pve_kills: i64,
    #[diesel(sql_type = BigInt)]
    vehicle_destructions: i64,
    #[diesel(sql_type = BigInt)]
    missions_completed: i64,
    #[diesel(sql_type = BigInt)]
    playtime: i64,
    #[diesel(sql_type = BigInt)]
    confirmed_pu_player_kills: i64,
    #[diesel(sql_type = BigInt)]
    confirmed_pve_kills: i64,
    #[diesel(sql_type = BigInt)]
    confirmed_vehicle_destructions: i64,
    #[diesel(sql_type = BigInt)]
    confirmed_missions_completed: i64,
}

impl_scores!(GuildSum);
