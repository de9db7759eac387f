#include <optional>

#include "fuzz/promise.h"
#include "fuzz/targets.h"
#include "ridgerunner/service/http/request_parser.h"
#include "ridgerunner/service/http/routes.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::fuzz {
namespace {

using service::RequestParser;

constexpr std::size_t kMostHead = 2000;
constexpr std::uint64_t kMostBody = 3000;

struct Outcome {
  bool done = false, limited = false;
  std::string body;
  std::size_t left = 0;
};

void look_at(const service::RequestHead& head) {
  promise(!(head.chunked && head.length), "a body has one end");
  service::match(head.method, head.target.substr(0, head.target.find('?')));
}

// As a connection feeds it, in pieces of a size.
Outcome feed(std::string_view text, std::size_t piece) {
  RequestParser parser(kMostHead, kMostBody, "");
  Outcome outcome;
  std::string input;
  try {
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
      input += text.substr(0, piece);
      while (!parser.is_done() && !input.empty()) {
        const bool had_head = parser.has_head();
        const auto progress = parser.put(input);
        promise(progress.used <= input.size(), "no more is used than there is");
        input.erase(0, progress.used);
        if (!had_head && parser.has_head()) look_at(parser.head());
        if (progress.needs_more) break;
      }
      promise(parser.is_done() || input.size() <= kMostHead, "what waits for more is limited");
      promise(parser.body_size() <= kMostBody, "bodies are limited");
    }
    outcome.done = parser.is_done();
    outcome.left = input.size();
    outcome.body = parser.take_body();
  } catch (const service::Refusal& refusal) {
    outcome.limited = refusal.reason != service::Reason::bad_request;
  }
  return outcome;
}

}  // namespace

// Where a request ends must not depend on how its bytes come in.
bool http(std::string_view input) {
  if (input.empty()) return false;
  const std::size_t piece = static_cast<unsigned char>(input[0]) % 50 + 1;
  input.remove_prefix(1);
  const Outcome whole = feed(input, input.size() + 1), parts = feed(input, piece);
  if (whole.limited || parts.limited) return false;
  promise(whole.done == parts.done, "complete or not");
  promise(!whole.done || (whole.body == parts.body && whole.left == parts.left), "the same request");
  return whole.done;
}

}  // namespace ridgerunner::fuzz
