#include "ridgerunner/archive/policy_archive.h"

#include <algorithm>
#include <istream>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/archive/engine_archive.h"
#include "ridgerunner/codec/record.h"
#include "ridgerunner/error.h"
#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/regression/capabilities.h"
#include "ridgerunner/regression/levelled.h"

namespace ridgerunner {
namespace {

constexpr std::string_view kKind = "policy";
constexpr std::uint32_t kVersion = 4;
constexpr std::uint32_t kWithoutNoise = 1, kWithoutLevels = 2, kWithoutTuning = 3;  // older ones

// The first place where two specs differ: "regression.ridge is 2 there, 1 here".
std::string difference(const Json& there, const Json& here, const std::string& path) {
  if (there == here) return "";
  if (there.is_object() && here.is_object()) {
    for (const auto& [key, value] : here.items()) {
      const std::string inner = path.empty() ? key : path + "." + key;
      if (!there.contains(key)) return fmt::format("{} is missing there", inner);
      if (const std::string found = difference(there[key], value, inner); !found.empty()) return found;
    }
    for (const auto& [key, value] : there.items()) {
      if (!here.contains(key))
        return fmt::format("{} is missing here", path.empty() ? key : path + "." + key);
    }
  }
  if (there.dump().size() + here.dump().size() > 200) return fmt::format("{} differs", path);
  return fmt::format("{} is {} there, {} here", path, there.dump(), here.dump());
}

void write_noise(ByteWriter& out, const NoiseBounds& noise, double ridge) {
  for (const double number : {noise.lower, noise.upper, noise.log_determinant, ridge}) out.number(number);
  out.integer(noise.crossed ? 1 : 0);
}

// Moves the ridge of a fresh model as well.
NoiseBounds read_noise(ByteReader& in, Regression& regression) {
  NoiseBounds noise;
  noise.lower = in.number();
  noise.upper = in.number();
  noise.log_determinant = in.number();
  const double ridge = in.number();
  const std::uint64_t crossed = in.integer();
  if (!(noise.lower > 0) || !(noise.upper >= noise.lower) || !(noise.log_determinant >= 0) || crossed > 1)
    throw InvalidArgument(
        fmt::format("the archive has the noise between {} and {}", noise.lower, noise.upper));
  noise.crossed = crossed == 1;
  set_ridge(regression, ridge);
  return noise;
}

using Entry = OpenDecisions::Entry;
constexpr Index kMostLevel = 1000;  // ln of any horizon is less

std::vector<Entry> read_open(ByteReader& in, std::uint32_t version, std::uint64_t decisions) {
  std::vector<Entry> open;
  for (Index i = in.count(); i > 0; --i) {
    Entry entry;
    entry.number = in.integer();
    if (version <= kWithoutLevels) ++entry.number;  // they were counted from 0
    entry.state = in.vector();
    if (version > kWithoutLevels) {
      const Index level = in.count() + kNoLevel;
      if (level > kMostLevel) throw InvalidArgument(fmt::format("the archive has a level {}", level));
      entry.level = static_cast<int>(level);
    }
    const bool rises = open.empty() || entry.number > open.back().number;
    if (!rises || entry.number < 1 || entry.number > decisions)
      throw InvalidArgument(
          fmt::format("the archive has an open decision {} of {}", entry.number, decisions));
    open.push_back(std::move(entry));
  }
  return open;
}

// Levels that an old archive keeps with the model, by state, the oldest first.
void give_levels(const AnnouncedChoices& announced, std::vector<Entry>& open) {
  for (const AnnouncedChoice& choice : announced) {
    const auto its = std::find_if(open.begin(), open.end(), [&](const Entry& entry) {
      return entry.level == 0 && entry.state.size() == choice.state.size() && entry.state == choice.state;
    });
    if (its != open.end()) its->level = choice.level;
  }
}

void write_tuning(ByteWriter& out, const SelfTuning& tuning) {
  put_field(out, tuning.tuned() != nullptr);
  if (tuning.tuned()) put_record(out, *tuning.tuned());
  out.matrix(tuning.states().view());
  out.vector(tuning.rewards().entries());
}

SelfTuning read_tuning(ByteReader& in, const Spec& spec, const KernelPtr& kernel) {
  std::shared_ptr<Tuned> tuned;
  if (get_flag_field(in)) {
    tuned = std::make_shared<Tuned>();
    get_record(in, *tuned);
  }
  const Matrix states = in.matrix();
  const Vector rewards = in.vector();
  if (states.cols() != rewards.size())
    throw InvalidArgument(
        fmt::format("the archive has {} observations and {} rewards", states.cols(), rewards.size()));
  SelfTuning tuning(spec, kernel);
  tuning.restore(std::move(tuned), states, rewards);
  return tuning;
}

struct Archived {
  Json spec;
  std::uint32_t version;
  ByteReader rest;
};

Archived open_policy(std::string_view bytes) {
  const auto [version, payload] = open_archive(kKind, kWithoutNoise, kVersion, bytes);
  ByteReader in(payload);
  Json spec = parse_json(in.text());
  if (version <= kWithoutTuning) spec = spec_to_json(spec_from_json(spec));  // parameters since are as then
  return {std::move(spec), version, in};
}

}  // namespace

std::string save_policy(const Policy& policy) {
  ByteWriter out;
  out.text(spec_to_json(policy.spec()).dump());
  const Statistics statistics = policy.statistics();
  out.integer(statistics.decisions);
  out.integer(statistics.clamped);
  out.integer(static_cast<std::uint64_t>(statistics.empty_since.value_or(0)));
  if (statistics.noise) write_noise(out, *statistics.noise, statistics.evidence.ridge);
  const auto open = policy.open_decisions().entries();
  out.integer(open.size());
  for (const auto& entry : open) {
    out.integer(entry.number);
    out.vector(entry.state);
    out.integer(static_cast<std::uint64_t>(entry.level - kNoLevel));
  }
  if (policy.tuning()) write_tuning(out, *policy.tuning());
  write_engine(out, policy.regression());
  return seal_archive(kKind, kVersion, out.take());
}

Policy load_policy(std::string_view bytes, const Spec& spec, KernelPtr kernel) {
  auto [there, version, in] = open_policy(bytes);
  const std::string differs = difference(there, spec_to_json(spec), "");
  if (!differs.empty()) throw InvalidArgument("the file was saved with another spec: " + differs);
  Policy policy(spec, kernel);
  Policy::Memory memory;
  memory.decisions = in.integer();
  memory.clamped = in.integer();
  if (version != kWithoutNoise) {
    if (const Index since = in.count(); since > 0) memory.empty_since = since;
  }
  std::optional<SelfTuning> tuning;
  auto regression = make_regression(spec, kernel);
  if (policy.noise()) memory.noise = read_noise(in, *regression);
  std::vector<Entry> entries = read_open(in, version, memory.decisions);
  if (spec.tune.on()) {
    tuning = read_tuning(in, spec, kernel);
    const Spec in_use = tuning->spec_in_use();
    const bool own = kernel && (!tuning->tuned() || tuning->tuned()->lengthscale.empty());
    regression = make_regression(in_use, own ? kernel : nullptr);
  }
  give_levels(read_engine(in, *regression, spec.arms ? spec.arms->cols() : 0), entries);
  in.finish();
  OpenDecisions open;
  const auto* levelled = dynamic_cast<const LevelledRegression*>(regression.get());
  for (Entry& entry : entries) {
    if (levelled) levelled->check_level(entry.level);
    open.open(entry.number, entry.state, entry.level);
  }
  policy.restore(std::move(regression), std::move(open), memory, std::move(tuning));
  return policy;
}

void save_policy(const Policy& policy, std::ostream& out) {
  const std::string bytes = save_policy(policy);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out) throw std::ios_base::failure("the policy cannot be written");
}

Policy load_policy(std::istream& in, const Spec& spec, KernelPtr kernel) {
  return load_policy(read_archive(in), spec, std::move(kernel));
}

Json archived_spec(std::string_view bytes) {
  return open_policy(bytes).spec;
}

}  // namespace ridgerunner
