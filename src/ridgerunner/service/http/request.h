#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "ridgerunner/codec/fields.h"
#include "ridgerunner/features/encoder.h"
#include "ridgerunner/service/experiment/service.h"
#include "ridgerunner/service/log/event.h"

namespace ridgerunner::service {

struct DecideRequest {
  std::string event_id;  // "" if the client gave none
  Offered offered;
};

struct RewardRequest {
  std::string event_id;
  double reward = 0;
};

struct CreateRequest {
  std::string name, description;
  Json spec;
  Settings settings;
};

using ConfigureRequest = SettingsChange;

// Reads the bodies of requests. Strict: what is unknown, there twice, of the wrong type, not finite or out of
// shape is a Refusal (bad_request) that names the field. Reuses its memory: one for each thread.
// Where the experiment's spec has features, its encoder is given: contexts and actions are objects then.
class RequestReader {
 public:
  RequestReader();
  ~RequestReader();
  RequestReader(RequestReader&&) noexcept;
  RequestReader& operator=(RequestReader&&) noexcept;

  DecideRequest decide(std::string_view body, const Encoder* features = nullptr);
  RewardRequest reward(std::string_view body);
  std::string activate(std::string_view body);                               // the event id
  Matrix predict(std::string_view body, const Encoder* features = nullptr);  // states: d x n
  // A line each; blank ones are skipped. Refuses (too_large) more than `most`.
  ImportRequest import(std::string_view body, std::int64_t most, const Encoder* features = nullptr);
  CreateRequest create(std::string_view body);
  SettingsChange configure(std::string_view body);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace ridgerunner::service
