//! Word lists of the TPC-H specification (clauses 4.2.2.13 and 4.2.3), and the grammar that makes comments (4.2.2.14).
//!
//! A comment is a part of one long text, the pool, which the grammar fills with sentences. The specification's pool has
//! 300 MB; this one has [`POOL_BYTES`], so that a comment occurs again sooner.

use super::random::Random;

/// Bytes of the pool of sentences.
pub const POOL_BYTES: usize = 4 << 20;

/// Regions by `r_regionkey`.
pub const REGIONS: [&str; 5] = ["AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"];

/// Nations by `n_nationkey`, each with its region.
pub const NATIONS: [(&str, u8); 25] = [
    ("ALGERIA", 0),
    ("ARGENTINA", 1),
    ("BRAZIL", 1),
    ("CANADA", 1),
    ("EGYPT", 4),
    ("ETHIOPIA", 0),
    ("FRANCE", 3),
    ("GERMANY", 3),
    ("INDIA", 2),
    ("INDONESIA", 2),
    ("IRAN", 4),
    ("IRAQ", 4),
    ("JAPAN", 2),
    ("JORDAN", 4),
    ("KENYA", 0),
    ("MOROCCO", 0),
    ("MOZAMBIQUE", 0),
    ("PERU", 1),
    ("CHINA", 2),
    ("ROMANIA", 3),
    ("SAUDI ARABIA", 4),
    ("VIETNAM", 2),
    ("RUSSIA", 3),
    ("UNITED KINGDOM", 3),
    ("UNITED STATES", 1),
];

/// `c_mktsegment`.
pub const SEGMENTS: [&str; 5] = ["AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY"];
/// `o_orderpriority`.
pub const PRIORITIES: [&str; 5] = ["1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"];
/// `l_shipinstruct`.
pub const INSTRUCTIONS: [&str; 4] = ["DELIVER IN PERSON", "COLLECT COD", "TAKE BACK RETURN", "NONE"];
/// `l_shipmode`.
pub const MODES: [&str; 7] = ["REG AIR", "AIR", "RAIL", "TRUCK", "MAIL", "FOB", "SHIP"];

/// The three syllables of `p_type`.
pub const TYPES: [&[&str]; 3] = [
    &["STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO"],
    &["ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED"],
    &["TIN", "NICKEL", "BRASS", "STEEL", "COPPER"],
];
/// The two syllables of `p_container`.
pub const CONTAINERS: [&[&str]; 2] =
    [&["SM", "LG", "MED", "JUMBO", "WRAP"], &["CASE", "BOX", "BAG", "JAR", "PACK", "PKG", "CAN", "DRUM"]];

/// The words of `p_name`, five of them in one name.
pub const COLORS: [&str; 92] = [
    "almond",
    "antique",
    "aquamarine",
    "azure",
    "beige",
    "bisque",
    "black",
    "blanched",
    "blue",
    "blush",
    "brown",
    "burlywood",
    "burnished",
    "chartreuse",
    "chiffon",
    "chocolate",
    "coral",
    "cornflower",
    "cornsilk",
    "cream",
    "cyan",
    "dark",
    "deep",
    "dim",
    "dodger",
    "drab",
    "firebrick",
    "floral",
    "forest",
    "frosted",
    "gainsboro",
    "ghost",
    "goldenrod",
    "green",
    "grey",
    "honeydew",
    "hot",
    "indian",
    "ivory",
    "khaki",
    "lace",
    "lavender",
    "lawn",
    "lemon",
    "light",
    "lime",
    "linen",
    "magenta",
    "maroon",
    "medium",
    "metallic",
    "midnight",
    "mint",
    "misty",
    "moccasin",
    "navajo",
    "navy",
    "olive",
    "orange",
    "orchid",
    "pale",
    "papaya",
    "peach",
    "peru",
    "pink",
    "plum",
    "powder",
    "puff",
    "purple",
    "red",
    "rose",
    "rosy",
    "royal",
    "saddle",
    "salmon",
    "sandy",
    "seashell",
    "sienna",
    "sky",
    "slate",
    "smoke",
    "snow",
    "spring",
    "steel",
    "tan",
    "thistle",
    "tomato",
    "turquoise",
    "violet",
    "wheat",
    "white",
    "yellow",
];

