#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ridgerunner/service/http/api.h"
#include "ridgerunner/service/http/request_parser.h"
#include "ridgerunner/service/http/server_context.h"
#include "ridgerunner/service/http/wire.h"

namespace ridgerunner::service {

// One request and its answer, without the socket: who may ask, whether the body is wanted, where it is
// answered, and what is counted and logged in the end. `answer` is the caller's memory for the text.
class Exchange {
 public:
  using Clock = std::chrono::steady_clock;

  Exchange(ServerContext& context, std::string& answer) : context_(context), answer_(answer) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Finds the call and refuses it if its sender may not make it. Before the body is read.
  void begin(const RequestHead& head);

  // Throws Refusal if the sender may not make this call any more: its token was taken away.
  void require_access() const;

  // The longest body that is read; one that is not wanted is read if it is short, so that the connection can
  // go on. Nothing: the connection ends without it.
  std::optional<std::uint64_t> admit_body();

  void refuse(const Refusal& refusal, const std::string& more_lines = "");
  void refuse_and_close(const Refusal& refusal);

  // May it be answered by the thread that read it? If not, by a worker.
  bool is_quick(std::size_t body_size) const;

  // Everything but streams. Any thread; never throws.
  Reply answer(std::string_view body);

  // The head of an answer; length -1 for a stream.
  ResponseHead response_head(const Reply& reply, std::int64_t length, std::string_view type) const;
  ResponseHead response_head(const Reply& reply);

  // Counts and logs it.
  void finish(int status) const;

  Call call() const { return match.route ? match.route->call : Call::page; }

  RequestHead head;
  std::string_view path, query;
  Match match;
  std::optional<Reply> refused;  // the answer, if it is one without the service
  bool close = false;            // the connection ends after it
  bool head_only = false;
  Clock::time_point start = Clock::now();

 private:
  Reply answer_call(std::string_view body);
  Reply answer_page();
  Reply answer_ready();

  ServerContext& context_;
  std::string& answer_;
  std::string more_lines_;  // of the answer's head
  std::string_view type_ = kJsonType;
  Quota::Lease body_lease_;
};

}  // namespace ridgerunner::service
