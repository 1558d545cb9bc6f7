//! The columns of scores and counters. The tables that have them list them only here.

use diesel::backend::Backend;
use diesel::deserialize::{self, FromStaticSqlRow, Queryable, QueryableByName};
use diesel::expression::AsExpression;
use diesel::row::NamedRow;
use diesel::sql_types::BigInt;

use crate::domain::counters::{Counter, Counters};
use crate::domain::scores::Scores;

/// Values that are columns of a table, or of several.
pub(super) trait ColumnGroup {
    type Values;

    /// The names of the columns, in the order of the values.
    fn columns() -> Vec<&'static str>;

    /// The values of an insert.
    fn values(self) -> Self::Values;
}

type Value = <i64 as AsExpression<BigInt>>::Expression;

fn value(figure: i64) -> Value {
    AsExpression::<BigInt>::as_expression(figure)
}

impl ColumnGroup for Scores {
    type Values = (Value, Value, Value, Value, Value, Value, Value, Value);

    fn columns() -> Vec<&'static str> {
        Self::NAMES.to_vec()
    }

    fn values(self) -> Self::Values {
        <[i64; 8]>::from(self).map(value).into()
    }
}

/// The columns of [`Scores`] in a table, as an expression or as its type.
macro_rules! score_columns {
    ($table:ident) => {
        (
            $crate::store::schema::$table::pu_player_kills,
            $crate::store::schema::$table::pve_kills,
            $crate::store::schema::$table::vehicle_destructions,
            $crate::store::schema::$table::missions_completed,
            $crate::store::schema::$table::playtime,
            $crate::store::schema::$table::career,
            $crate::store::schema::$table::ships_flown,
            $crate::store::schema::$table::universe_time,
        )
    };
}

/// Assignments that add scores to the columns of a table.
macro_rules! scores_added {
    ($table:ident, $scores:expr) => {
        (
            $table::overall.eq($table::overall + $scores.overall()),
            $table::pu_player_kills.eq($table::pu_player_kills + $scores.pu_player_kills),
            $table::pve_kills.eq($table::pve_kills + $scores.pve_kills),
            $table::vehicle_destructions.eq($table::vehicle_destructions + $scores.vehicle_destructions),
            $table::missions_completed.eq($table::missions_completed + $scores.missions_completed),
            $table::playtime.eq($table::playtime + $scores.playtime),
            $table::career.eq($table::career + $scores.career),
            $table::ships_flown.eq($table::ships_flown + $scores.ships_flown),
            $table::universe_time.eq($table::universe_time + $scores.universe_time),
        )
    };
}
pub(super) use {score_columns, scores_added};

type ScoreColumns = (BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt);
type ScoreValues = (i64, i64, i64, i64, i64, i64, i64, i64);

/// Reads [`score_columns!`].
impl<DB: Backend> Queryable<ScoreColumns, DB> for Scores
where
    ScoreValues: FromStaticSqlRow<ScoreColumns, DB>,
{
    type Row = ScoreValues;

    fn build(row: ScoreValues) -> deserialize::Result<Self> {
        Ok(Self::from(<[i64; 8]>::from(row)))
    }
}

/// Reads the columns by their names.
impl<DB: Backend> QueryableByName<DB> for Scores
where
    i64: deserialize::FromSql<BigInt, DB>,
{
    fn build<'a>(row: &impl NamedRow<'a, DB>) -> deserialize::Result<Self> {
        let mut figures = [0; Self::NAMES.len()];
        for (figure, column) in figures.iter_mut().zip(Self::columns()) {
            *figure = NamedRow::get::<BigInt, i64>(row, column)?;
        }
        Ok(Self::from(figures))
    }
}

impl ColumnGroup for Counters {
    type Values = (Value, Value, Value, Value, Value, Value, Value, Value, Value, Value);

    fn columns() -> Vec<&'static str> {
        Counter::ALL.map(Counter::name).to_vec()
    }

    fn values(self) -> Self::Values {
        <[i64; Counter::ALL.len()]>::from(self).map(value).into()
    }
}

type CounterColumns = (BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt);
type CounterValues = (i64, i64, i64, i64, i64, i64, i64, i64, i64, i64);

/// Reads ten columns in the order of [`Counter::ALL`].
impl<DB: Backend> Queryable<CounterColumns, DB> for Counters
where
    CounterValues: FromStaticSqlRow<CounterColumns, DB>,
{
    type Row = CounterValues;

    fn build(row: CounterValues) -> deserialize::Result<Self> {
        Ok(Self::from(<[i64; Counter::ALL.len()]>::from(row)))
    }
}
