//! Numbered things, handed out in the order of their numbers however they come in.

use std::collections::BTreeMap;

/// Holds what came too early until everything before it is here. Numbers have no holes.
#[derive(Debug)]
pub struct Order<T> {
    next: i64,
    waiting: BTreeMap<i64, T>,
}

impl<T> Order<T> {
    /// Begins with the thing after this number.
    pub fn after(last: i64) -> Self {
        Self { next: last + 1, waiting: BTreeMap::new() }
    }

    /// Takes a thing in; one whose turn is over, or that is here already, is dropped.
    pub fn put(&mut self, number: i64, thing: T) {
        if number >= self.next {
            self.waiting.entry(number).or_insert(thing);
        }
    }

    /// The thing whose turn it is, if it is here.
    pub fn take(&mut self) -> Option<T> {
        let thing = self.waiting.remove(&self.next)?;
        self.next += 1;
        Some(thing)
    }

    /// The number whose turn it is.
    pub fn next(&self) -> i64 {
        self.next
    }

    /// Whether something waits for one that is not here.
    pub fn has_gap(&self) -> bool {
        self.waiting.first_key_value().is_some_and(|(first, _)| *first > self.next)
    }

    pub fn holds(&self, number: i64) -> bool {
        self.waiting.contains_key(&number)
    }

    /// Goes on after this number; what waits up to it is dropped.
    pub fn jump(&mut self, last: i64) {
        self.next = self.next.max(last + 1);
        self.waiting = self.waiting.split_off(&self.next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_come_out_in_order_and_once() {
        let mut order = Order::after(4);
        for number in [7, 5, 5, 4, 8] {
            order.put(number, number);
        }
        assert_eq!((order.take(), order.take()), (Some(5), None));
        assert!(order.has_gap() && order.holds(7) && order.next() == 6);
        order.put(6, 6);
        assert_eq!([order.take(), order.take(), order.take(), order.take()], [Some(6), Some(7), Some(8), None]);
        order.put(5, 5);
        assert!(order.take().is_none() && !order.has_gap());
    }

    #[test]
    fn a_jump_drops_what_is_behind_it() {
        let mut order = Order::after(0);
        order.put(3, 'a');
        order.put(9, 'b');
        order.jump(5);
        assert_eq!((order.next(), order.holds(3), order.holds(9)), (6, false, true));
        order.jump(2);
        assert_eq!(order.next(), 6);
    }
}
