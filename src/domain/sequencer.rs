//! Numbered things, handed out in the sequencer of their numbers however they come in.

use std::collections::BTreeMap;

/// Holds what came too early until everything before it is here. Numbers have no holes.
#[derive(Debug)]
pub struct Sequencer<T> {
    next: i64,
    waiting: BTreeMap<i64, T>,
}

impl<T> Sequencer<T> {
    /// Begins with the item after this number.
    pub fn after(last: i64) -> Self {
        Self { next: last + 1, waiting: BTreeMap::new() }
    }

    /// Takes a item in; one whose turn is over, or that is here already, is dropped.
    pub fn insert(&mut self, number: i64, item: T) {
        if number >= self.next {
            self.waiting.entry(number).or_insert(item);
        }
    }

    /// The item whose turn it is, if it is here.
    pub fn pop(&mut self) -> Option<T> {
        let item = self.waiting.remove(&self.next)?;
        self.next += 1;
        Some(item)
    }

    /// The number whose turn it is.
    pub fn next_number(&self) -> i64 {
        self.next
    }

    /// Whether something waits for one that is not here.
    pub fn has_gap(&self) -> bool {
        self.waiting.first_key_value().is_some_and(|(first, _)| *first > self.next)
    }

    pub fn contains(&self, number: i64) -> bool {
        self.waiting.contains_key(&number)
    }

    /// Goes on after this number; what waits up to it is dropped.
    pub fn skip_to(&mut self, last: i64) {
        self.next = self.next.max(last + 1);
        self.waiting = self.waiting.split_off(&self.next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_come_out_in_order_and_once() {
        let mut sequencer = Sequencer::after(4);
        for number in [7, 5, 5, 4, 8] {
            sequencer.insert(number, number);
        }
        assert_eq!((sequencer.pop(), sequencer.pop()), (Some(5), None));
        assert!(sequencer.has_gap() && sequencer.contains(7) && sequencer.next_number() == 6);
        sequencer.insert(6, 6);
        assert_eq!(
            [sequencer.pop(), sequencer.pop(), sequencer.pop(), sequencer.pop()],
            [Some(6), Some(7), Some(8), None]
        );
        sequencer.insert(5, 5);
        assert!(sequencer.pop().is_none() && !sequencer.has_gap());
    }

    #[test]
    fn a_jump_drops_what_is_behind_it() {
        let mut sequencer = Sequencer::after(0);
        sequencer.insert(3, 'a');
        sequencer.insert(9, 'b');
        sequencer.skip_to(5);
        assert_eq!((sequencer.next_number(), sequencer.contains(3), sequencer.contains(9)), (6, false, true));
        sequencer.skip_to(2);
        assert_eq!(sequencer.next_number(), 6);
    }
}
