#include "ridgerunner/archive/policy_archive.h"

#include <cmath>

#include <fmt/format.h>

#include "ridgerunner/archive/bytes.h"
#include "ridgerunner/error.h"
#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/regression/exact.h"

namespace ridgerunner {
namespace {

constexpr std::string_view kKind = "policy";
constexpr std::uint32_t kVersion = 1;

void write(ByteWriter& out, const ExactRegression& regression) {
  const ExactRegression::Memory memory = regression.memory();
  out.integer(static_cast<std::uint64_t>(memory.rounds));
  out.number(memory.sum_of_squares);
  out.number(memory.log_determinant);
  out.number(memory.largest_diagonal);
  out.number(memory.row_within);
  out.number(memory.anchor_within);
  out.integer(static_cast<std::uint64_t>(memory.collapse_at));
  out.matrix(memory.anchors);
  out.matrix(memory.row_states);
  for (const Vector* vector : {&memory.anchor_counts, &memory.anchor_rewards, &memory.row_counts,
                               &memory.forward, &memory.weights}) {
    out.vector(*vector);
  }
  out.matrix(memory.arm_rows);
  out.vector(memory.arm_means);
  out.vector(memory.arm_explained);
  for (Index i = 0; i < regression.factor().size(); ++i) out.vector(regression.factor().row(i).transpose());
}

void require_size(const char* what, Index got, Index expected) {
  if (got != expected) {
    throw InvalidArgument(fmt::format("the archive has {} {}, but {} are expected", got, what, expected));
  }
}

void require_finite_numbers(const ExactRegression::Memory& memory) {
  bool finite = memory.anchors.allFinite() && memory.row_states.allFinite() && memory.arm_rows.allFinite();
  for (const Vector* vector : {&memory.anchor_counts, &memory.anchor_rewards, &memory.row_counts,
                               &memory.forward, &memory.weights, &memory.arm_means, &memory.arm_explained}) {
    finite = finite && vector->allFinite();
  }
  for (const double number : {memory.sum_of_squares, memory.log_determinant, memory.largest_diagonal,
                              memory.row_within, memory.anchor_within}) {
    finite = finite && std::isfinite(number);
  }
  if (!finite) throw InvalidArgument("the archive has numbers that are not finite");
}

// Counts are whole and at least 1, and add up to the rounds.
void require_counts(const char* what, const Vector& counts, Index rounds) {
  for (const double count : counts) {
    if (!(count >= 1) || count != std::floor(count)) {
      throw InvalidArgument(fmt::format("the archive has a {} of {}", what, count));
    }
  }
  if (counts.sum() != static_cast<double>(rounds)) {
    throw InvalidArgument(
        fmt::format("the archive has {} rounds, but {}s of {}", rounds, what, counts.sum()));
  }
}

void check(const ExactRegression::Memory& memory, Index arms) {
  require_finite_numbers(memory);
  require_counts("anchor count", memory.anchor_counts, memory.rounds);
  require_counts("row count", memory.row_counts, memory.rounds);
  const Index anchors = memory.anchors.cols(), rows = memory.row_states.cols();
  require_size("anchor counts", memory.anchor_counts.size(), anchors);
  require_size("anchor rewards", memory.anchor_rewards.size(), anchors);
  require_size("row counts", memory.row_counts.size(), rows);
  require_size("forward solutions", memory.forward.size(), rows);
  require_size("weights", memory.weights.size(), arms > 0 ? 0 : rows);
  require_size("arm means", memory.arm_means.size(), arms);
  require_size("arm variances", memory.arm_explained.size(), arms);
  require_size("arm rows", memory.arm_rows.cols(), arms > 0 ? rows : 0);
  if (arms > 0 && rows > 0) require_size("arms", memory.arm_rows.rows(), arms);
}

void read(ByteReader& in, ExactRegression& regression, const Spec& spec) {
  const Index arms = spec.arms ? spec.arms->cols() : 0;
  ExactRegression::Memory memory;
  memory.rounds = in.count();
  memory.sum_of_squares = in.number();
  memory.log_determinant = in.number();
  memory.largest_diagonal = in.number();
  memory.row_within = in.number();
  memory.anchor_within = in.number();
  memory.collapse_at = in.count();
  memory.anchors = in.matrix();
  memory.row_states = in.matrix();
  for (Vector* vector : {&memory.anchor_counts, &memory.anchor_rewards, &memory.row_counts, &memory.forward,
                         &memory.weights}) {
    *vector = in.vector();
  }
  memory.arm_rows = in.matrix();
  memory.arm_means = in.vector();
  memory.arm_explained = in.vector();
  check(memory, arms);
  if (memory.rounds > 0) {
    require_size("dimensions of rows", memory.row_states.rows(), memory.anchors.rows());
    regression.check(memory.anchors);
    regression.check(memory.row_states);
  }
  GrowingCholesky factor;
  for (Index i = 0; i < memory.row_states.cols(); ++i) {
    const Vector row = in.vector();
    require_size("entries in a row of the factor", row.size(), i + 1);
    factor.append_row(row);
  }
  regression.restore(memory, std::move(factor));
}

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

}  // namespace

std::string save_policy(const Policy& policy) {
  ByteWriter out;
  out.text(spec_to_json(policy.spec()).dump());
  const Statistics statistics = policy.statistics();
  out.integer(statistics.decisions);
  out.integer(statistics.clamped);
  const auto open = policy.open_decisions().entries();
  out.integer(open.size());
  for (const auto& entry : open) {
    out.integer(entry.number);
    out.vector(entry.state);
  }
  write(out, dynamic_cast<const ExactRegression&>(policy.regression()));
  return seal_archive(kKind, kVersion, out.take());
}

Policy load_policy(std::string_view bytes, const Spec& spec, KernelPtr kernel) {
  ByteReader in(open_archive(kKind, kVersion, bytes));
  const std::string differs = difference(parse_json(in.text()), spec_to_json(spec), "");
  if (!differs.empty()) throw InvalidArgument("the file was saved with another spec: " + differs);
  Policy policy(spec, kernel);
  const std::uint64_t decisions = in.integer(), clamped = in.integer();
  OpenDecisions open;
  for (Index i = in.count(); i > 0; --i) {
    const std::uint64_t number = in.integer();
    open.open(number, in.vector());
  }
  auto regression = std::make_unique<ExactRegression>(kernel ? kernel : make_kernel(spec.kernel),
                                                      spec.regression.ridge, spec.arms);
  read(in, *regression, spec);
  in.finish();
  policy.restore(std::move(regression), std::move(open), decisions, clamped);
  return policy;
}

}  // namespace ridgerunner
