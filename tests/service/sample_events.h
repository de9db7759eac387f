#pragma once

#include <limits>
#include <vector>

#include "ridgerunner/service/log/event.h"

namespace ridgerunner::service {

// One of every kind and more, with all that is optional there and not.
inline std::vector<Event> sample_events() {
  const Vector state = (Vector(3) << 0.25, -1e-300, 3).finished();
  const Subject subject{2, "order-17", state, 1.75, -1};
  const Subject unbounded{2, "order-18", state, std::numeric_limits<double>::infinity(), 0};
  Offered whole;
  whole.context = state.head(1);
  whole.actions = (Matrix(2, 3) << 0.1, 0.2, 0.3, 1, 2, 3).finished();
  whole.ids = {"red", "", "blue \"quoted\" \xC3\xA4"};
  whole.excluded = {0, 2};
  whole.deferred = true;
  const Decision decision{0, 1, 0.5, 0.25, 0.1, 0.9, 1.0 / 3, 2, 4};
  Matrix states = Matrix::Zero(2, 2);
  states << 0.1, -0.0, 5e-324, 1e308;
  std::vector<Body> bodies = {
      Created{"shop", "", R"({"policy":"ek-ucb"})", {}},
      Created{"lab.2", "Two\nlines", R"({"policy":"greedy","seed":8})", {3600.0, -1.5}},
      Configured{{0.5, std::nullopt}},
      Decided{"order-17", whole, 7, 5, state, decision},
      Decided{"rr-000000000005", {}, 0, 0, state, {}},
      Rewarded{subject, 0.125, false},
      Rewarded{unbounded, -2, true},
      Activated{subject, std::nullopt},
      Activated{subject, 0.3},
      Expired{subject, true, -1.0},
      Expired{subject, false, std::nullopt},
      Imported{states, (Vector(2) << 1, -1).finished(), ""},
      Closed{},
      Imported{states, (Vector(2) << 1, -1).finished(), "january"},
  };
  std::vector<Event> events;
  for (Body& body : bodies) {
    const std::uint64_t seq = events.size() + 1;
    const std::uint64_t experiment = seq <= 2 ? seq : 1;
    events.push_back({seq, experiment, 1'794'816'000'000 + static_cast<std::int64_t>(seq), std::move(body)});
  }
  return events;
}

}  // namespace ridgerunner::service
