"""What a client asks a library, in all four ways of calling, and what it expects: as talks.rs, with grpcio."""

import sys

import grpc
import library_pb2 as pb
import library_pb2_grpc as rpc

LOCAL = "local" in sys.argv[2:]

# Client and server watch the time, and either may be first; tonic's server says CANCELLED then.
TOO_LATE = {grpc.StatusCode.DEADLINE_EXCEEDED} | (set() if LOCAL else {grpc.StatusCode.CANCELLED})


def cover(length):
    return bytes(index % 251 for index in range(length))


def find(channel):
    stub = rpc.LibraryStub(channel)
    for length in [0, 1, 300, 20_000, 1_000_000]:
        request = pb.FindRequest(title="Emma", author="Jane Austen", limit=length)
        book, call = stub.Find.with_call(request, metadata=[("x-echo", "yes")])
        assert dict(call.initial_metadata())["x-echo"] == "yes"
        assert (book.title, list(book.authors)) == ("Emma", ["Jane Austen", "Anonymous"])
        assert book.cover == cover(length)
        assert (book.shelf.room, book.shelf.number) == ("reading", length)
    try:
        stub.Find(pb.FindRequest(title="Emma", mischief=pb.MISCHIEF_FAIL))
        raise AssertionError("it fails on purpose")
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.NOT_FOUND
        assert error.details() == "no \u201cEmma\u201d, 100%"
    try:
        stub.Find(pb.FindRequest(mischief=pb.MISCHIEF_SLEEP), timeout=0.2)
        raise AssertionError("it is too late")
    except grpc.RpcError as error:
        assert error.code() in TOO_LATE
    stub.move(pb.FindRequest())


def panic(channel):
    stub = rpc.LibraryStub(channel)
    try:
        stub.Find(pb.FindRequest(mischief=pb.MISCHIEF_PANIC))
        raise AssertionError("it panics on purpose")
    except grpc.RpcError as error:
        assert (error.code(), error.details()) == (grpc.StatusCode.INTERNAL, "the method panicked")


def unknown(channel):
    call = channel.unary_unary("/interop.v1.Library/Nothing", request_serializer=bytes, response_deserializer=bytes)
    try:
        call(b"")
        raise AssertionError("there is no such method")
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.UNIMPLEMENTED


def streams(channel):
    stub = rpc.LibraryStub(channel)
    for limit in [0, 500]:
        books = list(stub.List(pb.FindRequest(author="Jane Austen", limit=limit)))
        assert [book.title for book in books] == [f"Jane Austen {number}" for number in range(1, limit + 1)]
        assert all(book.cover == cover(1000) for book in books)
    books = stub.List(pb.FindRequest(author="Jane Austen", limit=3, mischief=pb.MISCHIEF_FAIL))
    got = 0
    try:
        for _ in books:
            got += 1
        raise AssertionError("it fails on purpose")
    except grpc.RpcError as error:
        assert (got, error.code()) == (3, grpc.StatusCode.DATA_LOSS)

    for count in [0, 1, 300]:
        books = (pb.Book(title=str(number), cover=cover(2000)) for number in range(1, count + 1))
        summary = stub.Add(books)
        assert (summary.books, summary.cover_bytes) == (count, count * 2000)
        assert summary.last_title == (str(count) if count else "")

    lines = (pb.Line(number=number, text="hello") for number in range(100))
    answers = [(line.number, line.text) for line in stub.Talk(lines)]
    assert answers == [(number + 1, "hello") for number in range(100)]


for compression in [grpc.Compression.NoCompression, grpc.Compression.Gzip]:
    with grpc.insecure_channel(sys.argv[1], compression=compression) as opened:
        for part in [find, unknown, streams]:
            part(opened)
# tonic leaves panics to its user.
if LOCAL:
    with grpc.insecure_channel(sys.argv[1]) as opened:
        panic(opened)
print(f"grpcio {grpc.__version__}: all as expected, with gzip and without")
