// Reward functions of a context and an action in [0,1], drawn as maps, as in figure 6 of zenati2022. Values
// are named "PROBLEM / share of 1" and "PROBLEM / share of 0.5", of the unit square, and "PROBLEM / out of
// reach", the mean over contexts of 1 minus the best reward that the paper's actions attain.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/environment/chessboard.h"
#include "ridgerunner/environment/step_diagonal.h"
#include "ridgerunner/error.h"
#include "ridgerunner/reproduction/reproduction.h"

namespace ridgerunner {
namespace {

using Reward = double (*)(double, double);

struct Problem {
  EnvironmentType type;
  Reward reward;
};

Problem problem_of(const std::string& name_given) {
  for (const Problem& known : {Problem{EnvironmentType::chessboard, chessboard_reward},
                               Problem{EnvironmentType::step_diagonal, step_diagonal_reward}}) {
    if (name_given == name(known.type)) return known;
  }
  throw InvalidArgument(fmt::format("problems must be chessboard or step_diagonal, got \"{}\"", name_given));
}

std::string drawn(Reward reward) {
  constexpr int kRows = 20, kColumns = 40;
  std::string text;
  for (int row = 0; row < kRows; ++row) {
    const double action = 1 - (row + 0.5) / kRows;
    text += row == 0 ? "action 1 " : row == kRows - 1 ? "action 0 " : "         ";
    for (int column = 0; column < kColumns; ++column) {
      const double value = reward((column + 0.5) / kColumns, action);
      text += value > 0.75 ? "█" : value > 0.25 ? "▒" : "·";
    }
    text += "\n";
  }
  return text + fmt::format("{:9}context 0{:>{}}\n", "", "context 1", kColumns - 9);
}

double share(Reward reward, double value) {
  constexpr int kGrid = 400;  // midpoints, so that no edge of either function is hit
  int hits = 0;
  for (int i = 0; i < kGrid; ++i) {
    for (int j = 0; j < kGrid; ++j) hits += reward((i + 0.5) / kGrid, (j + 0.5) / kGrid) == value;
  }
  return hits / static_cast<double>(kGrid * kGrid);
}

double out_of_reach(EnvironmentType type, std::int64_t rounds) {
  EnvironmentSpec spec = default_environment(type);
  spec.draw = Draw::paper;
  const EnvironmentPtr environment = make_environment(spec, 7);
  Offer offer;
  double sum = 0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    environment->offer(static_cast<std::uint64_t>(round), offer);
    sum += 1 - offer.expected.maxCoeff();
  }
  return sum / static_cast<double>(rounds);
}

class MapReproduction final : public Reproduction {
 public:
  explicit MapReproduction(const Json& spec) {
    Fields fields(spec, "");
    fields.integer("rounds", rounds_, 1);
    const Json* problems = fields.child("problems");
    if (!problems || !problems->is_array()) throw InvalidArgument("problems must be a list");
    for (const Json& entry : *problems)
      problems_.push_back(problem_of(entry.is_string() ? entry.get<std::string>() : entry.dump()));
    fields.finish();
  }

  std::vector<Job> jobs() const override { return {}; }

  Outcome conclude(const Finished&) const override {
    Outcome outcome;
    for (const Problem& problem : problems_) {
      const std::string prefix = fmt::format("{} / ", name(problem.type));
      outcome.values.set(prefix + "share of 1", share(problem.reward, 1));
      outcome.values.set(prefix + "share of 0.5", share(problem.reward, 0.5));
      outcome.values.set(prefix + "out of reach", out_of_reach(problem.type, rounds_));
      outcome.sections.push_back(
          {name(problem.type),
           {Paragraph{"Expected reward: █ is 1, ▒ is 0.5, · is 0."}, Preformatted{drawn(problem.reward)}}});
    }
    return outcome;
  }

 private:
  std::int64_t rounds_ = 20'000;
  std::vector<Problem> problems_;
};

}  // namespace

std::unique_ptr<Reproduction> map_reproduction(const Json& spec) {
  return std::make_unique<MapReproduction>(spec);
}

}  // namespace ridgerunner
