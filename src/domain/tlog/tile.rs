//! Tiles of the tree, as <https://c2sp.org/tlog-tiles> defines them: 256 hashes of one level, eight heights apart.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::hash::{Hash, node_hash};
use super::proof::LeafRange;

/// Hashes of a full tile.
pub const TILE_WIDTH: u64 = 256;
/// Heights of the tree between two levels of tiles.
const TILE_HEIGHT: u8 = 8;

/// A tile by its level and its index in the level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TileId {
    pub level: u8,
    pub index: u64,
}

impl TileId {
    /// Number of hashes of this tile in a tree of `size` leaves, 0 to 256.
    pub fn width(self, size: u64) -> u64 {
        nodes_of_level(self.level, size).saturating_sub(self.index.saturating_mul(TILE_WIDTH)).min(TILE_WIDTH)
    }
}

/// Number of hashes in all tiles of a level.
fn nodes_of_level(level: u8, size: u64) -> u64 {
    size.checked_shr(u32::from(level) * u32::from(TILE_HEIGHT)).unwrap_or(0)
}

/// The tiles at the right edge that are not full.
pub fn partial_tiles(size: u64) -> Vec<TileId> {
    (0..TILE_HEIGHT)
        .map(|level| TileId { level, index: nodes_of_level(level, size) / TILE_WIDTH })
        .filter(|tile| tile.width(size) > 0)
        .collect()
}

/// The tile of a node, and the range of the tile's hashes below the node.
fn tile_of(height: u8, index: u64) -> (TileId, std::ops::Range<usize>) {
    let within = height % TILE_HEIGHT;
    let first = index << within;
    let tile = TileId { level: height / TILE_HEIGHT, index: first / TILE_WIDTH };
    let start = (first % TILE_WIDTH) as usize;
    (tile, start..start + (1 << within))
}

/// The tiles from which the hashes of these ranges can be computed.
pub fn tiles_of(ranges: &[LeafRange]) -> BTreeSet<TileId> {
    ranges.iter().flat_map(|range| range.nodes()).map(|(height, index)| tile_of(height, index).0).collect()
}

/// Some tiles of a tree.
#[derive(Debug, Clone, Default)]
pub struct TileSet(BTreeMap<TileId, Vec<Hash>>);

impl TileSet {
    pub fn insert(&mut self, tile: TileId, hashes: Vec<Hash>) {
        self.0.insert(tile, hashes);
    }

    pub fn contains(&self, tile: TileId) -> bool {
        self.0.contains_key(&tile)
    }

    pub fn hashes(&self, tile: TileId) -> Option<&[Hash]> {
        self.0.get(&tile).map(Vec::as_slice)
    }

    /// The hash of a leaf.
    pub fn leaf(&self, index: u64) -> Option<Hash> {
        self.range(LeafRange::new(index, index + 1))
    }

    /// The hash of a subtree; `None` if a tile is missing or too short.
    pub fn range(&self, range: LeafRange) -> Option<Hash> {
        let nodes = range.nodes().into_iter().map(|(height, index)| self.node(height, index));
        let nodes = nodes.collect::<Option<Vec<Hash>>>()?;
        match nodes.split_last() {
            None => Some(Hash::of_nothing()),
            Some((last, others)) => Some(others.iter().rev().fold(*last, |right, left| node_hash(*left, right))),
        }
    }

    pub fn ranges(&self, ranges: &[LeafRange]) -> Option<Vec<Hash>> {
        ranges.iter().map(|range| self.range(*range)).collect()
    }

    fn node(&self, height: u8, index: u64) -> Option<Hash> {
        let (tile, range) = tile_of(height, index);
        Some(complete_root(self.0.get(&tile)?.get(range)?))
    }
}

/// The root over hashes whose number is a power of two.
fn complete_root(hashes: &[Hash]) -> Hash {
    let mut level = hashes.to_vec();
    while level.len() > 1 {
        level = level.chunks(2).map(|pair| node_hash(pair[0], pair[1])).collect();
    }
    level.first().copied().unwrap_or_else(Hash::of_nothing)
}

/// A tree that grows: its tiles that are not full, and those that changed.
#[derive(Debug, Clone)]
pub struct Tree {
    size: u64,
    tiles: TileSet,
    changed: BTreeSet<TileId>,
}

impl Tree {
    /// A tree of `size` leaves. `tiles` contains its [`partial_tiles`]; `None` if one is missing or has another width.
    pub fn resume(size: u64, tiles: TileSet) -> Option<Self> {
        let is_complete = partial_tiles(size)
            .iter()
            .all(|tile| tiles.hashes(*tile).is_some_and(|hashes| hashes.len() as u64 == tile.width(size)));
        is_complete.then(|| Self { size, tiles, changed: BTreeSet::new() })
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    pub fn push(&mut self, leaf: Hash) {
        let (mut hash, mut level) = (leaf, 0);
        loop {
            let tile = TileId { level, index: nodes_of_level(level, self.size) / TILE_WIDTH };
            let hashes = self.tiles.0.entry(tile).or_default();
            hashes.push(hash);
            self.changed.insert(tile);
            if (hashes.len() as u64) < TILE_WIDTH {
                break;
            }
            hash = complete_root(hashes);
            level += 1;
        }
        self.size += 1;
    }

    pub fn root(&self) -> Option<Hash> {
        self.tiles.range(LeafRange::new(0, self.size))
    }

    /// The tiles that [`Tree::push`] changed.
    pub fn changed(&self) -> impl Iterator<Item = (TileId, &[Hash])> {
        self.changed.iter().filter_map(|tile| Some((*tile, self.tiles.hashes(*tile)?)))
    }
}

/// What a path below `tile/` names: the hashes of a tile, or the entries whose hashes are a tile of level 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TilePath {
    pub tile: TileId,
    pub is_entries: bool,
    /// Number of hashes or entries, 1 to 256.
    pub width: u64,
}

