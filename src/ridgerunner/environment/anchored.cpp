#include "ridgerunner/environment/anchored.h"

#include <array>
#include <cstddef>
#include <utility>

#include "ridgerunner/random/stream.h"

namespace ridgerunner {
namespace {

constexpr Index kGrid = 100;

Facts describe(const EnvironmentSpec& spec, Index context_dim) {
  Facts facts;
  facts.dimension = context_dim + 1;
  facts.kernel = spec.kernel;
  facts.noise_sd = spec.noise_sd;
  facts.ceiling = 1;
  return facts;
}

}  // namespace

Anchored::Anchored(const EnvironmentSpec& spec, Index context_dim, Vector anchors, std::uint64_t seed)
    : SeededEnvironment(describe(spec, context_dim), seed), anchors_(std::move(anchors)) {}

void Anchored::offer(std::uint64_t round, Offer& out) const {
  const Index context_dim = facts().dimension - 1;
  out.states.resize(facts().dimension, anchors_.size());
  out.expected.resize(anchors_.size());
  Stream stream(seed(), Purpose::context, round);
  for (Index k = 0; k < context_dim; ++k) out.states.row(k).setConstant(stream.uniform());
  out.states.row(context_dim) = anchors_.transpose();
  for (Index i = 0; i < anchors_.size(); ++i) {
    out.expected[i] = reward(out.states.col(i).head(context_dim), anchors_[i]);
  }
}

Vector action_anchors(Draw draw, Index actions, std::uint64_t seed) {
  if (draw == Draw::paper) {
    Vector anchors(10);
    anchors << 0.08, 0.70, 0.82, 0.28, 0.63, 0, 0.05, 0.50, 0.81, 0.04;
    return anchors;
  }
  // The first entries of a random permutation (Fisher and Yates).
  std::array<Index, kGrid> cells{};
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<Index>(i);
  Stream stream(seed, Purpose::environment, 0);
  Vector anchors(actions);
  for (Index i = 0; i < actions; ++i) {
    std::swap(cells[i], cells[i + stream.index(kGrid - i)]);
    anchors[i] = static_cast<double>(cells[i]) / kGrid;
  }
  return anchors;
}

}  // namespace ridgerunner
