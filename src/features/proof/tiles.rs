//! Tiles of a site's log, fetched when they are needed.

use std::collections::BTreeSet;

use crate::domain::tlog::{
    Hash, LeafRange, TILE_WIDTH, TileId, TilePath, TileSet, consistency_ranges, inclusion_ranges, tiles_of,
    verify_inclusion,
};
use crate::upstream::public_site::{PublicSite, PublicSiteError};

/// The tiles of a tree of a certain size.
pub(super) struct RemoteTiles<'a> {
    site: &'a PublicSite,
    size: u64,
    known: TileSet,
}

impl<'a> RemoteTiles<'a> {
    pub fn new(site: &'a PublicSite, size: u64) -> Self {
        Self { site, size, known: TileSet::default() }
    }

    /// The proof that a tree of `old` leaves is the beginning of this one.
    pub async fn consistency_proof(&mut self, old: u64) -> Result<Vec<Hash>, PublicSiteError> {
        self.proof(&consistency_ranges(old, self.size)).await
    }

    /// The hashes of the leaves of a tile, after a check that they belong to the tree with this root; `None` if they do not.
    pub async fn leaves(&mut self, index: u64, root: Hash) -> Result<Option<Vec<Hash>>, PublicSiteError> {
        let tile = TileId { level: 0, index };
        self.fetch([tile].into()).await?;
        let hashes = self.known.hashes(tile).map(<[Hash]>::to_vec).unwrap_or_default();
        // The proof of the first leaf is computed from all other leaves of the tile, so it covers them.
        let first = index * TILE_WIDTH;
        let proof = self.proof(&inclusion_ranges(first, self.size)).await?;
        let leaf = hashes.first().copied().unwrap_or_default();
        Ok(verify_inclusion(first, self.size, leaf, &proof, root).then_some(hashes))
    }

    /// The path of a tile of leaves.
    pub fn path(&self, index: u64) -> String {
        TilePath::hashes(TileId { level: 0, index }, self.size).to_string()
    }

    async fn proof(&mut self, ranges: &[LeafRange]) -> Result<Vec<Hash>, PublicSiteError> {
        self.fetch(tiles_of(ranges)).await?;
        self.known.ranges(ranges).ok_or_else(|| PublicSiteError::Malformed("log/tile".into()))
    }

    async fn fetch(&mut self, tiles: BTreeSet<TileId>) -> Result<(), PublicSiteError> {
        for tile in tiles {
            if self.known.contains(tile) {
                continue;
            }
            let path = TilePath::hashes(tile, self.size);
            let name = format!("log/tile/{path}");
            let bytes = self.site.bytes(&name).await?;
            if bytes.len() as u64 != path.width * Hash::BYTES as u64 {
                return Err(PublicSiteError::Malformed(name));
            }
            self.known.insert(tile, bytes.chunks_exact(Hash::BYTES).filter_map(Hash::from_bytes).collect());
        }
        Ok(())
    }
}
