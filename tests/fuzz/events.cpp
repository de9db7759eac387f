#include "fuzz/promise.h"
#include "fuzz/targets.h"
#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/error.h"
#include "ridgerunner/service/log/event.h"
#include "ridgerunner/service/log/event_json.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::fuzz {
namespace {

// To the bit: old logs may hold NaN, which is not even equal to itself.
std::string bytes_of(const service::Event& event) {
  const auto* unreadable = std::get_if<service::Unreadable>(&event.body);
  return unreadable ? unreadable->why : service::encode(event);
}

void line(std::string_view text) {
  service::EventLineReader reader;
  const service::EventLine read = reader.read(text);
  std::string again;
  service::append_event_line(again, read.event, read.experiment);
  const service::EventLine twice = reader.read(again);
  promise(bytes_of(twice.event) == bytes_of(read.event) && twice.experiment == read.experiment,
          "a line reads back as it was");
}

void binary(std::string_view bytes) {
  std::string sealed(bytes);
  const std::uint32_t crc = crc32c(bytes);
  sealed.append(reinterpret_cast<const char*>(&crc), sizeof crc);
  promise(service::encode(service::decode(sealed)) == sealed, "one event, one encoding");
}

}  // namespace

bool events(std::string_view input) {
  if (input.empty()) return false;
  try {
    if (input[0] % 2 == 0) {
      binary(input.substr(1));
    } else {
      line(input.substr(1));
    }
    return true;
  } catch (const InvalidArgument&) {
  } catch (const service::Refusal&) {
  }
  return false;
}

}  // namespace ridgerunner::fuzz
