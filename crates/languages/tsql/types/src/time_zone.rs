//! Time zones by their Windows names, as AT TIME ZONE and `sys.time_zone_info` have them.
//!
//! Their rules are those of the IANA database, which is what Windows' own follow for the years that matter; the pairs of
//! names are the ones of Unicode CLDR ("windowsZones", territory 001). Limit: for times before the introduction of
//! zones, Windows applies the rules of today, while the IANA database has local mean times, which are cut to whole
//! minutes.

use chrono::{DateTime, LocalResult, NaiveDateTime, Offset, TimeZone};
use chrono_tz::{OffsetComponents, Tz};
use mainstay_types::{TICKS_PER_SECOND, Timestamp};

/// A time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    /// The name in Windows.
    pub name: &'static str,
    tz: Tz,
}

impl Zone {
    /// The zone of this name, in any case.
    pub fn by_name(name: &str) -> Option<Zone> {
        let (name, iana) = NAMES.iter().find(|(windows, _)| windows.eq_ignore_ascii_case(name))?;
        Some(Zone { name, tz: iana.parse().ok()? })
    }

    /// All zones.
    pub fn all() -> impl Iterator<Item = Zone> {
        NAMES.iter().filter_map(|(name, _)| Zone::by_name(name))
    }

    /// Minutes ahead of UTC at a moment of UTC.
    pub fn offset_at(self, utc: Timestamp) -> i16 {
        naive(utc).map_or(0, |utc| minutes(self.tz.offset_from_utc_datetime(&utc).fix().local_minus_utc()))
    }

    /// Returns true if clocks of the zone are put forward at a moment of UTC.
    pub fn is_summer_at(self, utc: Timestamp) -> bool {
        naive(utc).is_some_and(|utc| !self.tz.offset_from_utc_datetime(&utc).dst_offset().is_zero())
    }

    /// The moment of UTC at which clocks of the zone show this, and minutes ahead of UTC then. A time that clocks show
    /// twice is the first one; one that they skip is as much later as they skip.
    pub fn from_local(self, local: Timestamp) -> (Timestamp, i16) {
        let Some(shown) = naive(local) else { return (local, 0) };
        let offset = match self.tz.offset_from_local_datetime(&shown) {
            LocalResult::Single(offset) => minutes(offset.fix().local_minus_utc()),
            LocalResult::Ambiguous(earlier, _) => minutes(earlier.fix().local_minus_utc()),
            LocalResult::None => {
                let before = self.offset_at(Timestamp(local.0.saturating_sub(24 * 3600 * TICKS_PER_SECOND)));
                let utc = local.to_utc(before);
                return (utc, self.offset_at(utc));
            }
        };
        (local.to_utc(offset), offset)
    }
}

fn naive(moment: Timestamp) -> Option<NaiveDateTime> {
    let seconds = moment.0.div_euclid(TICKS_PER_SECOND);
    DateTime::from_timestamp(seconds, 0).map(|moment| moment.naive_utc())
}

fn minutes(seconds: i32) -> i16 {
    (seconds / 60) as i16
}

