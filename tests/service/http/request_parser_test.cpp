#include "ridgerunner/service/http/request_parser.h"

#include <gtest/gtest.h>

#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service::request_parser_test {
namespace {

constexpr std::size_t kMostHead = 1000;
constexpr std::uint64_t kMostBody = 5000;

// Feeds a text in pieces, as a connection does; what is left of it afterwards.
std::string feed(RequestParser& parser, const std::string& text, std::size_t piece = 1 << 20) {
  std::string input;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    input += text.substr(at, piece);
    while (!parser.is_done() && !input.empty()) {
      const auto progress = parser.put(input);
      input.erase(0, progress.used);
      if (progress.needs_more) break;
    }
  }
  return input;
}

std::optional<Reason> refusal_of(const std::string& text, std::size_t piece = 1 << 20) {
  RequestParser parser(kMostHead, kMostBody, "");
  try {
    feed(parser, text, piece);
    return std::nullopt;
  } catch (const Refusal& refusal) {
    return refusal.reason;
  }
}

const std::string kPost = "POST /v1/experiments/a/close HTTP/1.1\r\nHost: localhost\r\n";
const std::string kNext = "GET /v1/experiments HTTP/1.1\r\nHost: localhost\r\n\r\n";

TEST(RequestParser, ReadsARequestInPiecesOfAnySize) {
  const std::string text =
      "POST /a?b=1 HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer x\r\nOrigin: http://o\r\nContent-Length: "
      "5\r\n"
      "Expect: 100-continue\r\n\r\nhello";
  for (const std::size_t piece : {1u, 2u, 7u, 1000u}) {
    RequestParser parser(kMostHead, kMostBody, "memory of an earlier body");
    EXPECT_EQ(feed(parser, text + kNext, piece).substr(0, 3), piece == 1000 ? "GET" : kNext.substr(0, 3));
    ASSERT_TRUE(parser.has_head() && parser.is_done());
    const RequestHead head = parser.head();
    EXPECT_EQ(head.method, "POST");
    EXPECT_EQ(head.target, "/a?b=1");
    EXPECT_EQ(head.host, "h");
    EXPECT_EQ(head.authorization, "Bearer x");
    EXPECT_EQ(head.origin, "http://o");
    EXPECT_EQ(head.length, 5u);
    EXPECT_TRUE(head.keep_alive && head.expects_continue && !head.chunked && !head.http_1_0);
    EXPECT_EQ(parser.take_body(), "hello");
  }
}

TEST(RequestParser, StopsAfterTheHeadSoThatItCanBeLookedAt) {
  RequestParser parser(kMostHead, kMostBody, "");
  const auto progress = parser.put(kPost + "Content-Length: 2\r\n\r\nhi");
  EXPECT_TRUE(parser.has_head());
  EXPECT_FALSE(parser.is_done() || progress.needs_more);
  EXPECT_EQ(parser.put("hi").used, 2u);
  EXPECT_TRUE(parser.is_done());
}

// RFC 9112, 6.3: where the body of such a request ends is anybody's guess.
TEST(RequestParser, AnyTransferEncodingButChunkedIsRefused) {
  for (const char* value : {"gzip", "identity", "xchunked", "chunked, identity", "chunked, gzip",
                            "gzip, chunked", "\"chunked\"", "chunked;q=1", "chunked, chunked", ""}) {
    const std::string line = std::string("Transfer-Encoding: ") + value + "\r\n";
    EXPECT_EQ(refusal_of(kPost + line + "\r\n" + kNext), Reason::bad_request) << value;
    EXPECT_EQ(refusal_of(kPost + line + "Content-Length: 3\r\n\r\nabc"), Reason::bad_request) << value;
    EXPECT_EQ(refusal_of(kPost + "Content-Length: 3\r\n" + line + "\r\nabc"), Reason::bad_request) << value;
  }
  EXPECT_EQ(refusal_of(kPost + "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            Reason::bad_request);
  EXPECT_EQ(refusal_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            Reason::bad_request);
  EXPECT_EQ(refusal_of(kPost + "transfer-encoding: Chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"), std::nullopt);
}

TEST(RequestParser, TheSumOfAllHeaderLinesIsLimited) {
  std::string text = kPost;
  while (text.size() <= kMostHead) text += "X: y\r\n";
  for (const std::size_t piece : {1u, 10u, 900u, 5000u}) {
    EXPECT_EQ(refusal_of(text + "\r\n", piece), Reason::header_too_large) << piece;
    EXPECT_EQ(refusal_of(text, piece), Reason::header_too_large) << "without an end, " << piece;
  }
  EXPECT_EQ(refusal_of(kPost + "X: " + std::string(2 * kMostHead, 'x')), Reason::header_too_large);
  EXPECT_EQ(refusal_of(kPost + "X: " + std::string(kMostHead / 2, 'x') + "\r\n\r\n"), std::nullopt);
}

TEST(RequestParser, LinesBetweenChunksAreLimited) {
  const std::string chunked = kPost + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(refusal_of(chunked + "1;" + std::string(20 * kMostHead, 'x'), 100), Reason::header_too_large);
  std::string trailer = "0\r\n";
  while (trailer.size() < 2 * kMostHead) trailer += "X: y\r\n";
  EXPECT_EQ(refusal_of(chunked + trailer, 100), Reason::header_too_large);
}

TEST(RequestParser, BodiesAreLimitedHoweverTheyCome) {
  EXPECT_EQ(refusal_of(kPost + "Content-Length: 5001\r\n\r\n"), Reason::too_large);
  EXPECT_EQ(refusal_of(kPost + "Transfer-Encoding: chunked\r\n\r\n1389\r\n"), Reason::too_large);
  std::string many = kPost + "Transfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 100; ++i) many += "64\r\n" + std::string(100, 'x') + "\r\n";
  EXPECT_EQ(refusal_of(many, 1000), Reason::too_large);
  RequestParser parser(kMostHead, kMostBody, "");
  parser.put(kPost + "Transfer-Encoding: chunked\r\n\r\n");
  parser.limit_body(3);
  EXPECT_THROW(parser.put("4\r\n"), Refusal);
}

TEST(RequestParser, WhoSendsAndWhereToIsSaidOnce) {
  for (const char* line :
       {"Host: b\r\n", "Authorization: a\r\nAuthorization: b\r\n", "Origin: a\r\nOrigin: a\r\n"})
    EXPECT_EQ(refusal_of(kPost + line + "\r\n"), Reason::bad_request) << line;
}

// Found by the fuzzer: an assertion of Beast's in debug builds.
TEST(RequestParser, TheLastChunkMayComeInBytesAndWithoutOthers) {
  RequestParser parser(kMostHead, kMostBody, "");
  EXPECT_EQ(feed(parser, kPost + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET", 1), "GET");
  EXPECT_TRUE(parser.is_done());
  EXPECT_EQ(refusal_of(kPost + "Transfer-Encoding: chunked\r\n\r\n0\r\nx\r\n1\r\n \r\n\r\n", 1),
            Reason::bad_request);
}

TEST(RequestParser, TrailersChangeNothing) {
  RequestParser parser(kMostHead, kMostBody, "");
  feed(parser,
       kPost + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nAuthorization: Bearer late\r\n\r\n");
  ASSERT_TRUE(parser.is_done());
  EXPECT_EQ(parser.take_body(), "hi");
}

}  // namespace
}  // namespace ridgerunner::service::request_parser_test
