#include <cmath>

#include <fmt/format.h>

#include "ridgerunner/archive/engine_parts.h"
#include "ridgerunner/error.h"
#include "ridgerunner/regression/exact/exact.h"

namespace ridgerunner::engine_parts {
namespace {

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

void check(const ExactRegression::Memory& memory, Index arms, bool keeps_weights) {
  require_finite_numbers(memory);
  require_counts("anchor count", memory.anchor_counts, memory.rounds);
  require_counts("row count", memory.row_counts, memory.rounds);
  const Index anchors = memory.anchors.cols(), rows = memory.row_states.cols();
  require_size("anchor counts", memory.anchor_counts.size(), anchors);
  require_size("anchor rewards", memory.anchor_rewards.size(), anchors);
  require_size("row counts", memory.row_counts.size(), rows);
  require_size("forward solutions", memory.forward.size(), rows);
  require_size("weights", memory.weights.size(), keeps_weights ? rows : 0);
  require_size("arm means", memory.arm_means.size(), arms);
  require_size("arm variances", memory.arm_explained.size(), arms);
  require_size("arm rows", memory.arm_rows.cols(), arms > 0 ? rows : 0);
  if (arms > 0 && rows > 0) require_size("arms", memory.arm_rows.rows(), arms);
}

// Factors at further ridges, and the averages they need.
std::vector<ExactRegression::FurtherRidge> read_further(ByteReader& in, const ExactRegression& regression,
                                                        ExactRegression::Memory& memory) {
  std::vector<ExactRegression::FurtherRidge> further(regression.further().size());
  if (further.empty()) return further;
  const Index rows = memory.row_states.cols();
  const auto finite = [&](const Vector& vector) {
    require_size("entries for rows", vector.size(), rows);
    if (!vector.allFinite()) throw InvalidArgument("the archive has numbers that are not finite");
  };
  memory.row_rewards = in.vector();
  finite(memory.row_rewards);
  for (ExactRegression::FurtherRidge& one : further) {
    one.largest_diagonal = in.number();
    finite(Vector::Constant(rows, one.largest_diagonal));
    const Vector forward = in.vector();
    finite(forward);
    one.forward.resize(rows);
    one.forward.view() = forward;
    one.factor = read_factor(in, rows);
  }
  return further;
}

}  // namespace

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
  write(out, regression.factor());
  if (regression.further().empty()) return;
  out.vector(memory.row_rewards);
  for (const ExactRegression::FurtherRidge& further : regression.further()) {
    out.number(further.largest_diagonal);
    out.vector(further.forward.view());
    write(out, further.factor);
  }
}

void read(ByteReader& in, ExactRegression& regression, Index arms) {
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
  check(memory, arms, arms == 0 && regression.further().empty());
  if (memory.rounds > 0) {
    require_size("dimensions of rows", memory.row_states.rows(), memory.anchors.rows());
    regression.check(memory.anchors);
    regression.check(memory.row_states);
  }
  GrowingCholesky factor = read_factor(in, memory.row_states.cols());
  auto further = read_further(in, regression, memory);
  regression.restore(memory, std::move(factor), std::move(further));
}

}  // namespace ridgerunner::engine_parts
