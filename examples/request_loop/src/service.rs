//! What the service does with one request: a plain function from message to message.

use defiant::{Arena, DecodeError, DecodeOptions, Encoder, UnknownFields};

use crate::peaks::{Hit, Reply, Search};

/// The longest request that the server takes, in bytes.
pub const MAX_FRAME: usize = 64 * 1024;

/// The most arena that one request may take to decode, in bytes.
const MAX_MEMORY: usize = 1024 * 1024;

/// Decodes one request, answers it in the same arena, and encodes the reply as one frame.
pub(crate) fn answer<'e>(payload: &[u8], arena: &Arena, encoder: &'e mut Encoder) -> Result<&'e [u8], DecodeError> {
    let options = DecodeOptions::new().recursion_limit(8).memory_limit(MAX_MEMORY);
    let search: Search<'_> = options.decode(payload, arena)?;
    Ok(encoder.encode_length_delimited(&find(&search, arena)))
}

/// Encodes the last frame of a connection whose request could not be read.
pub(crate) fn refuse<'e>(error: &str, encoder: &'e mut Encoder) -> &'e [u8] {
    encoder.encode_length_delimited(&Reply { error, ..Reply::default() })
}

/// The peaks whose name contains the query, highest first. The list is made in the arena, the names are shared.
pub(crate) fn find<'arena>(search: &Search<'_>, arena: &'arena Arena) -> Reply<'arena> {
    let limit = match search.limit {
        0 => usize::MAX,
        limit => limit as usize,
    };
    let found = PEAKS.iter().filter(|hit| contains(hit.name, search.query));
    Reply { id: search.id, hits: arena.vec_from_iter(found.take(limit).copied()).into_slice(), ..Reply::default() }
}

/// Whether `name` contains `query`, ASCII case ignored.
fn contains(name: &str, query: &str) -> bool {
    query.is_empty() || name.as_bytes().windows(query.len()).any(|part| part.eq_ignore_ascii_case(query.as_bytes()))
}

/// Messages are plain constants, too.
const PEAKS: &[Hit<'static>] = &[
    peak("Everest", 8849, &["Nepal", "China"]),
    peak("K2", 8611, &["Pakistan", "China"]),
    peak("Kangchenjunga", 8586, &["Nepal", "India"]),
    peak("Lhotse", 8516, &["Nepal", "China"]),
    peak("Aconcagua", 6961, &["Argentina"]),
    peak("Denali", 6190, &["United States"]),
    peak("Mount Logan", 5959, &["Canada"]),
    peak("Kilimanjaro", 5895, &["Tanzania"]),
    peak("Elbrus", 5642, &["Russia"]),
    peak("Vinson", 4892, &[]),
    peak("Puncak Jaya", 4884, &["Indonesia"]),
    peak("Mont Blanc", 4806, &["France", "Italy"]),
    peak("Monte Rosa", 4634, &["Switzerland", "Italy"]),
    peak("Matterhorn", 4478, &["Switzerland", "Italy"]),
    peak("Mount Fuji", 3776, &["Japan"]),
    peak("Aoraki", 3724, &["New Zealand"]),
    peak("Zugspitze", 2962, &["Germany", "Austria"]),
    peak("Galdhøpiggen", 2469, &["Norway"]),
];

const fn peak(name: &'static str, height: u32, countries: &'static [&'static str]) -> Hit<'static> {
    Hit { name, height, countries, unknown_fields: UnknownFields::EMPTY }
}

#[cfg(test)]
mod tests {
    use defiant::Message;

    use super::*;

    #[test]
    fn finds_by_part_of_the_name() {
        let arena = Arena::new();
        let search = Search { id: 7, query: "MONT", ..Search::default() };
        let reply = find(&search, &arena);
        assert_eq!(reply.id, 7);
        let names: Vec<&str> = reply.hits.iter().map(|hit| hit.name).collect();
        assert_eq!(names, ["Mont Blanc", "Monte Rosa"]);
    }

    #[test]
    fn keeps_to_the_limit_and_the_order() {
        let arena = Arena::new();
        let all = find(&Search::default(), &arena).hits;
        assert_eq!(all.len(), PEAKS.len());
        assert!(all.is_sorted_by(|above, below| above.height > below.height));
        let two = Search { limit: 2, ..Search::default() };
        assert_eq!(find(&two, &arena).hits, &all[..2]);
    }

    #[test]
    fn an_answer_is_one_frame() {
        let arena = Arena::new();
        let mut encoder = Encoder::new();
        let search = Search { id: 3, query: "k2", ..Search::default() };
        let frame = answer(&search.encode_to_vec(), &arena, &mut encoder).expect("a good request");
        let (reply, consumed) = Reply::decode_length_delimited(frame, &arena).expect("a good reply");
        assert_eq!(consumed, frame.len());
        assert_eq!((reply.id, reply.hits.len(), reply.error), (3, 1, ""));
    }

    #[test]
    fn a_request_that_is_no_message_is_an_error() {
        let arena = Arena::new();
        let mut encoder = Encoder::new();
        let error = answer(b"\x12\x02\xff\xff", &arena, &mut encoder).expect_err("not UTF-8");
        assert!(error.is_invalid_utf8(), "{error}");
    }
}
