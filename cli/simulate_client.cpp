#include "simulate_client.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <ridgerunner/error.h>

namespace ridgerunner::cli {
namespace {

// The value of a header line; empty if there is none.
std::string header(const std::string& head, const std::string& name) {
  std::string lower = head;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const std::size_t at = lower.find("\r\n" + name + ":");
  if (at == std::string::npos) return "";
  const std::size_t from = head.find_first_not_of(' ', at + name.size() + 3);
  return head.substr(from, head.find("\r\n", from) - from);
}

std::size_t number(const std::string& text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) throw ConnectionError(fmt::format("no length in the answer: \"{}\"", text));
  return value;
}

}  // namespace

JsonClient::JsonClient(const std::string& url, std::string token) : token_(std::move(token)) {
  constexpr std::string_view kScheme = "http://";
  std::string rest = url.starts_with(kScheme) ? url.substr(kScheme.size()) : "";
  while (rest.ends_with('/')) rest.pop_back();
  const std::size_t colon = rest.rfind(':');
  if (rest.empty() || colon == std::string::npos || rest.find('/') != std::string::npos)
    throw InvalidArgument(fmt::format("--url must be http://ADDRESS:PORT, got {}", url));
  host_ = rest.substr(0, colon);
  port_ = rest.substr(colon + 1);
}

JsonClient::~JsonClient() {
  disconnect();
}

void JsonClient::disconnect() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  unread_.clear();
}

void JsonClient::connect() {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  std::string host = host_;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (const int failed = getaddrinfo(host.c_str(), port_.c_str(), &hints, &found))
    throw ConnectionError(fmt::format("cannot find {}:{}: {}", host_, port_, gai_strerror(failed)));
  socket_ = socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, found->ai_protocol);
  const timeval patience{10, 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const bool connected = ::connect(socket_, found->ai_addr, found->ai_addrlen) == 0;
  const int reason = errno;
  freeaddrinfo(found);
  if (connected) return;
  disconnect();
  throw ConnectionError(fmt::format("cannot connect to {}:{}: {}", host_, port_, std::strerror(reason)));
}

void JsonClient::send(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::send(socket_, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (count <= 0) throw ConnectionError("the connection was lost");
    done += static_cast<std::size_t>(count);
  }
}

bool JsonClient::more() {
  char buffer[16384];
  const ssize_t count = recv(socket_, buffer, sizeof buffer, 0);
  if (count > 0) unread_.append(buffer, static_cast<std::size_t>(count));
  return count > 0;
}

std::string JsonClient::receive_until(const std::string& end) {
  std::size_t at = 0;
  while ((at = unread_.find(end)) == std::string::npos) {
    if (!more()) throw ConnectionError("the connection was lost");
  }
  return receive(at + end.size());
}

std::string JsonClient::receive(std::size_t size) {
  while (unread_.size() < size) {
    if (!more()) throw ConnectionError("the connection was lost");
  }
  std::string text = unread_.substr(0, size);
  unread_.erase(0, size);
  return text;
}

JsonClient::Answer JsonClient::ask(const std::string& method, const std::string& path,
                                   const std::string& body) {
  if (socket_ < 0) connect();
  try {
    const std::string token = token_.empty() ? "" : fmt::format("Authorization: Bearer {}\r\n", token_);
    send(fmt::format(
        "{} {} HTTP/1.1\r\nHost: {}:{}\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
        method, path, host_, port_, token, body.size(), body));
    const std::string head = receive_until("\r\n\r\n");
    if (head.size() < 12 || !head.starts_with("HTTP/1.")) throw ConnectionError("the answer is not HTTP");
    Answer answer;
    answer.status = static_cast<int>(number(head.substr(9, 3)));
    const std::string text = receive(number(header(head, "content-length")));
    if (header(head, "connection") == "close") disconnect();
    answer.body = parse_json(text);
    return answer;
  } catch (const ConnectionError&) {
    disconnect();
    throw;
  }
}

}  // namespace ridgerunner::cli
