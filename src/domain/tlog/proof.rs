//! Proofs of inclusion and of consistency (RFC 6962, section 2.1).
//!
//! A proof is a list of subtree roots. The functions that end in `ranges` name the subtrees, so that a server and a client can compute
//! them from tiles.

use super::hash::{Hash, node_hash};

/// The leaves from `start` up to `end`, exclusive, as one subtree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LeafRange {
    pub start: u64,
    pub end: u64,
}

impl LeafRange {
    pub fn new(start: u64, end: u64) -> Self {
        Self { start, end }
    }

    /// The complete subtrees of a range, from the left: `(height, index among the nodes of this height)`. The range starts at a multiple
    /// of the power of two that is not smaller than its length, as in every proof.
    pub fn nodes(self) -> Vec<(u8, u64)> {
        let (mut start, mut nodes) = (self.start, Vec::new());
        while start < self.end {
            let height = (self.end - start).ilog2();
            nodes.push((height as u8, start >> height));
            start += 1 << height;
        }
        nodes
    }
}

/// The largest power of two that is smaller than `count`, which is at least 2.
fn split(count: u64) -> u64 {
    1 << (count - 1).ilog2()
}

/// The subtrees of the proof that the leaf `index` is in a tree of `size` leaves, from the leaf to the root.
pub fn inclusion_ranges(index: u64, size: u64) -> Vec<LeafRange> {
    let (mut low, mut high, mut ranges) = (0, size, Vec::new());
    while index < size && high - low > 1 {
        let middle = low + split(high - low);
        if index < middle {
            ranges.push(LeafRange::new(middle, high));
            high = middle;
        } else {
            ranges.push(LeafRange::new(low, middle));
            low = middle;
        }
    }
    ranges.reverse();
    ranges
}

/// Whether `proof` shows that `leaf` is the leaf `index` of the tree with this size and root.
pub fn verify_inclusion(index: u64, size: u64, leaf: Hash, proof: &[Hash], root: Hash) -> bool {
    let ranges = inclusion_ranges(index, size);
    if index >= size || ranges.len() != proof.len() {
        return false;
    }
    let computed = ranges.iter().zip(proof).fold(leaf, |below, (range, beside)| {
        if range.start > index { node_hash(below, *beside) } else { node_hash(*beside, below) }
    });
    computed == root
}

/// The subtrees of the proof that a tree of `old` leaves is the beginning of a tree of `new` leaves.
pub fn consistency_ranges(old: u64, new: u64) -> Vec<LeafRange> {
    let mut ranges = Vec::new();
    if 0 < old && old < new {
        add_consistency(old, LeafRange::new(0, new), true, &mut ranges);
    }
    ranges
}

/// `old` leaves of the range belong to the old tree. `is_known`: the subtree is the whole old tree, whose root the verifier has.
fn add_consistency(old: u64, range: LeafRange, is_known: bool, ranges: &mut Vec<LeafRange>) {
    let count = range.end - range.start;
    if old == count {
        if !is_known {
            ranges.push(range);
        }
        return;
    }
    let left = split(count);
    let middle = range.start + left;
    if old <= left {
        add_consistency(old, LeafRange::new(range.start, middle), is_known, ranges);
        ranges.push(LeafRange::new(middle, range.end));
    } else {
        add_consistency(old - left, LeafRange::new(middle, range.end), false, ranges);
        ranges.push(LeafRange::new(range.start, middle));
    }
}

/// Whether `proof` shows that the first tree, of `old` leaves, is the beginning of the second one, of `new` leaves.
pub fn verify_consistency(old: u64, old_root: Hash, new: u64, new_root: Hash, proof: &[Hash]) -> bool {
    match (old, proof) {
        (0, []) => old_root == Hash::of_nothing(),
        (_, []) if old == new => old_root == new_root,
        _ if old == 0 || old >= new => false,
        _ => {
            let mut rest = proof.iter().copied();
            let roots = rebuild(old, new, true, old_root, &mut rest);
            rest.next().is_none() && roots == Some((old_root, new_root))
        }
    }
}

