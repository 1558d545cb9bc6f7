//! Which of several reports of one event counts for which side.

use super::sides::Sides;
use super::state::ReportState;

/// Shares the sides of one event among its reports in the order of their arrival, given by the sides that each reports for and its state:
/// each side goes to the first report that counts, or else to the first that is visible. A report is in the feeds of the players on its
/// sides, and if it counts, in their figures.
pub fn share(reports: &[(Sides, ReportState)]) -> Vec<Sides> {
    let mut shares = vec![Sides::NONE; reports.len()];
    let mut taken = Sides::NONE;
    let mut give = |wanted: fn(ReportState) -> bool| {
        for ((reported, _), share) in reports.iter().zip(&mut shares).filter(|((_, state), _)| wanted(*state)) {
            *share = reported.without(taken);
            taken = taken.with(*reported);
        }
    };
    give(ReportState::is_counted);
    give(|state| state.is_visible() && !state.is_counted());
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::counters::Side;
    use crate::domain::trust::Removal;

    const KILLER: Sides = Sides::of(Side::Killer);
    const VICTIM: Sides = Sides::of(Side::Victim);
    const COUNTED: ReportState = ReportState::COUNTED;

    #[test]
    fn each_side_counts_by_its_own_log_in_either_order() {
        assert_eq!(share(&[(KILLER, COUNTED), (VICTIM, COUNTED)]), [KILLER, VICTIM]);
        assert_eq!(share(&[(VICTIM, COUNTED), (KILLER, COUNTED)]), [VICTIM, KILLER]);
    }

    #[test]
    fn an_operator_counts_for_the_sides_that_no_earlier_report_covers() {
        let rest = Sides::ALL.without(KILLER);
        assert_eq!(share(&[(KILLER, COUNTED), (Sides::ALL, COUNTED)]), [KILLER, rest]);
        assert_eq!(share(&[(Sides::ALL, COUNTED), (KILLER, COUNTED)]), [Sides::ALL, Sides::NONE]);
    }

    #[test]
    fn without_a_removed_report_the_others_share_as_if_it_had_never_arrived() {
        for removal in [Removal::Removed, Removal::Blocked] {
            let gone = COUNTED.with_removal(Some(removal));
            assert_eq!(share(&[(KILLER, gone), (Sides::ALL, COUNTED)]), [Sides::NONE, Sides::ALL]);
        }
    }

    #[test]
    fn a_report_that_does_not_count_covers_no_side_of_one_that_does() {
        let waiting = COUNTED.with_patch(false);
        let reports = [(KILLER, waiting), (Sides::ALL, COUNTED), (VICTIM, waiting)];
        assert_eq!(share(&reports), [Sides::NONE, Sides::ALL, Sides::NONE]);
        assert_eq!(share(&[(KILLER, waiting)]), [KILLER]);
    }
}
