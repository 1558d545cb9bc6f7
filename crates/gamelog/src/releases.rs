//! Point releases of the game. The branch keeps the name of its first release, so the changelist or the file version names the patch.

/// Patches by changelist, in ascending order.
const CHANGELISTS: [(u32, &str); 21] = [
    (10_452_200, "ALPHA 4.3.2"),
    (10_487_514, "ALPHA 4.3.2"),
    (10_591_185, "ALPHA 4.3.2"),
    (11_518_367, "ALPHA 4.7.0"),
    (11_592_622, "ALPHA 4.7.1"),
    (11_617_053, "ALPHA 4.7.1"),
    (11_638_371, "ALPHA 4.7.1"),
    (11_674_325, "ALPHA 4.7.2"),
    (11_715_810, "ALPHA 4.7.2"),
    (11_875_683, "ALPHA 4.8.1"),
    (11_952_564, "ALPHA 4.8.1"),
    (12_030_094, "ALPHA 4.8.2"),
    (12_061_511, "ALPHA 4.8.2"),
    (12_122_953, "ALPHA 4.8.3"),
    (12_232_306, "ALPHA 4.9.0"),
    (12_302_499, "ALPHA 4.9.0"),
    (12_344_265, "ALPHA 4.9.0"),
    (12_519_617, "ALPHA 4.10.0"),
    (12_545_750, "ALPHA 4.10.0"),
    (12_660_092, "ALPHA 4.10.1"),
    (12_881_860, "ALPHA 4.10.2"),
];
/// Patches by file version, for logs without a known changelist.
const FILE_VERSIONS: [(&str, &str); 3] =
    [("1.0.191.28374", "ALPHA 4.10.0"), ("4.10.193.11644", "ALPHA 4.10.1"), ("4.10.196.36804", "ALPHA 4.10.2")];

/// The patch of a changelist; `None` if the build is not a known release.
pub(super) fn patch_of_changelist(changelist: &str) -> Option<&'static str> {
    let changelist = changelist.parse().ok()?;
    let at = CHANGELISTS.binary_search_by_key(&changelist, |&(known, _)| known).ok()?;
    Some(CHANGELISTS[at].1)
}

/// The patch of a file version; `None` if it is not the one of a known point release.
pub(super) fn patch_of_file_version(version: &str) -> Option<&'static str> {
    FILE_VERSIONS.iter().find(|(known, _)| *known == version).map(|&(_, patch)| patch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changelists_are_in_order_so_that_each_is_found() {
        assert!(CHANGELISTS.is_sorted_by(|a, b| a.0 < b.0));
        for (changelist, patch) in
            [("12660092", "ALPHA 4.10.1"), ("11715810", "ALPHA 4.7.2"), ("12519617", "ALPHA 4.10.0")]
        {
            assert_eq!(patch_of_changelist(changelist), Some(patch));
        }
        assert_eq!(patch_of_changelist("12660093"), None);
        assert_eq!(patch_of_file_version("4.10.193.11644"), Some("ALPHA 4.10.1"));
    }
}
