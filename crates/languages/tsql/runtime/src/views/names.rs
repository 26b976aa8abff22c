//! Names that the server knows: time zones and collations.

use super::{Facts, Rows, View, row};
use mainstay_tsql_types::collation;
use mainstay_tsql_types::time_zone::Zone;

pub(super) static VIEWS: [View; 2] = [
    View { name: "sys.time_zone_info", columns: "name:n current_utc_offset:n6 is_currently_dst:b", rows: zones },
    // Rows of `fn_helpcollations`.
    View { name: "sys.mainstay_collations", columns: "name:n description:n1000", rows: collations },
];

fn zones(_: &Facts<'_>) -> Rows {
    let now = crate::session::now();
    let row = |zone: Zone| {
        let (offset, is_summer) = (zone.offset_at(now), zone.is_summer_at(now));
        let (sign, minutes) = (if offset < 0 { '-' } else { '+' }, offset.unsigned_abs());
        row![zone.name, format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60), is_summer]
    };
    Zone::all().map(row).collect()
}

fn collations(_: &Facts<'_>) -> Rows {
    collation::all().into_iter().map(|(name, description)| row![name, description]).collect()
}
