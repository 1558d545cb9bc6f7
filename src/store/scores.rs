//! Conversions between columns and the scores and counters of `domain`.

use diesel::backend::Backend;
use diesel::deserialize::{self, FromStaticSqlRow, Queryable};
use diesel::sql_types::BigInt;

use crate::domain::counters::Counters;
use crate::domain::scores::Scores;

type ScoreColumns = (BigInt, BigInt, BigInt, BigInt, BigInt);
type ScoreValues = (i64, i64, i64, i64, i64);

/// Reads five columns in the order of the fields.
impl<DB: Backend> Queryable<ScoreColumns, DB> for Scores
where
    ScoreValues: FromStaticSqlRow<ScoreColumns, DB>,
{
    type Row = ScoreValues;

    fn build(row: ScoreValues) -> deserialize::Result<Self> {
        Ok(Self::from([row.0, row.1, row.2, row.3, row.4]))
    }
}

type CounterColumns = (BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt);
type CounterValues = (i64, i64, i64, i64, i64, i64, i64, i64, i64, i64);

/// Reads ten columns in the order of `Counter::ALL`.
impl<DB: Backend> Queryable<CounterColumns, DB> for Counters
where
    CounterValues: FromStaticSqlRow<CounterColumns, DB>,
{
    type Row = CounterValues;

    fn build(v: CounterValues) -> deserialize::Result<Self> {
        Ok(Self::from([v.0, v.1, v.2, v.3, v.4, v.5, v.6, v.7, v.8, v.9]))
    }
}

/// Adds `scores()` to a row that has the columns of [`Scores`].
macro_rules! impl_scores {
    ($row:ty) => {
        impl $row {
            /// The ranked scores.
            pub fn scores(&self) -> $crate::domain::scores::Scores {
                $crate::domain::scores::Scores {
                    pu_player_kills: self.pu_player_kills,
                    pve_kills: self.pve_kills,
                    vehicle_destructions: self.vehicle_destructions,
                    missions_completed: self.missions_completed,
                    playtime: self.playtime,
                }
            }
        }
    };
}
pub(super) use impl_scores;
