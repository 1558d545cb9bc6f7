//! Releases numbered items in the order of their numbers, whatever order they arrive in.

use std::collections::BTreeMap;

/// Holds items until all items with smaller numbers have been taken. Numbers have no gaps.
#[derive(Debug)]
pub struct Sequencer<T> {
    next: i64,
    waiting: BTreeMap<i64, T>,
}

impl<T> Sequencer<T> {
    /// Starts after the number `last`.
    pub fn after(last: i64) -> Self {
        Self { next: last + 1, waiting: BTreeMap::new() }
    }

    /// Adds an item. An item whose number was already released or is already held is dropped.
    pub fn insert(&mut self, number: i64, item: T) {
        if number >= self.next {
            self.waiting.entry(number).or_insert(item);
        }
    }

    /// Removes the item with the next number, if it has arrived.
    pub fn pop(&mut self) -> Option<T> {
        let item = self.waiting.remove(&self.next)?;
        self.next += 1;
        Some(item)
    }

    /// The number that is released next.
    pub fn next_number(&self) -> i64 {
        self.next
    }

    /// Whether items are held because a smaller number has not arrived.
    pub fn has_gap(&self) -> bool {
        self.waiting.first_key_value().is_some_and(|(first, _)| *first > self.next)
    }

    pub fn contains(&self, number: i64) -> bool {
        self.waiting.contains_key(&number)
    }

    /// Continues after the number `last` and drops the items up to it.
    pub fn skip_to(&mut self, last: i64) {
        self.next = self.next.max(last + 1);
        self.waiting = self.waiting.split_off(&self.next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_released_in_order_and_once() {
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
    fn skipping_drops_items_up_to_the_number() {
        let mut sequencer = Sequencer::after(0);
        sequencer.insert(3, 'a');
        sequencer.insert(9, 'b');
        sequencer.skip_to(5);
        assert_eq!((sequencer.next_number(), sequencer.contains(3), sequencer.contains(9)), (6, false, true));
        sequencer.skip_to(2);
        assert_eq!(sequencer.next_number(), 6);
    }
}
