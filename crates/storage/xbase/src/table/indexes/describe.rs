//! SHOW INDEXES: the tags of a table, those of damaged files included.

use super::{IndexDescription, Indexes, OpenBag};
use crate::index::Bag;
use crate::table::state::State;
use crate::table::tag::TableTag;
use std::path::Path;

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
        .chain(set.bags.iter().flat_map(|bag| bag.damaged_tags()))
        .chain(set.failed.iter().map(|(path, _)| self.damaged_file(path)))
        .collect()
    }

    /// An index file that cannot be opened. The header of an NTX may be left, with its definition.
    fn damaged_file(&self, path: &Path) -> IndexDescription {
        let error = self.fs.open(path).and_then(Bag::open).err();
        let reason = error.map_or_else(String::new, |error| format!(": {}", error.message()));
        let header = self.fs.open(path).and_then(Bag::definition).ok();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_uppercase();
        IndexDescription {
            name: header.as_ref().map_or(stem, |header| header.name.clone()),
            file: path.to_owned(),
            key: header.as_ref().map_or_else(String::new, |header| header.key_text().into_owned()),
            condition: header.as_ref().and_then(|header| header.for_text().map(|text| text.into_owned())),
            unique: header.as_ref().is_some_and(|header| header.unique && !header.candidate),
            refuses_equal_keys: header.as_ref().is_some_and(|header| header.candidate),
            descending: header.as_ref().is_some_and(|header| header.descending),
            unusable: Some(format!("the file is damaged{reason}")),
        }
    }
}

impl OpenBag {
    /// The tags whose definitions cannot be read: only their names are known.
    fn damaged_tags(&self) -> impl Iterator<Item = IndexDescription> {
        self.bag.broken_tags().iter().map(|(name, error)| IndexDescription {
            name: name.clone(),
            file: self.path.clone(),
            key: String::new(),
            condition: None,
            unique: false,
            refuses_equal_keys: false,
            descending: false,
            unusable: Some(format!("its definition is damaged: {}", error.message())),
        })
    }
}
