#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ridgerunner/archive/policy_archive.h>
#include <ridgerunner/error.h>
#include <ridgerunner/policy/policy.h>
#include <ridgerunner/policy/policy_warnings.h>
#include <ridgerunner/policy/statistics_json.h>
#include <ridgerunner/regression/capabilities.h>

#include "arrays.h"
#include "features.h"
#include "guarded.h"
#include "kernels.h"
#include "specs.h"

namespace ridgerunner::python {
namespace {

struct SharedPolicy {
  explicit SharedPolicy(Policy policy)
      : encoder(policy.spec().features ? std::make_optional<Encoder>(*policy.spec().features) : std::nullopt),
        guarded(std::move(policy)) {}
  const std::optional<Encoder> encoder;  // if the spec has features
  Guarded<Policy> guarded;
};

std::unique_ptr<SharedPolicy> make_policy(const py::dict& given, const SpecifiedKernel* kernel) {
  const Spec spec = spec_with(to_json(given), kernel);
  return std::make_unique<SharedPolicy>(Policy(spec, kernel ? kernel->kernel : nullptr));
}

std::unique_ptr<SharedPolicy> restore(const py::bytes& archive, const SpecifiedKernel* kernel) {
  const std::string_view bytes = archive;
  const Spec spec = spec_with(archived_spec(bytes), kernel);
  return std::make_unique<SharedPolicy>(load_policy(bytes, spec, kernel ? kernel->kernel : nullptr));
}

// Errors about a flat list say how it was read.
template <class Work>
auto explained(const Points& points, Work&& work) {
  try {
    return work();
  } catch (const InvalidArgument& error) {
    if (!points.flat() || std::string_view(error.what()).find("dimension") == std::string_view::npos) throw;
    throw InvalidArgument(
        fmt::format("{} (a flat list is read as points of dimension 1; one point is [[...]])", error.what()));
  }
}

// Candidates by name.
Matrix named_states(const Encoder& encoder, const py::object& actions, const py::object& context) {
  if (actions.is_none()) throw InvalidArgument("actions is missing");
  const Json at = context.is_none() ? Json::object() : named_row(context, "context");
  return encoder.encode_actions(&at, named_rows(actions, "actions")).states;
}

Decision decide(SharedPolicy& self, const py::object& actions, const py::object& context) {
  if (self.encoder) {
    const Matrix states = named_states(*self.encoder, actions, context);
    return self.guarded.use([&](Policy& policy) { return policy.decide(states); });
  }
  refuse_named(actions, "actions");
  refuse_named(context, "context");
  if (actions.is_none()) {
    if (!context.is_none())
      throw InvalidArgument("a context needs actions (the arms of a spec are whole states)");
    return self.guarded.use([](Policy& policy) { return policy.decide(); });
  }
  const Points candidates(actions, "actions");
  return explained(candidates, [&] {
    if (context.is_none())
      return self.guarded.use([&](Policy& policy) { return policy.decide(candidates.columns()); });
    const Point at(context, "context");
    return self.guarded.use(
        [&](Policy& policy) { return policy.decide(join(at.values(), candidates.columns())); });
  });
}

void withdraw(SharedPolicy& self, const Decision& decision) {
  self.guarded.use([&](Policy& policy) { policy.withdraw(decision); });
}

void observe(SharedPolicy& self, const py::object& states, const py::object& rewards) {
  const Numbers received(rewards, "reward");
  if (py::isinstance<Decision>(states)) {
    if (received.several()) throw InvalidArgument("a decision has one reward, got several");
    const auto& decision = states.cast<const Decision&>();
    self.guarded.use([&](Policy& policy) { policy.observe(decision, received.values()[0]); });
    return;
  }
  if (self.encoder)
    throw InvalidArgument(
        "state is for specs without features; observe(context, action, reward) takes names");
  refuse_named(states, "state");
  if (received.several()) {
    const Points at(states, "state");
    explained(at, [&] {
      self.guarded.use([&](Policy& policy) { policy.observe(at.columns(), received.values()); });
    });
    return;
  }
  const Point at(states, "state");
  self.guarded.use([&](Policy& policy) { policy.observe(at.values(), received.values()[0]); });
}

py::tuple to_tuple(Forecast forecast) {
  return py::make_tuple(std::move(forecast.mean), std::move(forecast.sd), std::move(forecast.lower),
                        std::move(forecast.upper));
}

// One observation by name, or, if there are several rewards, a row each.
void observe_named(SharedPolicy& self, const py::object& context, const py::object& action,
                   const py::object& rewards) {
  if (!self.encoder)
    throw InvalidArgument(
        "observe(context, action, reward) needs a spec with features; observe(state, reward)");
  const Numbers received(rewards, "reward");
  const auto encode = [&](const Json& at, const Json& chosen) {
    return self.encoder->encode_state(at.is_null() ? nullptr : &at, chosen);
  };
  if (!received.several()) {
    const Vector state = encode(named_row(context, "context"), named_row(action, "action"));
    self.guarded.use([&](Policy& policy) { policy.observe(state, received.values()[0]); });
    return;
  }
  const auto count = static_cast<std::size_t>(received.values().size());
  const Json contexts = named_rows(context, "context"), actions = named_rows(action, "action");
  const bool fits = actions.is_array() && actions.size() == count &&
                    (contexts.is_null() || (contexts.is_array() && contexts.size() == count));
  if (!fits) throw InvalidArgument(fmt::format("{} rewards need as many contexts and actions", count));
  Matrix states(self.encoder->schema().dimension(), static_cast<Index>(count));
  for (std::size_t i = 0; i < count; ++i)
    states.col(static_cast<Index>(i)) = encode(contexts.is_null() ? Json() : contexts[i], actions[i]);
  self.guarded.use([&](Policy& policy) { policy.observe(states, received.values()); });
}

py::tuple predict(SharedPolicy& self, const py::object& states) {
  if (self.encoder)
    throw InvalidArgument(
        "states is for specs without features; predict(context=..., actions=...) takes names");
  refuse_named(states, "states");
  const Points at(states, "states");
  Forecast forecast = explained(at, [&] {
    return self.guarded.use([&](const Policy& policy) { return policy.predict(at.columns()); });
  });
  return to_tuple(std::move(forecast));
}

py::tuple predict_named(SharedPolicy& self, const py::object& actions, const py::object& context) {
  if (!self.encoder) throw InvalidArgument("context and actions need a spec with features; predict(states)");
  const Matrix states = named_states(*self.encoder, actions, context);
  return to_tuple(self.guarded.use([&](const Policy& policy) { return policy.predict(states); }));
}

py::dict stats(SharedPolicy& self, bool anchors) {
  struct Seen {
    Statistics at;
    Diagnostics quality;
    Matrix anchors;
  };
  Seen seen = self.guarded.use([&](const Policy& policy) {
    Statistics statistics = policy.statistics();
    statistics.warnings = warnings_about(policy);
    return Seen{std::move(statistics), diagnostics_of(policy.regression()),
                anchors ? anchors_of(policy.regression()) : Matrix()};
  });
  py::dict answer = from_json(statistics_to_json(seen.at, seen.quality));
  if (anchors) answer["anchor_states"] = rows_of(std::move(seen.anchors));
  return answer;
}

std::string text_of(const Decision& decision) {
  return fmt::format("Decision(number={}, index={}, mean={}, sd={}, lower={}, upper={}, propensity={})",
                     decision.number, decision.index, decision.mean, decision.sd, decision.lower,
                     decision.upper, decision.propensity);
}

void add_decision(py::module_& module) {
  py::class_<Decision>(module, "Decision", "What was chosen, and why.")
      .def_readonly("number", &Decision::number, "1, 2, ... in the order of the policy's decisions.")
      .def_readonly("index", &Decision::index, "Among the candidates.")
      .def_readonly("mean", &Decision::mean, "The predicted reward of the chosen one.")
      .def_readonly("sd", &Decision::sd, "Its scaled standard deviation.")
      .def_readonly("lower", &Decision::lower, "The bound's band at it.")
      .def_readonly("upper", &Decision::upper, "The bound's band at it.")
      .def_readonly("propensity", &Decision::propensity, "The probability of this choice in this state.")
      .def("__repr__", &text_of)
      .def(
          "__eq__", [](const Decision& self, const Decision& other) { return self == other; },
          py::is_operator())
      .def(py::pickle(
          [](const Decision& d) {
            return py::make_tuple(d.index, d.mean, d.sd, d.lower, d.upper, d.propensity, d.clamped, d.level,
                                  d.number);
          },
          [](const py::tuple& state) {  // of eight before decisions had numbers
            if (state.size() != 8 && state.size() != 9) throw InvalidArgument("not a decision");
            const auto number = state.size() == 9 ? state[8].cast<std::uint64_t>() : 0;
            return Decision{number,
                            state[0].cast<Index>(),
                            state[1].cast<double>(),
                            state[2].cast<double>(),
                            state[3].cast<double>(),
                            state[4].cast<double>(),
                            state[5].cast<double>(),
                            state[6].cast<Index>(),
                            state[7].cast<int>()};
          }));
}

}  // namespace

void add_policies(py::module_& module) {
  add_decision(module);
  py::class_<SharedPolicy>(module, "Policy", "A kernel bandit.")
      .def(py::init(&make_policy), py::arg("spec"), py::arg("kernel") = py::none())
      .def(py::init([](SharedPolicy& other) {
             return std::make_unique<SharedPolicy>(
                 other.guarded.use([](const Policy& policy) { return policy; }));
           }),
           py::arg("other"))
      .def(py::init(&restore), py::arg("archive"), py::arg("kernel") = py::none())
      .def("decide", &decide, py::arg("actions") = py::none(), py::arg("context") = py::none(), R"(
Chooses among the rows of `actions`, each joined to the `context` if there is one, or among the spec's arms.
Where the spec has features, the context is a dict or a row of a table, and so is each action.

>>> rr.Policy("kernel-ucb").decide([[0.1], [0.5]], context=[0.3]).index
0
>>> policy = rr.Policy("kernel-ucb", features={"context": [{"name": "hour", "period": 24}]})
>>> policy.decide(["latte", "tea"], context={"hour": 23}).index
0
)")
      .def("withdraw", &withdraw, py::arg("decision"), R"(
Says that the reward of a decision will never come: it expired, or was never shown.

>>> policy = rr.Policy("k-ucb")
>>> policy.withdraw(policy.decide([[0.1], [0.5]]))
>>> policy.stats()["open"], policy.stats()["t"]
(0, 0)
)")
      .def("observe", &observe, py::arg("state"), py::arg("reward"), R"(
Learns the reward of a decision: each has one, or is withdrawn. Or learns the reward of a state (context
followed by action), or the rewards of states in rows; each closes the oldest open decision of its state, if
there is one.

>>> policy = rr.Policy("k-ucb")
>>> policy.observe(policy.decide([[0.1, 0.5], [0.7, 0.5]]), 1.0)
>>> policy.stats()["open"]
0
>>> policy.observe([0.1, 0.5], 1.0)
>>> policy.observe([[0.2, 0.5], [0.3, 0.1]], [0.5, 2.0])
>>> policy.stats()["t"]
4
)")
      .def("_forecast", &predict, py::arg("states"))
      .def_property_readonly("_has_features", [](SharedPolicy& self) { return self.encoder.has_value(); })
      .def("_observe_named", &observe_named, py::arg("context"), py::arg("action"), py::arg("reward"))
      .def("_forecast_named", &predict_named, py::arg("actions"), py::arg("context") = py::none())
      .def("stats", &stats, py::arg("anchors") = false, R"(
What it knows, with the names of the stream protocol; `anchors` adds the states that the model rests on.

>>> policy = rr.Policy("k-ucb", ridge=0.5); policy.observe([0.25], 1.0)
>>> stats = policy.stats(anchors=True)
>>> stats["t"], stats["ridge"], stats["anchor_states"]
(1, 0.5, array([[0.25]]))
)")
      .def(
          "archive",
          [](SharedPolicy& self) {
            return py::bytes(self.guarded.use([](const Policy& policy) { return save_policy(policy); }));
          },
          R"(
All it knows, as the bytes of a saved file.

>>> isinstance(rr.Policy("k-ucb").archive(), bytes)
True
)")
      .def_property_readonly(
          "arms",
          [](SharedPolicy& self) -> py::object {
            auto arms = self.guarded.use([](const Policy& policy) { return policy.spec().arms; });
            if (!arms) return py::none();
            return rows_of(std::move(*arms));
          },
          R"(
The fixed arms in rows; None without.

>>> rr.Policy("k-ucb", arms=[0.0, 1.0]).arms
array([[0.],
       [1.]])
)")
      .def_property_readonly(
          "tuned",
          [](SharedPolicy& self) -> py::object {
            struct Seen {
              bool tuned;
              Json spec;
            };
            Seen seen = self.guarded.use([](const Policy& policy) {
              const bool tuned = !policy.tuning() || policy.tuning()->tuned();
              return Seen{tuned, spec_to_json(policy.tuned_spec())};
            });
            if (!seen.tuned) return py::none();
            if (says_own_kernel(seen.spec)) seen.spec["kernel"] = nullptr;
            return from_json(seen.spec);
          },
          R"(
The ordinary spec, in raw units, that it decides by: `rr.Policy(policy.tuned)` is frozen at it. None before a
policy that tunes itself has seen two different rewards.

>>> policy = rr.Policy("auto")
>>> policy.tuned is None
True
>>> policy.observe([[20.0], [40.0], [60.0]], [31.0, 44.0, 39.0])
>>> policy.tuned["policy"], policy.tuned["regression"]["offset"] > 30
('k-ucb', True)
)")
      .def_property_readonly(
          "spec",
          [](SharedPolicy& self) {
            Json spec = self.guarded.use([](const Policy& policy) { return spec_to_json(policy.spec()); });
            if (says_own_kernel(spec)) spec["kernel"] = nullptr;
            return from_json(spec);
          },
          R"(
Its spec in full; the kernel is None if it is a function.

>>> rr.Policy("k-ucb").spec["bound"]["type"]
'fixed'
)");
}

}  // namespace ridgerunner::python
