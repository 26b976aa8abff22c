//! What SHOW INDEXES says of the tags of a table, those of damaged files included.

use super::{IndexDescription, Indexes};
use crate::index::Bag;
use crate::table::state::State;
use crate::table::tag::TableTag;

impl Indexes {
    /// The tags of all the table's index files.
    pub(crate) fn describe(&self, state: &State) -> Vec<IndexDescription> {
        let Some(set) = self.current(state) else { return Vec::new() };
        let tags = set.bags.iter().flat_map(|bag| bag.tags.iter().map(move |tag| (bag, tag)));
        tags.filter_map(|(bag, tag)| {
            let disagreement = tag.tag.as_ref().ok().and_then(|known| tag.verified(state, known).err());
            let known = tag.tag.as_ref().ok().map(TableTag::keys);
            // A file that only looked as if it belonged to the table.
            let stranger = disagreement.as_ref().is_some_and(|reason| bag.is_strangers(reason));
            let unusable = match &tag.tag {
                Err(error) => Some(error.to_string()),
                Ok(known) => known.unusable().or_else(|| disagreement.map(|reason| reason.message)),
            };
            (!stranger).then(|| IndexDescription {
                name: tag.header.name.clone(),
                file: bag.path.clone(),
                key: known.map_or_else(|| tag.header.key_text().into_owned(), |keys| keys.key_text(&tag.header)),
                condition: match known {
                    Some(keys) => keys.condition_text(&tag.header),
                    None => tag.header.for_text().map(|text| text.into_owned()),
                },
                unique: tag.header.unique && !tag.header.candidate,
                refuses_equal_keys: tag.header.candidate,
                descending: tag.header.descending,
                unusable,
            })
        })
        .chain(
            set.failed
                .iter()
                .filter_map(|(path, _)| Some((path, self.fs.open(path).and_then(Bag::definition).ok()?)))
                .map(|(path, header)| IndexDescription {
                    name: header.name.clone(),
                    file: path.clone(),
                    key: header.key_text().into_owned(),
                    condition: header.for_text().map(|text| text.into_owned()),
                    unique: header.unique && !header.candidate,
                    refuses_equal_keys: header.candidate,
                    descending: header.descending,
                    unusable: Some("the file is damaged".to_owned()),
                }),
        )
        .collect()
    }
}