/// Words with their weights: each of a list is as likely as the weight before the list says.
type Weighted = &'static [(u32, &'static [&'static str])];

const NOUNS: Weighted = &[
    (40, &["packages", "requests", "accounts", "deposits"]),
    (20, &["foxes", "ideas", "theodolites", "pinto beans", "instructions"]),
    (10, &["dependencies", "excuses", "platelets", "asymptotes"]),
    (5, &["courts", "dolphins"]),
    (
        1,
        &[
            "multipliers",
            "sauternes",
            "warthogs",
            "frets",
            "dinos",
            "attainments",
            "somas",
            "Tiresias",
            "patterns",
            "forges",
            "braids",
            "frays",
            "warhorses",
            "dugouts",
            "notornis",
            "epitaphs",
            "pearls",
            "tithes",
            "waters",
            "orbits",
            "gifts",
            "sheaves",
            "depths",
            "sentiments",
            "decoys",
            "realms",
            "pains",
            "grouches",
            "escapades",
            "hockey players",
        ],
    ),
];
const VERBS: Weighted = &[
    (20, &["sleep", "wake", "are", "cajole", "haggle"]),
    (10, &["nag", "use", "boost"]),
    (5, &["affix", "detect", "integrate"]),
    (
        1,
        &[
            "maintain", "nod", "was", "lose", "sublate", "solve", "thrash", "promise", "engage", "hinder", "print",
            "x-ray", "breach", "eat", "grow", "impress", "mold", "poach", "serve", "run", "dazzle", "snooze", "doze",
            "unwind", "kindle", "play", "hang", "believe", "doubt",
        ],
    ),
];
const ADJECTIVES: Weighted = &[
    (50, &["regular"]),
    (40, &["final", "ironic"]),
    (30, &["even"]),
    (20, &["special", "pending", "unusual", "express", "bold"]),
    (10, &["silent"]),
    (
        1,
        &[
            "furious",
            "sly",
            "careful",
            "blithe",
            "quick",
            "fluffy",
            "slow",
            "quiet",
            "ruthless",
            "thin",
            "close",
            "dogged",
            "daring",
            "brave",
            "stealthy",
            "permanent",
            "enticing",
            "idle",
            "busy",
        ],
    ),
];
const ADVERBS: Weighted = &[
    (50, &["furiously", "slyly", "carefully"]),
    (40, &["blithely"]),
    (30, &["quickly"]),
    (20, &["fluffily"]),
    (
        1,
        &[
            "sometimes",
            "always",
            "never",
            "slowly",
            "quietly",
            "ruthlessly",
            "thinly",
            "closely",
            "doggedly",
            "daringly",
            "bravely",
            "stealthily",
            "permanently",
            "enticingly",
            "idly",
            "busily",
            "regularly",
            "finally",
            "ironically",
            "evenly",
            "boldly",
            "silently",
        ],
    ),
];
const PREPOSITIONS: Weighted = &[
    (50, &["about", "above", "according to", "across", "after"]),
    (40, &["against", "along"]),
    (30, &["alongside of", "among"]),
    (20, &["around"]),
    (10, &["at"]),
    (
        1,
        &[
            "atop",
            "before",
            "behind",
            "beneath",
            "beside",
            "besides",
            "between",
            "beyond",
            "by",
            "despite",
            "during",
            "except",
            "for",
            "from",
            "in place of",
            "inside",
            "instead of",
            "into",
            "near",
            "of",
            "on",
            "outside",
            "over",
            "past",
            "since",
            "through",
            "throughout",
            "to",
            "toward",
            "under",
            "until",
            "up",
            "upon",
            "without",
            "with",
            "within",
        ],
    ),
];
const AUXILIARIES: Weighted = &[(
    1,
    &[
        "do",
        "may",
        "might",
        "shall",
        "will",
        "would",
        "can",
        "could",
        "should",
        "ought to",
        "must",
        "will have to",
        "shall have to",
        "could have to",
        "should have to",
        "must have to",
        "need to",
        "try to",
    ],
)];
const TERMINATORS: Weighted = &[(50, &["."]), (1, &[";", ":", "?", "!", "--"])];

/// Sentences: N is a noun phrase, V a verb phrase, P a prepositional phrase, T the end.
const SENTENCES: Weighted = &[(3, &["NVT", "NVPT", "NVNT"]), (1, &["NPVNT", "NPVPT"])];
/// Noun phrases: n is a noun, j an adjective, d an adverb.
const NOUN_PHRASES: Weighted = &[(50, &["d j n"]), (20, &["j n"]), (10, &["n", "j, j n"])];
/// Verb phrases: v is a verb, x an auxiliary verb.
const VERB_PHRASES: Weighted = &[(40, &["v d"]), (30, &["v"]), (1, &["x v", "x v d"])];

fn pick(random: &mut Random, words: Weighted) -> &'static str {
    let total: u32 = words.iter().map(|(weight, words)| weight * words.len() as u32).sum();
    let mut left = random.below(u64::from(total)) as u32;
    for (weight, words) in words {
        let all = weight * words.len() as u32;
        if left < all {
            return words[(left / weight) as usize];
        }
        left -= all;
    }
    ""
}

