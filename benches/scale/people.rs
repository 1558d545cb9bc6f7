//! The players in the database, and the queries of the load.

use std::path::Path;

use apogee::domain::scores::Scores;
use apogee::search::Kind;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

use super::Outcome;

const QUERIES: usize = 2_000;

/// All visible players, best first, and the names of guilds.
pub struct People {
    pub players: Vec<(String, Scores)>,
    pub guilds: Vec<String>,
}

#[derive(QueryableByName)]
struct Player {
    #[diesel(sql_type = Text)]
    handle: String,
    #[diesel(sql_type = BigInt)]
    pvp: i64,
    #[diesel(sql_type = BigInt)]
    pve: i64,
    #[diesel(sql_type = BigInt)]
    vehicles: i64,
    #[diesel(sql_type = BigInt)]
    missions: i64,
    #[diesel(sql_type = BigInt)]
    playtime: i64,
}

#[derive(QueryableByName)]
struct Guild {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Queries by group.
pub struct Queries {
    pub groups: Vec<Group>,
}

pub struct Group {
    pub name: String,
    pub kind: Kind,
    pub is_typo: bool,
    pub texts: Vec<String>,
}

impl People {
    pub fn read(dir: &Path) -> Outcome<Self> {
        let mut conn = SqliteConnection::establish(&dir.join("apogee.db").display().to_string())?;
        let players: Vec<Player> = diesel::sql_query(
            "SELECT p.handle, coalesce(s.pu_player_kills, 0) AS pvp, coalesce(s.pve_kills, 0) AS pve, \
             coalesce(s.vehicle_destructions, 0) AS vehicles, coalesce(s.missions_completed, 0) AS missions, \
             coalesce(s.playtime, 0) AS playtime FROM players p LEFT JOIN player_scores s ON s.player_id = p.id \
             WHERE NOT p.is_hidden ORDER BY coalesce(s.overall, 0) DESC",
        )
        .load(&mut conn)?;
        let guilds: Vec<Guild> = diesel::sql_query("SELECT name FROM guilds").load(&mut conn)?;
        let scores = |p: &Player| Scores {
            pu_player_kills: p.pvp,
            pve_kills: p.pve,
            vehicle_destructions: p.vehicles,
            missions_completed: p.missions,
            playtime: p.playtime,
            ..Scores::default()
        };
        let players = players.into_iter().map(|p| (scores(&p), p)).map(|(scores, p)| (p.handle, scores));
        Ok(Self { players: players.collect(), guilds: guilds.into_iter().map(|g| g.name).collect() })
    }

    pub fn some(&self, random: &mut Random) -> &str {
        &self.players[random.below(self.players.len())].0
    }

    pub fn queries(&self) -> Queries {
        let mut random = Random(5);
        let mut groups = Vec::new();
        let mut add = |name: String, kind: Kind, is_typo: bool, mut text: Box<dyn FnMut() -> String + '_>| {
            groups.push(Group { name, kind, is_typo, texts: (0..QUERIES).map(|_| text()).collect() });
        };
        for chars in [1, 2, 3, 4, 5, 6, 7, 8, 12] {
            let text = Box::new(|| self.some(&mut random).chars().take(chars).collect());
            add(format!("hit, {chars} characters"), Kind::Player, false, text);
        }
        add("hit, whole handle".into(), Kind::Player, false, Box::new(|| self.some(&mut random).to_owned()));
        for chars in [4, 5, 6, 8, 12] {
            let text = Box::new(|| {
                let mut text: Vec<char> = self.some(&mut random).chars().take(chars).collect();
                let at = random.below(text.len());
                text[at] = ['q', 'x', '7', 'j'][random.below(4)];
                String::from_iter(text)
            });
            add(format!("one typo, {chars} characters"), Kind::Player, true, text);
        }
        add("miss, 3 characters".into(), Kind::Player, false, Box::new(|| format!("q{}z", random.below(9))));
        let text = Box::new(|| format!("qx{}zj", random.below(9_999_999)));
        add("miss, 5 to 11 characters".into(), Kind::Player, true, text);
        let text = Box::new(|| {
            let name = &self.guilds[random.below(self.guilds.len().max(1))];
            name.chars().take(2 + random.below(7)).collect()
        });
        if !self.guilds.is_empty() {
            add("guild, 2 to 8 characters".into(), Kind::Guild, false, text);
        }
        Queries { groups }
    }
}

/// The SplitMix64 generator, and values drawn from it.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }
}
