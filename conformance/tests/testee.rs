//! Hand-made requests over pipes, as the suite sends them.

use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

use conformance::testee::{Format, Request, Response, request::Payload, response::Result as Outcome};
use defiant::{Arena, Message};

/// Runs the testee on these bytes until it ends.
fn run(input: &[u8]) -> Output {
    let mut testee = Command::new(env!("CARGO_BIN_EXE_testee"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the testee starts");
    let mut stdin = testee.stdin.take().expect("it was piped");
    stdin.write_all(input).expect("the testee reads");
    drop(stdin);
    testee.wait_with_output().expect("the testee ends")
}

/// Sends requests in one go and cuts the responses apart.
fn exchange<'arena>(requests: &[Request<'_>], arena: &'arena Arena) -> Vec<Outcome<'arena>> {
    let mut input = Vec::new();
    for request in requests {
        let wire = request.encode_to_vec();
        input.extend_from_slice(&(wire.len() as u32).to_le_bytes());
        input.extend_from_slice(&wire);
    }
    let output = run(&input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let mut outcomes = Vec::new();
    let mut rest = output.stdout.as_slice();
    while let Some((prefix, tail)) = rest.split_first_chunk() {
        let (wire, tail) = tail.split_at(u32::from_le_bytes(*prefix) as usize);
        let response = Response::decode(wire, arena).expect("a response decodes");
        outcomes.push(response.result.expect("a response says something"));
        rest = tail;
    }
    assert!(rest.is_empty(), "{} bytes after the last response", rest.len());
    outcomes
}

fn request<'a>(message_type: &'a str, payload: Payload<'a>) -> Request<'a> {
    Request { payload: Some(payload), output: Format::Protobuf, message_type, ..Request::default() }
}

#[test]
fn the_list_of_failures_is_empty() {
    let arena = Arena::new();
    let outcomes = exchange(&[request("conformance.FailureSet", Payload::Protobuf(b""))], &arena);
    assert_eq!(outcomes, [Outcome::Protobuf(b"")]);
}

#[test]
fn a_message_comes_back_or_the_reason_why_not() {
    let arena = Arena::new();
    // `message_type` "a", and the unknown field 100 with the varint 1.
    let good = b"\x22\x01a\xa0\x06\x01";
    // `message_type` with invalid UTF-8.
    let bad = b"\x22\x01\xff";
    let outcomes = exchange(
        &[
            request("testee.Request", Payload::Protobuf(good)),
            request("testee.Request", Payload::Protobuf(bad)),
            request("testee.Request", Payload::Protobuf(b"")),
        ],
        &arena,
    );
    assert_eq!(outcomes[0], Outcome::Protobuf(good));
    match outcomes[1] {
        Outcome::ParseError(error) => assert!(error.contains("Request.message_type"), "{error}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(outcomes[2], Outcome::Protobuf(b""));
    assert_eq!(outcomes.len(), 3);
}

#[test]
fn what_is_not_supported_is_skipped() {
    let arena = Arena::new();
    let outcomes = exchange(
        &[
            request("testee.Request", Payload::Jspb("[]")),
            request("no.such.Message", Payload::Protobuf(b"")),
            Request { output: Format::Jspb, ..request("testee.Request", Payload::Protobuf(b"")) },
        ],
        &arena,
    );
    let reasons: Vec<&str> = outcomes
        .iter()
        .map(|outcome| match outcome {
            Outcome::Skipped(reason) => *reason,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        reasons,
        [
            "input as JSPB: not supported",
            "messages of type no.such.Message: not supported",
            "output as Jspb: not supported",
        ]
    );
}

#[test]
fn text_goes_both_ways() {
    let arena = Arena::new();
    // `message_type` "a", and the unknown field 100 with the varint 1.
    let wire = Payload::Protobuf(b"\x22\x01a\xa0\x06\x01");
    let to_text = Request { output: Format::Text, ..request("testee.Request", wire) };
    let outcomes = exchange(
        &[
            to_text,
            Request { print_unknown_fields: true, ..to_text },
            request("testee.Request", Payload::Text("message_type: 'a'")),
            request("testee.Request", Payload::Text("message_type: a")),
        ],
        &arena,
    );
    assert_eq!(
        outcomes,
        [
            Outcome::Text("message_type: \"a\"\n"),
            Outcome::Text("message_type: \"a\"\n100: 1\n"),
            Outcome::Protobuf(b"\x22\x01a"),
            Outcome::ParseError("Request.message_type: expected a string at line 1, column 15"),
        ]
    );
}

#[test]
fn json_goes_both_ways() {
    let arena = Arena::new();
    let outcomes = exchange(
        &[
            Request { output: Format::Json, ..request("testee.Request", Payload::Protobuf(b"\x22\x01a\xa0\x06\x01")) },
            request("testee.Request", Payload::Json(r#"{"messageType": "a"}"#)),
            request("testee.Request", Payload::Json(r#"{"messageType": 7}"#)),
        ],
        &arena,
    );
    assert_eq!(
        outcomes,
        [
            Outcome::Json(r#"{"messageType":"a"}"#),
            Outcome::Protobuf(b"\x22\x01a"),
            Outcome::ParseError("Request.message_type: expected a string at line 1, column 17"),
        ]
    );
}

#[test]
fn a_broken_pipe_is_an_error_and_not_a_panic() {
    for (input, reason) in [
        (&b"\x01\x00"[..], "the length of a request is cut short"),
        (b"\x05\x00\x00\x00ab", "a request of 5 bytes ended after 2"),
        (b"\xff\xff\xff\xff", "a request of 4294967295 bytes"),
        (b"\x01\x00\x00\x00\x07", "Request"),
    ] {
        let output = run(input);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{input:?}");
        assert!(error.starts_with("testee: ") && error.contains(reason), "{error}");
    }
    assert!(run(b"").status.success(), "no request at all is fine");
}

/// Compiled where `conformance/run` has fetched the suite's files.
#[cfg(test_messages)]
#[test]
fn the_suites_messages_come_back() {
    let arena = Arena::new();
    // `optional_int32`, field number 1, is 7.
    let outcomes = exchange(
        &[
            request("protobuf_test_messages.proto2.TestAllTypesProto2", Payload::Protobuf(b"\x08\x07")),
            request("protobuf_test_messages.proto3.TestAllTypesProto3", Payload::Protobuf(b"\x08\x07")),
        ],
        &arena,
    );
    assert_eq!(outcomes, [Outcome::Protobuf(b"\x08\x07"); 2]);
}
