#include "fuzz/promise.h"
#include "fuzz/targets.h"
#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/error.h"
#include "ridgerunner/service/log/event.h"
#include "ridgerunner/service/log/event_json.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::fuzz {
namespace {

void line(std::string_view text) {
  service::EventLineReader reader;
  const service::EventLine read = reader.read(text);
  std::string again;
  service::append_event_line(again, read.event, read.experiment);
  const service::EventLine twice = reader.read(again);
  promise(twice.event == read.event && twice.experiment == read.experiment, "a line reads back as it was");
}

void binary(std::string_view bytes) {
  std::string sealed(bytes);
  const std::uint32_t crc = crc32c(bytes);
  sealed.append(reinterpret_cast<const char*>(&crc), sizeof crc);
  promise(service::encode(service::decode(sealed)) == sealed, "one event, one encoding");
}

}  // namespace

void events(std::string_view input) {
  if (input.empty()) return;
  try {
    if (input[0] % 2 == 0) {
      binary(input.substr(1));
    } else {
      line(input.substr(1));
    }
  } catch (const InvalidArgument&) {
  } catch (const service::Refusal&) {
  }
}

}  // namespace ridgerunner::fuzz
