#include "fuzz/promise.h"
#include "fuzz/targets.h"
#include "ridgerunner/error.h"
#include "ridgerunner/service/http/request.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::fuzz {
namespace {

using service::RequestReader;

void decide(RequestReader& reader, std::string_view body) {
  const auto asked = reader.decide(body);
  const service::Offered& offered = asked.offered;
  promise(offered.actions.allFinite() && offered.context.allFinite(), "what is offered is finite");
  promise(offered.ids.empty() || std::ssize(offered.ids) == offered.actions.cols(), "an id for each action");
  for (std::size_t i = 1; i < offered.excluded.size(); ++i)
    promise(offered.excluded[i - 1] < offered.excluded[i], "excluded is ascending");
}

}  // namespace

bool requests(std::string_view input) {
  if (input.empty()) return false;
  const std::string_view body = input.substr(1);
  RequestReader reader;
  try {
    switch (input[0] % 7) {
      case 0:
        decide(reader, body);
        break;
      case 1:
        reader.reward(body);
        break;
      case 2:
        reader.activate(body);
        break;
      case 3:
        promise(reader.predict(body).allFinite(), "states are finite");
        break;
      case 4: {
        const auto asked = reader.import(body, 100);
        promise(asked.states.cols() == asked.rewards.size(), "a reward for each state");
        promise(asked.states.allFinite() && asked.rewards.allFinite(), "data are finite");
        break;
      }
      case 5:
        reader.create(body);
        break;
      default:
        reader.configure(body);
        break;
    }
    return true;
  } catch (const service::Refusal&) {
  }
  return false;
}

}  // namespace ridgerunner::fuzz
