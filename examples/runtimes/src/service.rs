//! What the service does with one request: a plain function from message to message.

use defiant::Arena;

use crate::work::{Batch, Failure, Reply, Request, Summary, reply, request};

/// Answers one request; what is new in the reply is made in the arena, the rest is shared with the request.
pub(crate) fn answer<'arena>(request: &Request<'arena>, arena: &'arena Arena) -> Reply<'arena> {
    let result = match request.task {
        Some(request::Task::Echo(bytes)) => Some(reply::Result::Echo(bytes)),
        Some(request::Task::Batch(batch)) => Some(reply::Result::Summary(arena.alloc(summary(batch, arena)))),
        None => None,
    };
    Reply { id: request.id, result, ..Reply::default() }
}

fn summary<'arena>(batch: &Batch<'arena>, arena: &'arena Arena) -> Summary<'arena> {
    let mut failures = arena.vec();
    let mut summary = Summary { host: batch.host, spans: batch.spans.len() as u64, ..Summary::default() };
    for span in batch.spans {
        let attributes = span.attributes.iter().map(|attribute| attribute.key.len() + attribute.value.len());
        summary.attribute_bytes += attributes.sum::<usize>() as u64;
        if span.status != 0 {
            failures.push(Failure { name: span.name, status: span.status, ..Failure::default() });
        }
        let nanos = span.end.saturating_sub(span.begin);
        if nanos > summary.slowest_nanos {
            (summary.slowest, summary.slowest_nanos) = (span.name, nanos);
        }
    }
    Summary { failures: failures.into_slice(), ..summary }
}

#[cfg(test)]
mod tests {
    use defiant::Message;

    use super::*;
    use crate::{peer, requests::Workload, work::Span};

    #[test]
    fn a_batch_is_summed_up() {
        let arena = Arena::new();
        let span = |name, begin, end, status| Span { name, begin, end, status, ..Span::default() };
        let spans = [span("a", 10, 20, 0), span("b", 10, 40, 5), span("c", 50, 40, 7), span("d", 0, 30, 0)];
        let batch = Batch { host: "here", spans: &spans, ..Batch::default() };
        let summary = summary(&batch, &arena);
        assert_eq!((summary.host, summary.spans, summary.attribute_bytes), ("here", 4, 0));
        assert_eq!((summary.slowest, summary.slowest_nanos), ("b", 30), "the first of the slowest");
        let failures: Vec<_> = summary.failures.iter().map(|failure| (failure.name, failure.status)).collect();
        assert_eq!(failures, [("b", 5), ("c", 7)]);
    }

    #[test]
    fn the_peer_gives_the_same_bytes() {
        for workload in Workload::ALL {
            for id in 0..40 {
                let arena = Arena::new();
                let wire = workload.request(id, &arena).encode_to_vec();
                let ours = answer(&Request::decode(&wire, &arena).expect("it decodes"), &arena);
                let request = <peer::Request as prost::Message>::decode(&wire[..]).expect("it decodes");
                assert_eq!(prost::Message::encode_to_vec(&request), wire, "the same schema");
                assert_eq!(prost::Message::encode_to_vec(&peer::answer(request)), ours.encode_to_vec());
            }
        }
    }
}