fn add_phrase(pool: &mut String, random: &mut Random, phrases: Weighted) {
    for letter in pick(random, phrases).chars() {
        match letter {
            'n' => pool.push_str(pick(random, NOUNS)),
            'v' => pool.push_str(pick(random, VERBS)),
            'j' => pool.push_str(pick(random, ADJECTIVES)),
            'd' => pool.push_str(pick(random, ADVERBS)),
            'x' => pool.push_str(pick(random, AUXILIARIES)),
            other => pool.push(other),
        }
    }
}

fn add_sentence(pool: &mut String, random: &mut Random) {
    for (place, part) in pick(random, SENTENCES).chars().enumerate() {
        if place > 0 && part != 'T' {
            pool.push(' ');
        }
        match part {
            'N' => add_phrase(pool, random, NOUN_PHRASES),
            'V' => add_phrase(pool, random, VERB_PHRASES),
            'P' => {
                pool.push_str(pick(random, PREPOSITIONS));
                pool.push_str(" the ");
                add_phrase(pool, random, NOUN_PHRASES);
            }
            _ => pool.push_str(pick(random, TERMINATORS)),
        }
    }
    pool.push(' ');
}

/// A part of the pool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comment {
    start: u32,
    length: u8,
}

/// The text that comments are parts of: ASCII.
#[derive(Clone, Debug)]
pub struct Pool(String);

impl Pool {
    /// The pool, the same every time.
    pub fn new() -> Pool {
        let mut text = String::with_capacity(POOL_BYTES + 256);
        let mut random = Random::of(b'x', 0);
        while text.len() < POOL_BYTES {
            add_sentence(&mut text, &mut random);
        }
        Pool(text)
    }

    /// A comment of `least` to `most` bytes.
    pub fn comment(&self, random: &mut Random, least: u8, most: u8) -> Comment {
        let length = random.within(i64::from(least), i64::from(most)) as u8;
        let start = random.below((self.0.len() - usize::from(length)) as u64) as u32;
        Comment { start, length }
    }

    /// The text of a comment.
    pub fn text(&self, comment: Comment) -> &str {
        let start = comment.start as usize;
        &self.0[start..start + usize::from(comment.length)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pool_is_ascii_and_has_the_words_that_queries_ask_for() {
        let pool = Pool::new();
        assert!(pool.0.is_ascii() && pool.0.len() >= POOL_BYTES);
        assert!(pool.0.contains("special requests") && pool.0.contains("furiously"));
        let mut random = Random::of(b'o', 1);
        for _ in 0..1000 {
            let comment = pool.comment(&mut random, 19, 78);
            assert!((19..=78).contains(&pool.text(comment).len()));
        }
    }

    #[test]
    fn words_come_as_often_as_their_weights_say() {
        let mut random = Random::of(b'w', 0);
        let ends = (0..5_500).filter(|_| pick(&mut random, TERMINATORS) == ".").count();
        assert!((4_900..=5_100).contains(&ends), "50 of 55, so 5,000 of 5,500: {ends}");
    }
}
