#include "ridgerunner/service/http/api.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"
#include "ridgerunner/service/http/answer.h"
#include "ridgerunner/service/http/request.h"
#include "ridgerunner/service/log/json_text.h"
#include "ridgerunner/service/log/refusal.h"

namespace ridgerunner::service {
namespace {

constexpr std::size_t kDecisionsListed = 20;
constexpr std::size_t kUncounted = 1 << 20;  // bytes of a decision that need no quota

RequestReader& reader() {
  thread_local RequestReader own;
  return own;
}

bool query_flag(std::string_view query, const char* name) {
  std::string value;
  if (!query_value(query, name, value)) return false;
  if (value != "true" && value != "false")
    throw Refusal(Reason::bad_request, fmt::format("{} must be true or false, got \"{}\"", name, value),
                  name);
  return value == "true";
}

// Some editors and shells begin every text with one; JSON has no use for it.
std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

void refuse_body(std::string_view body) {
  if (body.find_first_not_of(" \t\r\n") != std::string_view::npos && body != "{}")
    throw Refusal(Reason::bad_request, "this call takes no body");
}

// Answers one request; the names say which.
struct Answerer {
  Service& service;
  const ApiLimits& limits;
  const ApiRequest& request;
  std::string& out;
  std::string name{request.name};
  std::string_view body = without_byte_order_mark(request.body);

  // How the experiment's spec names things, if it does.
  std::optional<Encoder> features = {};
  const Encoder* encoder() {
    features = service.features(name);
    return features ? &*features : nullptr;
  }

  // Counts the memory of a decision for as long as it is made.
  Quota::Lease memory_for(Index candidates) {
    const std::size_t bytes = service.decision_bytes(name, candidates);
    if (bytes < kUncounted) return {};
    if (bytes > limits.decision_bytes.most())
      throw Refusal(
          Reason::too_large,
          fmt::format("drawing among {} candidates takes {} MiB of memory, at most {} MiB are allowed",
                      candidates, bytes >> 20, limits.decision_bytes.most() >> 20),
          "actions");
    Quota::Lease lease = limits.decision_bytes.acquire(bytes);
    if (!lease) throw Refusal(Reason::too_many, "too many decisions that take much memory at the same time");
    return lease;
  }

  Reply create() {
    const CreateRequest asked = reader().create(body);
    const auto ticket = service.create(asked.name, asked.spec, asked.description, asked.settings);
    out = dump(experiment_json(ticket.answer.experiment, Detail::whole));
    return {ticket.answer.fresh ? 201 : 200, ticket.seq};
  }

  Reply decide() {
    DecideRequest asked = reader().decide(body, encoder());
    if (!request.query.empty() && query_flag(request.query, "check")) {
      const Check checked = service.check(name, asked.event_id, asked.offered);
      out = fmt::format(R"({{"valid":true,"candidates":{},"dimension":{}}})", checked.candidates,
                        checked.dimension);
      return {};
    }
    const Quota::Lease memory = memory_for(asked.offered.actions.cols());
    const auto ticket = service.decide(name, asked.event_id, std::move(asked.offered));
    append_choice(out, ticket.answer);
    return {200, ticket.seq};
  }

  Reply reward() {
    const RewardRequest asked = reader().reward(body);
    const auto ticket = service.reward(name, asked.event_id, asked.reward);
    append_event_status(out, asked.event_id, ticket.answer);
    return {200, ticket.seq};
  }

  Reply activate() {
    const std::string event_id = reader().activate(body);
    const auto ticket = service.activate(name, event_id);
    append_event_status(out, event_id, ticket.answer);
    return {200, ticket.seq};
  }

  Reply predict() {
    const Matrix states = reader().predict(body, encoder());
    std::uint64_t version = 0;
    const Forecast forecast = service.predict(name, states, version);
    out = dump(forecast_json(forecast, version));
    return {};
  }

  Reply import() {
    ImportRequest asked = reader().import(body, limits.service.import, encoder());
    query_value(request.query, "import_id", asked.id);
    const auto ticket = service.import(name, std::move(asked));
    out = fmt::format(R"({{"imported":{}}})", ticket.answer);
    return {200, ticket.seq};
  }

  Reply configure() {
    const auto ticket = service.configure(name, reader().configure(body));
    out = dump(experiment_json(ticket.answer, Detail::whole));
    return {200, ticket.seq};
  }

  Reply close() {
    refuse_body(body);
    const auto ticket = service.close(name);
    out = dump(experiment_json(ticket.answer, Detail::whole));
    return {200, ticket.seq};
  }

  Reply list() {
    Json experiments = Json::array();
    for (const ExperimentView& view : service.experiments())
      experiments.push_back(experiment_json(view, Detail::without_spec));
    out = dump({{"experiments", std::move(experiments)}});
    return {};
  }

  Reply show() {
    out = dump(experiment_json(service.experiment(name), Detail::whole));
    return {};
  }

  Reply decisions() {
    Json decisions = Json::array();
    for (const DecisionView& view :
         service.decisions(name, query_number(request.query, "limit", kDecisionsListed)))
      decisions.push_back(decision_json(view));
    out = dump({{"decisions", std::move(decisions)}});
    return {};
  }

  Reply explain() {
    out = dump(explanation_json(service.explain(name, std::string(request.event_id))));
    return {};
  }

  Reply history() {
    out = dump(history_json(service.history(name)));
    return {};
  }

  Reply answer() {
    switch (request.call) {
      case Call::create:
        return create();
      case Call::list:
        return list();
      case Call::show:
        return show();
      case Call::decide:
        return decide();
      case Call::reward:
        return reward();
      case Call::activate:
        return activate();
      case Call::predict:
        return predict();
      case Call::import:
        return import();
      case Call::configure:
        return configure();
      case Call::close:
        return close();
      case Call::decisions:
        return decisions();
      case Call::explain:
        return explain();
      case Call::history:
        return history();
      default:
        throw std::logic_error("not a call that is answered with one text");
    }
  }
};

}  // namespace

std::uint64_t query_number(std::string_view query, const char* name, std::uint64_t otherwise) {
  std::string value;
  if (!query_value(query, name, value)) return otherwise;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size())
    throw Refusal(Reason::bad_request,
                  fmt::format("{} must be an integer >= 0, got \"{}\"", name, value.substr(0, 60)), name);
  return number;
}

Reply answer(Service& service, const ApiLimits& limits, const ApiRequest& request, std::string& out) {
  out.clear();
  try {
    return Answerer{service, limits, request, out}.answer();
  } catch (...) {
    return answer_of_exception(out);
  }
}

Reply answer_refusal(const Refusal& refusal, std::string& out) {
  const auto [status, code] = reason_text(refusal.reason);
  out = error_json(code, refusal.what(), refusal.field);
  return {status, refusal.seq};
}

Reply answer_of_exception(std::string& out) {
  try {
    throw;
  } catch (const Refusal& refusal) {
    return answer_refusal(refusal, out);
  } catch (const InvalidArgument& error) {
    out = error_json("bad_request", error.what(), "");
    return {400, 0};
  } catch (const LogError& error) {
    out = error_json("read_only", error.what(), "");
    return {503, 0};
  } catch (const std::exception& error) {
    out = error_json("internal", error.what(), "");
  } catch (...) {
    out = error_json("internal", "something unknown went wrong", "");
  }
  return {500, 0};
}

}  // namespace ridgerunner::service
