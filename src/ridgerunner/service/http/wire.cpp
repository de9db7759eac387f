#include "ridgerunner/service/http/wire.h"

#include <ctime>
#include <iterator>

#include <boost/beast/http/status.hpp>
#include <fmt/compile.h>
#include <fmt/format.h>

namespace ridgerunner::service {
namespace {

std::string_view reason_phrase(int status) {
  namespace http = boost::beast::http;
  const auto text = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(status)));
  return {text.data(), text.size()};
}

// "Mon, 16 Nov 2026 09:00:00 GMT", written once a second.
std::string_view date_text() {
  thread_local std::time_t when = 0;
  thread_local char text[32] = "";
  const std::time_t now = std::time(nullptr);
  if (now != when) {
    std::tm parts;
    gmtime_r(&now, &parts);
    std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    when = now;
  }
  return text;
}

}  // namespace

void write_head(std::string& out, const ResponseHead& head) {
  out.clear();
  auto end = std::back_inserter(out);
  fmt::format_to(end, FMT_COMPILE("HTTP/1.1 {} {}\r\nDate: {}\r\nContent-Type: {}\r\n"), head.status,
                 reason_phrase(head.status), date_text(), head.type);
  if (head.length >= 0) {
    fmt::format_to(end, FMT_COMPILE("Content-Length: {}\r\n"), head.length);
  } else if (!head.http_1_0) {
    out += "Transfer-Encoding: chunked\r\n";
  }
  out += "X-Content-Type-Options: nosniff\r\n";
  out += head.more;
  if (head.close) {
    out += "Connection: close\r\n";
  } else if (head.http_1_0) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
}

}  // namespace ridgerunner::service
