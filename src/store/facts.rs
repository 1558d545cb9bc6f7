//! Facts about the database itself.

use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::conn::AnyConn;

#[derive(QueryableByName)]
struct Size {
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

/// How much room the database takes.
pub fn size_bytes(conn: &mut AnyConn) -> QueryResult<i64> {
    let text = if conn.is_postgres() {
        "SELECT pg_database_size(current_database())::BIGINT AS bytes"
    } else {
        "SELECT CAST(c.page_count * s.page_size AS BIGINT) AS bytes FROM pragma_page_count() c, pragma_page_size() s"
    };
    diesel::sql_query(text).get_result::<Size>(conn).map(|size| size.bytes)
}
