#include "ridgerunner/service/http/request_parser.h"

// Beast 1.74 asserts that at least 5 bytes follow the last chunk's size if it has to look at it twice. They
// need not, and what it does then is right, so a client must not be able to stop a debug build with it.
#define BOOST_DISABLE_ASSERTS
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>

#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

std::string_view text_of(beast::string_view text) {
  return {text.data(), text.size()};
}

// Where a body ends must be beyond doubt, or what follows it could be taken for another request than a proxy
// in front of us took it for (RFC 9112, 6.3).
void require_clear_head(const http::request_header<>& head) {
  if (const auto count = head.count(http::field::transfer_encoding); count > 0) {
    const bool clear =
        count == 1 && head.version() == 11 && beast::iequals(head[http::field::transfer_encoding], "chunked");
    if (!clear)
      throw Refusal(Reason::bad_request, "Transfer-Encoding must be chunked, once and alone, or be left out");
  }
  for (const http::field field : {http::field::authorization, http::field::host, http::field::origin}) {
    if (head.count(field) > 1)
      throw Refusal(Reason::bad_request,
                    fmt::format("the header {} is there twice", text_of(http::to_string(field))));
  }
}

}  // namespace

struct RequestParser::Beast {
  http::request_parser<http::string_body> parser;
};

RequestParser::RequestParser(std::size_t most_head, std::uint64_t most_body, std::string memory)
    : beast_(std::make_unique<Beast>()), most_head_(most_head) {
  memory.clear();
  beast_->parser.header_limit(static_cast<std::uint32_t>(most_head));
  beast_->parser.body_limit(most_body);
  beast_->parser.get().body() = std::move(memory);
}

RequestParser::~RequestParser() = default;

RequestParser::Progress RequestParser::put(std::string_view bytes) {
  refused_ = true;
  const Progress progress = checked_put(bytes);
  refused_ = false;
  return progress;
}

RequestParser::Progress RequestParser::checked_put(std::string_view bytes) {
  auto& parser = beast_->parser;
  const bool had_head = parser.is_header_done();
  Progress progress;
  beast::error_code error;
  progress.used = parser.put(boost::asio::buffer(bytes.data(), bytes.size()), error);
  progress.needs_more = error == http::error::need_more;
  if (!had_head) head_bytes_ += progress.used;
  // Beast limits what it has to look at again, but neither the sum of all lines nor the lines between chunks.
  const std::size_t waiting = progress.needs_more ? bytes.size() - progress.used : 0;
  if ((had_head ? 0 : head_bytes_) + waiting > most_head_) error = http::error::header_limit;
  if (error == http::error::header_limit)
    throw Refusal(Reason::header_too_large,
                  fmt::format("the request's header has more than {} bytes", most_head_));
  if (error == http::error::body_limit) throw Refusal(Reason::too_large, "the body is longer than allowed");
  if (error && !progress.needs_more)
    throw Refusal(Reason::bad_request, fmt::format("not a request of HTTP/1.1: {}", error.message()));
  if (!had_head && parser.is_header_done()) {
    require_clear_head(parser.get());
    parser.eager(true);
  }
  return progress;
}

bool RequestParser::has_head() const {
  return beast_->parser.is_header_done();
}

bool RequestParser::is_done() const {
  return !refused_ && beast_->parser.is_done();
}

RequestHead RequestParser::head() const {
  const auto& parser = beast_->parser;
  const http::request_header<>& head = parser.get();
  RequestHead seen;
  seen.method = text_of(head.method_string());
  seen.target = text_of(head.target());
  seen.authorization = text_of(head[http::field::authorization]);
  seen.host = text_of(head[http::field::host]);
  seen.origin = text_of(head[http::field::origin]);
  seen.if_none_match = text_of(head[http::field::if_none_match]);
  if (const auto length = parser.content_length()) seen.length = *length;
  seen.chunked = parser.chunked();
  seen.keep_alive = parser.keep_alive();
  seen.expects_continue = beast::iequals(head[http::field::expect], "100-continue");
  seen.http_1_0 = head.version() == 10;
  return seen;
}

void RequestParser::limit_body(std::uint64_t most) {
  beast_->parser.body_limit(most);
}

std::size_t RequestParser::body_size() const {
  return beast_->parser.get().body().size();
}

std::string RequestParser::take_body() {
  return std::move(beast_->parser.get().body());
}

}  // namespace ridgerunner::service