/// The old and the new root of a subtree with `new` leaves, of which `old` belong to the old tree.
fn rebuild(
    old: u64,
    new: u64,
    is_known: bool,
    known: Hash,
    proof: &mut impl Iterator<Item = Hash>,
) -> Option<(Hash, Hash)> {
    if old == new {
        let root = if is_known { known } else { proof.next()? };
        return Some((root, root));
    }
    let left = split(new);
    if old <= left {
        let (before, after) = rebuild(old, left, is_known, known, proof)?;
        let right = proof.next()?;
        Some((before, node_hash(after, right)))
    } else {
        let (before, after) = rebuild(old - left, new - left, false, known, proof)?;
        let beside = proof.next()?;
        Some((node_hash(beside, before), node_hash(beside, after)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::hash::leaf_hash;
    use super::*;

    /// The recursive definition of RFC 6962.
    fn root(leaves: &[Hash]) -> Hash {
        match leaves {
            [] => Hash::of_nothing(),
            [leaf] => *leaf,
            _ => {
                let (left, right) = leaves.split_at(split(leaves.len() as u64) as usize);
                node_hash(root(left), root(right))
            }
        }
    }

    fn leaves(count: usize) -> Vec<Hash> {
        (0..count).map(|number| leaf_hash(&[], &number.to_string())).collect()
    }

    fn hashes(leaves: &[Hash], ranges: Vec<LeafRange>) -> Vec<Hash> {
        ranges.into_iter().map(|range| root(&leaves[range.start as usize..range.end as usize])).collect()
    }

    #[test]
    fn roots_equal_those_of_another_program() {
        // The leaves "0", "1", … without salt; computed with hashlib and the definition of RFC 6962.
        for (count, expected) in [
            (1, "db3426e878068d28d269b6c87172322ce5372b65756d0789001d34835f601c03"),
            (2, "cb00989d94a569c0a678ae042b63dcd4625db96440517f37a6eb7976ea24ed4b"),
            (3, "725d5230db68f557470dc35f1d8865813acd7ebb07ad152774141decbae71327"),
            (7, "a3e23b32ccb6bf96d092d165d8aa546e09829de8f03b0e8957581d1e16b92bdf"),
            (300, "84e13ec1e037155ae619757599b2cd21ada5a565e0fd9b3139c0c3c6c1b8ada9"),
        ] {
            assert_eq!(root(&leaves(count)).to_string(), expected, "{count}");
        }
    }

    #[test]
    fn proofs_of_the_tree_with_seven_leaves_are_those_of_rfc_6962() {
        let range = |start, end| LeafRange::new(start, end);
        // PATH(0, D[7]) = [b, h, l]; PATH(6, D[7]) = [i, k]; PROOF(3, D[7]) = [c, d, g, l]; PROOF(4, D[7]) = [l].
        assert_eq!(inclusion_ranges(0, 7), [range(1, 2), range(2, 4), range(4, 7)]);
        assert_eq!(inclusion_ranges(6, 7), [range(4, 6), range(0, 4)]);
        assert_eq!(consistency_ranges(3, 7), [range(2, 3), range(3, 4), range(0, 2), range(4, 7)]);
        assert_eq!(consistency_ranges(4, 7), [range(4, 7)]);
        assert_eq!(consistency_ranges(6, 7), [range(4, 6), range(6, 7), range(0, 4)]);
    }

    #[test]
    fn only_the_right_leaf_is_included() {
        let all = leaves(70);
        for size in 1..=all.len() {
            let tree = root(&all[..size]);
            for index in 0..size {
                let proof = hashes(&all, inclusion_ranges(index as u64, size as u64));
                let verify = |index: usize, leaf: Hash, proof: &[Hash]| {
                    verify_inclusion(index as u64, size as u64, leaf, proof, tree)
                };
                assert!(verify(index, all[index], &proof), "{index} of {size}");
                assert!(!verify(index, Hash::of_nothing(), &proof));
                assert!(size == 1 || !verify((index + 1) % size, all[index], &proof));
                assert!(proof.is_empty() || !verify(index, all[index], &proof[1..]));
            }
            assert!(!verify_inclusion(size as u64, size as u64, all[0], &[], tree));
        }
    }

    #[test]
    fn only_a_beginning_is_consistent() {
        let all = leaves(40);
        let mut other = all.clone();
        other[0] = Hash::of_nothing();
        for new in 1..=all.len() {
            for old in 1..=new {
                let proof = hashes(&all, consistency_ranges(old as u64, new as u64));
                let verify = |old_root, new_root, proof: &[Hash]| {
                    verify_consistency(old as u64, old_root, new as u64, new_root, proof)
                };
                let (before, after) = (root(&all[..old]), root(&all[..new]));
                assert!(verify(before, after, &proof), "{old} of {new}");
                assert!(!verify(root(&other[..old]), after, &proof));
                assert!(!verify(before, root(&other[..new]), &proof));
                assert!(!verify(before, after, &[proof.as_slice(), &[after]].concat()));
            }
        }
        assert!(verify_consistency(0, Hash::of_nothing(), 5, root(&all[..5]), &[]));
        assert!(!verify_consistency(5, root(&all[..5]), 4, root(&all[..4]), &[]));
    }
}