impl TilePath {
    /// The hashes of a tile in a tree of `size` leaves.
    pub fn hashes(tile: TileId, size: u64) -> Self {
        Self { tile, is_entries: false, width: tile.width(size) }
    }

    /// Parses `LEVEL/INDEX`, `LEVEL/INDEX.p/WIDTH`, and the same with `entries` as level. Only the shortest form is accepted.
    pub fn parse(path: &str) -> Option<Self> {
        let (level, rest) = path.split_once('/')?;
        let (index, width) = match rest.split_once(".p/") {
            Some((index, width)) => (index, width.parse().ok().filter(|width| (1..TILE_WIDTH).contains(width))?),
            None => (rest, TILE_WIDTH),
        };
        let digits: String = index.split('/').map(|group| group.trim_start_matches('x')).collect();
        let is_entries = level == "entries";
        let level = if is_entries { 0 } else { level.parse().ok().filter(|level| *level < TILE_HEIGHT)? };
        let parsed = Self { tile: TileId { level, index: digits.parse().ok()? }, is_entries, width };
        (parsed.to_string() == path).then_some(parsed)
    }
}

impl fmt::Display for TilePath {
    /// Writes `1/x001/x234/067` for the tile 1234067 of level 1, and `.p/WIDTH` behind it if it is not full.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_entries {
            f.write_str("entries")?;
        } else {
            write!(f, "{}", self.tile.level)?;
        }
        let (mut groups, mut rest) = (vec![self.tile.index % 1_000], self.tile.index / 1_000);
        while rest > 0 {
            groups.push(rest % 1_000);
            rest /= 1_000;
        }
        while let Some(group) = groups.pop() {
            write!(f, "/{}{group:03}", if groups.is_empty() { "" } else { "x" })?;
        }
        if self.width < TILE_WIDTH { write!(f, ".p/{}", self.width) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::hash::leaf_hash;
    use super::super::proof::{consistency_ranges, inclusion_ranges, verify_consistency, verify_inclusion};
    use super::*;

    fn leaf(number: u64) -> Hash {
        leaf_hash(&[], &number.to_string())
    }

    /// A tree with the leaves "0", "1", …, and all of its tiles.
    fn grown(size: u64) -> Tree {
        let mut tree = Tree::resume(0, TileSet::default()).unwrap();
        (0..size).for_each(|number| tree.push(leaf(number)));
        tree
    }

    #[test]
    fn tiles_give_the_root_of_another_program() {
        // 70,000 leaves fill a tile of level 1, so there are three levels; computed with hashlib and the definition of RFC 6962.
        let tree = grown(70_000);
        let expected = "1a4cdfcb66374a0c0dcbef49acbd4976d13ee864fb3cb241fc943cad04f02f7e";
        assert_eq!(tree.root().unwrap().to_string(), expected);
        assert_eq!(partial_tiles(70_000).len(), 3);
        let first = tree.clone().root().unwrap();
        for (index, size) in [(0, 70_000), (69_999, 70_000), (65_535, 70_000), (300, 70_000)] {
            let proof = tree.tiles.ranges(&inclusion_ranges(index, size)).unwrap();
            assert!(verify_inclusion(index, size, tree.tiles.leaf(index).unwrap(), &proof, first));
        }
        for old in [1, 255, 256, 257, 65_536, 66_000] {
            let proof = tree.tiles.ranges(&consistency_ranges(old, 70_000)).unwrap();
            assert!(verify_consistency(old, grown(old).root().unwrap(), 70_000, first, &proof), "{old}");
        }
    }

    #[test]
    fn a_tree_continues_from_its_partial_tiles() {
        for size in [0, 1, 255, 256, 257, 511, 512, 1_000] {
            let whole = grown(size);
            let mut edge = TileSet::default();
            for tile in partial_tiles(size) {
                edge.insert(tile, whole.tiles.hashes(tile).unwrap().to_vec());
            }
            let mut resumed = Tree::resume(size, edge.clone()).unwrap();
            assert_eq!(resumed.root(), whole.root(), "{size}");
            (size..size + 300).for_each(|number| resumed.push(leaf(number)));
            assert_eq!(resumed.root(), grown(size + 300).root(), "{size}");
            assert!(resumed.changed().all(|(tile, hashes)| hashes.len() as u64 == tile.width(size + 300)));
            assert!(Tree::resume(size + 1, edge).is_none(), "a tile is missing or has another width");
        }
    }

    #[test]
    fn paths_are_those_of_the_specification() {
        let tile = |level, index| TileId { level, index };
        let path = |tile, width| TilePath { tile, is_entries: false, width };
        for (text, expected) in [
            ("0/000", path(tile(0, 0), 256)),
            ("1/x001/x234/067", path(tile(1, 1_234_067), 256)),
            ("0/x001/000.p/112", path(tile(0, 1_000), 112)),
            ("entries/005", TilePath { tile: tile(0, 5), is_entries: true, width: 256 }),
        ] {
            assert_eq!(TilePath::parse(text), Some(expected), "{text}");
            assert_eq!(expected.to_string(), text);
        }
        for wrong in
            ["", "0", "0/1", "0/0000", "0/x000/001", "0/001.p/256", "0/001.p/0", "0/001.p/01", "9/000", "0/../1"]
        {
            assert_eq!(TilePath::parse(wrong), None, "{wrong}");
        }
        let huge = "0/x999/x999/x999/x999/x999/x999/x999/999";
        assert_eq!(TilePath::parse(huge), None);
        assert_eq!(tile(0, u64::MAX).width(5), 0);
    }
}
