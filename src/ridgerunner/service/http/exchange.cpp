#include "ridgerunner/service/http/exchange.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/service/http/answer.h"
#include "ridgerunner/service/http/pages.h"

namespace ridgerunner::service {
namespace {

constexpr std::size_t kShortBody = 64 << 10;  // read even if it is not wanted; longer ones count
constexpr std::size_t kMuchMemory = 4 << 20;  // for a decision on a thread that reads requests
constexpr std::size_t kShortestAction = 4;    // "[1],"
constexpr std::string_view kNotKept = "Cache-Control: no-store\r\n";

}  // namespace

void Exchange::begin(const RequestHead& seen) {
  head = seen;
  const std::size_t question = head.target.find('?');
  close = !head.keep_alive;
  head_only = head.method == "HEAD";
  path = head.target.substr(0, question);
  if (question != std::string_view::npos) query = head.target.substr(question + 1);
  match = service::match(head.method, path);
  try {
    if (!match.route && match.allowed.empty())
      throw Refusal(Reason::not_found, fmt::format("there is nothing at {}", path.substr(0, 200)));
    if (!match.route)
      return refuse(Refusal(Reason::method_not_allowed,
                            fmt::format("only {} is answered here, got {}", match.allowed, head.method)),
                    fmt::format("Allow: {}\r\n", match.allowed));
    require_access();
    const bool needs_service = match.route->path.starts_with("/v1/");
    if (needs_service && context_.draining) throw Refusal(Reason::draining, "the server is shutting down");
    if (needs_service && !context_.service) throw Refusal(Reason::starting, "the server is starting");
  } catch (const Refusal& refusal) {
    refuse(refusal, refusal.reason == Reason::unauthorized ? "WWW-Authenticate: Bearer\r\n" : "");
  }
}

void Exchange::require_access() const {
  context_.access.require(*match.route, {head.authorization, head.host, head.origin});
}

std::optional<std::uint64_t> Exchange::admit_body() {
  const HttpOptions& options = context_.options;
  const std::uint64_t most = refused                  ? kShortBody
                             : call() == Call::import ? options.import_bytes
                                                      : options.body_bytes;
  const std::uint64_t length = head.length.value_or(head.chunked ? most : 0);
  if (refused) {
    close = close || length > kShortBody || head.expects_continue;
    if (close) return std::nullopt;
    return most;
  }
  if (length > most) {
    refuse_and_close(Refusal(Reason::too_large,
                             fmt::format("the body has {} bytes, at most {} are allowed", length, most)));
    return std::nullopt;
  }
  if (length > kShortBody) {
    body_lease_ = context_.body_bytes.acquire(length);
    if (!body_lease_) {
      refuse_and_close(Refusal(Reason::too_many, "too many long requests at the same time"));
      return std::nullopt;
    }
  }
  return most;
}

void Exchange::refuse(const Refusal& refusal, const std::string& more_lines) {
  refused = answer_refusal(refusal, answer_);
  more_lines_ += more_lines;
  if (refusal.reason == Reason::starting || refusal.reason == Reason::draining)
    more_lines_ += "Retry-After: 1\r\n";
  start = Clock::now();
}

void Exchange::refuse_and_close(const Refusal& refusal) {
  refuse(refusal);
  close = true;
}

bool Exchange::is_quick(std::size_t body_size) const {
  const std::size_t most = match.route->quick_body;
  if (most == kAnyBody || most == 0 || body_size > most) return most == kAnyBody;
  if (context_.answer_times.slow(match.name)) return false;
  const auto candidates = static_cast<Index>(body_size / kShortestAction);
  return context_.service.load()->decision_bytes(match.name, candidates) < kMuchMemory;
}

Reply Exchange::answer_call(std::string_view body) {
  const ApiRequest request{call(), match.name, match.event_id, query, body};
  const auto began = Clock::now();
  const Reply reply = service::answer(*context_.service, {context_.options.limits, context_.decision_bytes},
                                      request, answer_);
  const bool by_model = match.route->quick_body != 0 && match.route->quick_body != kAnyBody;
  if (by_model && reply.status == 200)
    context_.answer_times.add(match.name, std::chrono::duration<double>(Clock::now() - began).count());
  return reply;
}

Reply Exchange::answer_page() {
  const Asset* asset = find_asset(path);
  if (!asset) {
    more_lines_ += kNotKept;
    return answer_refusal(
        Refusal(Reason::not_found, fmt::format("there is nothing at {}", path.substr(0, 200))), answer_);
  }
  const std::string tag = entity_tag(*asset);
  type_ = asset->type;
  more_lines_ += fmt::format(
      "ETag: {}\r\nCache-Control: no-cache\r\nContent-Security-Policy: default-src 'self'; style-src 'self' "
      "'unsafe-inline'; frame-ancestors 'none'\r\nReferrer-Policy: no-referrer\r\n",
      tag);
  const bool known = head.if_none_match == tag;
  answer_ = known ? "" : asset->content;
  return {known ? 304 : 200, 0};
}

Reply Exchange::answer_ready() {
  const Service* service = context_.service;
  const auto not_ready = [&](const char* status, const std::string& why) {
    answer_ = dump({{"status", status}, {"message", why}});
    return Reply{503, 0};
  };
  if (context_.draining) return not_ready("draining", "the server is shutting down");
  if (!service) return not_ready("starting", "the log is being read");
  if (const std::string trouble = service->trouble(); !trouble.empty())
    return not_ready("read_only", trouble);
  Json ready = {{"status", "ready"}};
  if (const auto degraded = service->degraded(); !degraded.empty()) ready["degraded"] = degraded;
  answer_ = dump(ready);
  return {};
}

Reply Exchange::answer(std::string_view body) {
  try {
    switch (call()) {
      case Call::health:
        answer_ = R"({"status":"ok"})";
        return {};
      case Call::ready:
        return answer_ready();
      case Call::metrics:
        type_ = "text/plain; version=0.0.4; charset=utf-8";
        answer_ = context_.metrics.text(context_.service);
        return {};
      case Call::description:
        answer_ = openapi();
        return {};
      case Call::page:
        return answer_page();
      default:
        return answer_call(body);
    }
  } catch (...) {
    return answer_of_exception(answer_);
  }
}

ResponseHead Exchange::response_head(const Reply& reply, std::int64_t length, std::string_view type) const {
  ResponseHead response;
  response.status = reply.status;
  response.type = type;
  response.more = more_lines_;
  response.length = length;
  response.close = close;
  response.http_1_0 = head.http_1_0;
  return response;
}

ResponseHead Exchange::response_head(const Reply& reply) {
  if (refused || call() != Call::page) more_lines_ += kNotKept;
  if (reply.status == 429) more_lines_ += "Retry-After: 1\r\n";
  return response_head(reply, static_cast<std::int64_t>(answer_.size()), type_);
}

void Exchange::finish(int status) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  context_.metrics.answered(call(), status, seconds);
  const bool streamed = call() == Call::live || call() == Call::log;
  const bool remarkable =
      (status >= 500 && call() != Call::ready) || (seconds > context_.options.slow_seconds && !streamed);
  const LogLevel level = remarkable ? LogLevel::warn : LogLevel::debug;
  if (!context_.log.enabled(level)) return;
  Json fields = {{"method", head.method}, {"path", path}, {"status", status}, {"seconds", seconds}};
  if (status >= 500) fields["answer"] = answer_.substr(0, 500);
  context_.log.write(level, remarkable && status < 500 ? "slow request" : "request", fields);
}

}  // namespace ridgerunner::service