/// Windows' names and the zones of the IANA database.
const NAMES: &[(&str, &str)] = &[
    ("Dateline Standard Time", "Etc/GMT+12"),
    ("UTC-11", "Etc/GMT+11"),
    ("Aleutian Standard Time", "America/Adak"),
    ("Hawaiian Standard Time", "Pacific/Honolulu"),
    ("Marquesas Standard Time", "Pacific/Marquesas"),
    ("Alaskan Standard Time", "America/Anchorage"),
    ("UTC-09", "Etc/GMT+9"),
    ("Pacific Standard Time (Mexico)", "America/Tijuana"),
    ("UTC-08", "Etc/GMT+8"),
    ("Pacific Standard Time", "America/Los_Angeles"),
    ("US Mountain Standard Time", "America/Phoenix"),
    ("Mountain Standard Time (Mexico)", "America/Mazatlan"),
    ("Mountain Standard Time", "America/Denver"),
    ("Yukon Standard Time", "America/Whitehorse"),
    ("Central America Standard Time", "America/Guatemala"),
    ("Central Standard Time", "America/Chicago"),
    ("Easter Island Standard Time", "Pacific/Easter"),
    ("Central Standard Time (Mexico)", "America/Mexico_City"),
    ("Canada Central Standard Time", "America/Regina"),
    ("SA Pacific Standard Time", "America/Bogota"),
    ("Eastern Standard Time (Mexico)", "America/Cancun"),
    ("Eastern Standard Time", "America/New_York"),
    ("Haiti Standard Time", "America/Port-au-Prince"),
    ("Cuba Standard Time", "America/Havana"),
    ("US Eastern Standard Time", "America/Indiana/Indianapolis"),
    ("Turks And Caicos Standard Time", "America/Grand_Turk"),
    ("Paraguay Standard Time", "America/Asuncion"),
    ("Atlantic Standard Time", "America/Halifax"),
    ("Venezuela Standard Time", "America/Caracas"),
    ("Central Brazilian Standard Time", "America/Cuiaba"),
    ("SA Western Standard Time", "America/La_Paz"),
    ("Pacific SA Standard Time", "America/Santiago"),
    ("Newfoundland Standard Time", "America/St_Johns"),
    ("Tocantins Standard Time", "America/Araguaina"),
    ("E. South America Standard Time", "America/Sao_Paulo"),
    ("SA Eastern Standard Time", "America/Cayenne"),
    ("Argentina Standard Time", "America/Argentina/Buenos_Aires"),
    ("Greenland Standard Time", "America/Nuuk"),
    ("Montevideo Standard Time", "America/Montevideo"),
    ("Magallanes Standard Time", "America/Punta_Arenas"),
    ("Saint Pierre Standard Time", "America/Miquelon"),
    ("Bahia Standard Time", "America/Bahia"),
    ("UTC-02", "Etc/GMT+2"),
    ("Azores Standard Time", "Atlantic/Azores"),
    ("Cape Verde Standard Time", "Atlantic/Cape_Verde"),
    ("UTC", "Etc/UTC"),
    ("GMT Standard Time", "Europe/London"),
    ("Greenwich Standard Time", "Atlantic/Reykjavik"),
    ("Sao Tome Standard Time", "Africa/Sao_Tome"),
    ("Morocco Standard Time", "Africa/Casablanca"),
    ("W. Europe Standard Time", "Europe/Berlin"),
    ("Central Europe Standard Time", "Europe/Budapest"),
    ("Romance Standard Time", "Europe/Paris"),
    ("Central European Standard Time", "Europe/Warsaw"),
    ("W. Central Africa Standard Time", "Africa/Lagos"),
    ("Jordan Standard Time", "Asia/Amman"),
    ("GTB Standard Time", "Europe/Bucharest"),
    ("Middle East Standard Time", "Asia/Beirut"),
    ("Egypt Standard Time", "Africa/Cairo"),
    ("E. Europe Standard Time", "Europe/Chisinau"),
    ("Syria Standard Time", "Asia/Damascus"),
    ("West Bank Standard Time", "Asia/Hebron"),
    ("South Africa Standard Time", "Africa/Johannesburg"),
    ("FLE Standard Time", "Europe/Kyiv"),
    ("Israel Standard Time", "Asia/Jerusalem"),
    ("South Sudan Standard Time", "Africa/Juba"),
    ("Kaliningrad Standard Time", "Europe/Kaliningrad"),
    ("Sudan Standard Time", "Africa/Khartoum"),
    ("Libya Standard Time", "Africa/Tripoli"),
    ("Namibia Standard Time", "Africa/Windhoek"),
    ("Arabic Standard Time", "Asia/Baghdad"),
    ("Turkey Standard Time", "Europe/Istanbul"),
    ("Arab Standard Time", "Asia/Riyadh"),
    ("Belarus Standard Time", "Europe/Minsk"),
    ("Russian Standard Time", "Europe/Moscow"),
    ("E. Africa Standard Time", "Africa/Nairobi"),
    ("Volgograd Standard Time", "Europe/Volgograd"),
    ("Iran Standard Time", "Asia/Tehran"),
    ("Arabian Standard Time", "Asia/Dubai"),
    ("Astrakhan Standard Time", "Europe/Astrakhan"),
    ("Azerbaijan Standard Time", "Asia/Baku"),
    ("Russia Time Zone 3", "Europe/Samara"),
    ("Mauritius Standard Time", "Indian/Mauritius"),
    ("Saratov Standard Time", "Europe/Saratov"),
    ("Georgian Standard Time", "Asia/Tbilisi"),
    ("Caucasus Standard Time", "Asia/Yerevan"),
    ("Afghanistan Standard Time", "Asia/Kabul"),
    ("West Asia Standard Time", "Asia/Tashkent"),
    ("Qyzylorda Standard Time", "Asia/Qyzylorda"),
    ("Ekaterinburg Standard Time", "Asia/Yekaterinburg"),
    ("Pakistan Standard Time", "Asia/Karachi"),
    ("India Standard Time", "Asia/Kolkata"),
    ("Sri Lanka Standard Time", "Asia/Colombo"),
    ("Nepal Standard Time", "Asia/Kathmandu"),
    ("Central Asia Standard Time", "Asia/Bishkek"),
    ("Bangladesh Standard Time", "Asia/Dhaka"),
    ("Omsk Standard Time", "Asia/Omsk"),
    ("Myanmar Standard Time", "Asia/Yangon"),
    ("SE Asia Standard Time", "Asia/Bangkok"),
    ("Altai Standard Time", "Asia/Barnaul"),
    ("W. Mongolia Standard Time", "Asia/Hovd"),
    ("North Asia Standard Time", "Asia/Krasnoyarsk"),
    ("N. Central Asia Standard Time", "Asia/Novosibirsk"),
    ("Tomsk Standard Time", "Asia/Tomsk"),
    ("China Standard Time", "Asia/Shanghai"),
    ("North Asia East Standard Time", "Asia/Irkutsk"),
    ("Singapore Standard Time", "Asia/Singapore"),
    ("W. Australia Standard Time", "Australia/Perth"),
    ("Taipei Standard Time", "Asia/Taipei"),
    ("Ulaanbaatar Standard Time", "Asia/Ulaanbaatar"),
    ("Aus Central W. Standard Time", "Australia/Eucla"),
    ("Transbaikal Standard Time", "Asia/Chita"),
    ("Tokyo Standard Time", "Asia/Tokyo"),
    ("North Korea Standard Time", "Asia/Pyongyang"),
    ("Korea Standard Time", "Asia/Seoul"),
    ("Yakutsk Standard Time", "Asia/Yakutsk"),
    ("Cen. Australia Standard Time", "Australia/Adelaide"),
    ("AUS Central Standard Time", "Australia/Darwin"),
    ("E. Australia Standard Time", "Australia/Brisbane"),
    ("AUS Eastern Standard Time", "Australia/Sydney"),
    ("West Pacific Standard Time", "Pacific/Port_Moresby"),
    ("Tasmania Standard Time", "Australia/Hobart"),
    ("Vladivostok Standard Time", "Asia/Vladivostok"),
    ("Lord Howe Standard Time", "Australia/Lord_Howe"),
    ("Bougainville Standard Time", "Pacific/Bougainville"),
    ("Russia Time Zone 10", "Asia/Srednekolymsk"),
    ("Magadan Standard Time", "Asia/Magadan"),
    ("Norfolk Standard Time", "Pacific/Norfolk"),
    ("Sakhalin Standard Time", "Asia/Sakhalin"),
    ("Central Pacific Standard Time", "Pacific/Guadalcanal"),
    ("Russia Time Zone 11", "Asia/Kamchatka"),
    ("New Zealand Standard Time", "Pacific/Auckland"),
    ("UTC+12", "Etc/GMT-12"),
    ("Fiji Standard Time", "Pacific/Fiji"),
    ("Chatham Islands Standard Time", "Pacific/Chatham"),
    ("UTC+13", "Etc/GMT-13"),
    ("Tonga Standard Time", "Pacific/Tongatapu"),
    ("Samoa Standard Time", "Pacific/Apia"),
    ("Line Islands Standard Time", "Pacific/Kiritimati"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_its_zone() {
        assert_eq!(Zone::all().count(), NAMES.len());
        assert!(Zone::by_name("Europe/Berlin").is_none());
    }

    #[test]
    fn clocks_are_put_forward_and_back() {
        let zone = Zone::by_name("central european standard time").unwrap();
        let at = |text: &str| {
            let (utc, offset) = zone.from_local(text.parse().unwrap());
            utc.display_with_offset(offset).to_string()
        };
        assert_eq!(at("2022-03-27 01:59:00"), "2022-03-27 01:59:00 +01:00");
        assert_eq!(at("2022-03-27 02:01:00"), "2022-03-27 03:01:00 +02:00");
        assert_eq!(at("2022-03-27 03:01:00"), "2022-03-27 03:01:00 +02:00");
        assert_eq!(at("2022-10-30 01:59:00"), "2022-10-30 01:59:00 +02:00");
        assert_eq!(at("2022-10-30 02:30:00"), "2022-10-30 02:30:00 +02:00");
        assert_eq!(at("2022-10-30 03:01:00"), "2022-10-30 03:01:00 +01:00");
        assert_eq!(zone.offset_at("2024-07-01 00:00:00".parse().unwrap()), 120);
        assert!(zone.offset_at(Timestamp::FIRST) > 0 && zone.offset_at(Timestamp::LAST) > 0);
    }
}
