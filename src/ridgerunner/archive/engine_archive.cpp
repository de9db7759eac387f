#include "ridgerunner/archive/engine_archive.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "ridgerunner/archive/engine_parts.h"
#include "ridgerunner/error.h"
#include "ridgerunner/regression/arm_features.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/regression/levelled.h"
#include "ridgerunner/regression/projected/full_first.h"
#include "ridgerunner/regression/projected/projected.h"

namespace ridgerunner {
namespace engine_parts {

void require_size(const char* what, Index got, Index expected) {
  if (got != expected) {
    throw InvalidArgument(fmt::format("the archive has {} {}, but {} are expected", got, what, expected));
  }
}

void write(ByteWriter& out, const GrowingCholesky& factor) {
  for (Index i = 0; i < factor.size(); ++i) out.vector(factor.row(i).transpose());
}

GrowingCholesky read_factor(ByteReader& in, Index rows) {
  GrowingCholesky factor;
  for (Index i = 0; i < rows; ++i) {
    const Vector row = in.vector();
    require_size("entries in a row of the factor", row.size(), i + 1);
    factor.append_row(row);
  }
  return factor;
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

double read_number(ByteReader& in, double least) {
  const double number = in.number();
  if (!std::isfinite(number) || number < least)
    throw InvalidArgument(fmt::format("the archive has {} where a number >= {} is expected", number, least));
  return number;
}

Index read_count(ByteReader& in, Index most) {
  const Index count = in.count();
  if (count > most)
    throw InvalidArgument(fmt::format("the archive has {} where at most {} is expected", count, most));
  return count;
}

}  // namespace engine_parts

namespace {

using namespace engine_parts;

void write(ByteWriter& out, const LevelledRegression& regression) {
  write_engine(out, regression.all());
  for (int level = 1; level <= regression.levels(); ++level) write_engine(out, regression.level(level));
  out.integer(0);  // once: choices whose reward was to come, with their levels
}

AnnouncedChoices read(ByteReader& in, LevelledRegression& regression, Index arms) {
  auto all = regression.all().clone();
  read_engine(in, *all, arms);
  std::vector<std::unique_ptr<Regression>> levels;
  for (int level = 1; level <= regression.levels(); ++level) {
    levels.push_back(regression.level(level).clone());
    read_engine(in, *levels.back(), arms);
  }
  AnnouncedChoices announced;
  for (Index i = in.count(); i > 0; --i) {
    Vector state = in.vector();
    const Index level = read_count(in, regression.levels() - kNoLevel);
    announced.push_back({std::move(state), static_cast<int>(level) + kNoLevel});
  }
  regression.restore(std::move(all), std::move(levels));
  return announced;
}

void write(ByteWriter& out, const ArmFeatureRegression& regression) {
  const ArmFeatureRegression::Memory memory = regression.memory();
  out.integer(static_cast<std::uint64_t>(memory.rounds));
  out.number(memory.sum_of_squares);
  out.number(memory.within);
  out.matrix(memory.outsiders);
  out.vector(memory.counts);
  out.vector(memory.rewards);
  out.integer(memory.order.size());
  for (const Index point : memory.order) out.integer(static_cast<std::uint64_t>(point));
  out.matrix(memory.information);
  out.vector(memory.moment);
}

// Every point that was seen stands in the order, once.
void require_order(const ArmFeatureRegression::Memory& memory) {
  std::vector<bool> seen(static_cast<std::size_t>(memory.counts.size()));
  Vector counts(std::ssize(memory.order));
  for (Index i = 0; i < counts.size(); ++i) {
    const auto point = static_cast<std::size_t>(memory.order[static_cast<std::size_t>(i)]);
    if (point >= seen.size() || seen[point])
      throw InvalidArgument("the archive has an order of points that are not there");
    seen[point] = true;
    counts[i] = memory.counts[static_cast<Index>(point)];
  }
  require_counts("point count", counts, memory.rounds);
  if (memory.counts.sum() != counts.sum() || (memory.counts.array() < 0).any())
    throw InvalidArgument("the archive has counts of points that were not seen");
}

void read(ByteReader& in, ArmFeatureRegression& regression) {
  ArmFeatureRegression::Memory memory;
  memory.rounds = in.count();
  memory.sum_of_squares = read_number(in, 0);
  memory.within = read_number(in, 0);
  memory.outsiders = in.matrix();
  memory.counts = in.vector();
  memory.rewards = in.vector();
  for (Index i = in.count(); i > 0; --i) memory.order.push_back(in.count());
  memory.information = in.matrix();
  memory.moment = in.vector();
  if (!memory.outsiders.allFinite() || !memory.counts.allFinite() || !memory.rewards.allFinite() ||
      !memory.information.allFinite() || !memory.moment.allFinite()) {
    throw InvalidArgument("the archive has numbers that are not finite");
  }
  require_order(memory);
  if (memory.outsiders.cols() > 0) regression.check(memory.outsiders);
  regression.restore(memory);
}

}  // namespace

void write_engine(ByteWriter& out, const Regression& regression) {
  if (const auto* exact = dynamic_cast<const ExactRegression*>(&regression)) return write(out, *exact);
  if (const auto* projected = dynamic_cast<const ProjectedRegression*>(&regression))
    return write(out, *projected);
  if (const auto* full = dynamic_cast<const FullFirstRegression*>(&regression)) return write(out, *full);
  if (const auto* features = dynamic_cast<const ArmFeatureRegression*>(&regression))
    return write(out, *features);
  write(out, dynamic_cast<const LevelledRegression&>(regression));
}

AnnouncedChoices read_engine(ByteReader& in, Regression& regression, Index arms) {
  if (auto* levelled = dynamic_cast<LevelledRegression*>(&regression)) return read(in, *levelled, arms);
  if (auto* exact = dynamic_cast<ExactRegression*>(&regression)) {
    read(in, *exact, arms);
  } else if (auto* projected = dynamic_cast<ProjectedRegression*>(&regression)) {
    read(in, *projected, arms, in.integer());
  } else if (auto* full = dynamic_cast<FullFirstRegression*>(&regression)) {
    read(in, *full);
  } else {
    read(in, dynamic_cast<ArmFeatureRegression&>(regression));
  }
  return {};
}

}  // namespace ridgerunner
