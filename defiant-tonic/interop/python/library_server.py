"""A library that has any book, as stock.rs, with grpcio. It prints its address and ends with its input."""

import sys
import time
from concurrent import futures

import grpc
import library_pb2 as pb
import library_pb2_grpc as rpc
from google.protobuf import empty_pb2


def cover(length):
    return bytes(index % 251 for index in range(length))


class Library(rpc.LibraryServicer):
    def Find(self, request, context):
        if request.mischief == pb.MISCHIEF_FAIL:
            context.abort(grpc.StatusCode.NOT_FOUND, f"no \u201c{request.title}\u201d, 100%")
        if request.mischief == pb.MISCHIEF_SLEEP:
            time.sleep(10)
        echo = [(key, value) for key, value in context.invocation_metadata() if key == "x-echo"]
        context.send_initial_metadata(echo)
        return pb.Book(
            title=request.title,
            authors=[request.author, "Anonymous"],
            cover=cover(request.limit),
            shelf=pb.Shelf(room="reading", number=request.limit),
        )

    def List(self, request, context):
        for number in range(1, request.limit + 1):
            yield pb.Book(title=f"{request.author} {number}", cover=cover(1000))
        if request.mischief == pb.MISCHIEF_FAIL:
            context.abort(grpc.StatusCode.DATA_LOSS, "the last book is torn")

    def Add(self, requests, context):
        summary = pb.Summary()
        for book in requests:
            summary.books += 1
            summary.cover_bytes += len(book.cover)
            summary.last_title = book.title
        return summary

    def Talk(self, requests, context):
        for line in requests:
            yield pb.Line(number=line.number + 1, text=line.text)

    def move(self, request, context):
        return empty_pb2.Empty()

    def Lookup(self, request, context):
        return self.Find(request, context)


server = grpc.server(futures.ThreadPoolExecutor(max_workers=8))
rpc.add_LibraryServicer_to_server(Library(), server)
port = server.add_insecure_port("127.0.0.1:0")
server.start()
print(f"127.0.0.1:{port}", flush=True)
sys.stdin.read()
server.stop(None)
