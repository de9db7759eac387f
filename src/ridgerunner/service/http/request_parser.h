#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ridgerunner::service {

// What we want to know of a request's head. The texts are the parser's.
struct RequestHead {
  std::string_view method, target, authorization, host, origin, if_none_match;
  std::optional<std::uint64_t> length;  // of the body, if it is said
  bool chunked = false, keep_alive = true, expects_continue = false, http_1_0 = false;
};

// One request in HTTP/1.1, by Beast's parser, with the checks that Beast leaves to others. What is no request
// throws Refusal, and then the connection must end: nobody knows where the next one begins.
class RequestParser {
 public:
  // `memory` is used for the body, for its capacity.
  RequestParser(std::size_t most_head, std::uint64_t most_body, std::string memory);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  // Takes bytes to the end of the head, so that it can be looked at; from then on to the end of the request.
  // What is not used must be given again, together with more.
  struct Progress {
    std::size_t used = 0;
    bool needs_more = false;
  };
  Progress put(std::string_view bytes);

  bool has_head() const;
  bool is_done() const;                 // the whole request is there; never true of one that was refused
  RequestHead head() const;             // once there is one
  void limit_body(std::uint64_t most);  // longer ones are refused
  std::size_t body_size() const;
  std::string take_body();

 private:
  Progress checked_put(std::string_view bytes);

  struct Beast;
  std::unique_ptr<Beast> beast_;
  const std::size_t most_head_;
  std::size_t head_bytes_ = 0;
  bool refused_ = false;
};

}  // namespace ridgerunner::service
