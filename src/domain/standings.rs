//! The best of a board in order, so that a page is cut out without asking the database.
//!
//! Everybody's order would be millions of names in memory, and nobody turns to the thousandth page: some ten thousand are kept.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

/// How many rows of a board are kept at least, where there are so many.
pub const DEPTH: usize = 10_000;
/// What is kept beyond, so that a few who leave do not make it too short.
pub const SPARE: usize = 2_000;
/// A piece with more seats is cut in two: what moves when somebody comes or goes stays short.
const PIECE: usize = 512;

/// One who has a score above 0.
#[derive(Debug, Clone)]
struct Seat {
    score: i64,
    name: Arc<str>,
    id: i64,
}

/// Those with the highest scores, ties in the order of their names.
#[derive(Debug, Default)]
pub struct Standings {
    /// Never empty ones, each in order, all in order.
    pieces: Vec<Vec<Seat>>,
    known: HashMap<i64, (i64, Arc<str>)>,
    /// Everybody with a score is here, not only the best.
    is_whole: bool,
}

impl Seat {
    fn key(&self) -> (Reverse<i64>, &str, i64) {
        (Reverse(self.score), &self.name, self.id)
    }
}

impl Standings {
    /// From `(id, score, name)` of the best `DEPTH + SPARE`, in their order; fewer are all there are.
    pub fn new(best: impl Iterator<Item = (i64, i64, Arc<str>)>) -> Self {
        let mut standings = Self { is_whole: true, ..Self::default() };
        best.for_each(|(id, score, name)| standings.seat(Seat { score, name, id }));
        standings.is_whole = standings.len() < DEPTH + SPARE;
        standings
    }

    /// How many are known.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// So many have left that the database has to be asked again.
    pub fn is_short(&self) -> bool {
        !self.is_whole && self.len() < DEPTH
    }

    /// Notes what somebody is called and has by now; 0 and less: no place on this board. To note it again changes nothing.
    pub fn put(&mut self, id: i64, name: &str, score: i64) {
        match self.known.get(&id) {
            Some((had, was)) if *had == score && **was == *name => return,
            Some(_) => self.leave(id),
            None => {}
        }
        let is_among = self.is_whole
            || self
                .pieces
                .last()
                .and_then(|piece| piece.last())
                .is_some_and(|last| (Reverse(score), name, id) < last.key());
        if score > 0 && is_among {
            self.seat(Seat { score, name: name.into(), id });
        }
        if self.len() > DEPTH + SPARE {
            self.is_whole = false;
            self.drop_last();
        }
    }

    /// Ids from a place on, best first; `None` when the part lies below what is known.
    pub fn page(&self, offset: usize, limit: usize) -> Option<Vec<i64>> {
        let end = offset.saturating_add(limit);
        if end > self.len() && !self.is_whole {
            return None;
        }
        let mut skip = offset;
        let mut ids = Vec::with_capacity(limit.min(self.len().saturating_sub(offset)));
        for piece in &self.pieces {
            if skip >= piece.len() {
                skip -= piece.len();
                continue;
            }
            ids.extend(piece[skip..].iter().take(limit - ids.len()).map(|seat| seat.id));
            skip = 0;
            if ids.len() == limit {
                break;
            }
        }
        Some(ids)
    }

    /// All ids, best first.
    pub fn ids(&self) -> impl Iterator<Item = i64> {
        self.pieces.iter().flatten().map(|seat| seat.id)
    }

    fn seat(&mut self, seat: Seat) {
        self.known.insert(seat.id, (seat.score, Arc::clone(&seat.name)));
        let Some(at) = self.piece_of(&seat) else { return self.pieces.push(vec![seat]) };
        let piece = &mut self.pieces[at];
        let place = piece.partition_point(|other| other.key() < seat.key());
        piece.insert(place, seat);
        if piece.len() > PIECE {
            let rest = piece.split_off(PIECE / 2);
            self.pieces.insert(at + 1, rest);
        }
    }

    fn leave(&mut self, id: i64) {
        let Some((score, name)) = self.known.remove(&id) else { return };
        let seat = Seat { score, name, id };
        let Some(at) = self.piece_of(&seat) else { return };
        self.pieces[at].retain(|other| other.id != id);
        if self.pieces[at].is_empty() {
            self.pieces.remove(at);
        }
    }

    fn drop_last(&mut self) {
        let last = self.pieces.last().and_then(|piece| piece.last()).map(|seat| seat.id);
        last.into_iter().for_each(|id| self.leave(id));
    }

    /// The piece that holds a seat or has to take it: the first that does not end before it, else the last.
    fn piece_of(&self, seat: &Seat) -> Option<usize> {
        let ends_before = |piece: &Vec<Seat>| piece.last().is_some_and(|last| last.key() < seat.key());
        let at = self.pieces.partition_point(ends_before);
        (!self.pieces.is_empty()).then(|| at.min(self.pieces.len() - 1))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn all(standings: &Standings) -> Vec<i64> {
        standings.page(0, standings.len()).unwrap()
    }

    #[test]
    fn whoever_comes_rises_falls_or_leaves_stands_where_sorting_would_put_them() {
        let mut standings = Standings::new(std::iter::empty());
        let mut people: BTreeMap<i64, (i64, String)> = BTreeMap::new();
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for step in 0..20_000 {
            let id = random(3_000) as i64;
            let name = format!("name-{}", if random(50) == 0 { random(9) } else { id as u64 % 1_000 });
            let score = random(40) as i64;
            standings.put(id, &name, score);
            people.insert(id, (score, name));
            if step % 997 == 0 {
                let mut sorted: Vec<_> = people.iter().filter(|(_, (score, _))| *score > 0).collect();
                sorted.sort_by_key(|(id, (score, name))| (Reverse(*score), name.clone(), **id));
                assert_eq!(all(&standings), sorted.iter().map(|(id, _)| **id).collect::<Vec<_>>());
                assert_eq!(
                    standings.page(100, 50).unwrap(),
                    all(&standings)[100.min(standings.len())..150.min(standings.len())]
                );
            }
        }
        assert!(standings.len() > 2_000, "the test would show little");
    }

    #[test]
    fn below_what_is_known_the_database_has_to_be_asked() {
        let best = (0..(DEPTH + SPARE) as i64).map(|n| (n, 100_000 - n, Arc::from(format!("p{n}"))));
        let mut standings = Standings::new(best);
        assert_eq!(standings.page(DEPTH, 2).unwrap(), [DEPTH as i64, DEPTH as i64 + 1]);
        assert_eq!(standings.page(DEPTH + SPARE, 1), None);
        // Somebody unknown with less than the last may stand anywhere below.
        standings.put(-1, "low", 5);
        assert_eq!(standings.page(DEPTH + SPARE, 1), None);
        standings.put(-2, "high", 200_000);
        assert_eq!((standings.page(0, 1).unwrap(), standings.len()), (vec![-2], DEPTH + SPARE));
        assert!(!standings.is_short());
        for id in 0..=SPARE as i64 {
            standings.put(id, &format!("p{id}"), 0);
        }
        assert!(standings.is_short());
        assert_eq!(standings.page(DEPTH, 1), None);
    }

    #[test]
    fn where_all_are_known_the_end_is_the_end() {
        let standings = Standings::new([(1, 9, Arc::from("b")), (2, 9, Arc::from("c"))].into_iter());
        assert_eq!(standings.page(1, 30).unwrap(), [2]);
        assert_eq!(standings.page(5, 30).unwrap(), [0; 0]);
    }
}
