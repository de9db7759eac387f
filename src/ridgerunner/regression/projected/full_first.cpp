#include "ridgerunner/regression/projected/full_first.h"

#include <algorithm>

#include "ridgerunner/error.h"

namespace ridgerunner {
namespace {

constexpr Index kFirstLook = 64;  // states, before it matters how many of them depend on others
constexpr Index kBlock = 128;     // rows that are factored at once

template <class Model>
std::unique_ptr<Model> copy_of(const std::unique_ptr<Model>& model) {
  return model ? std::make_unique<Model>(*model) : nullptr;
}

}  // namespace

FullFirstRegression::FullFirstRegression(KernelPtr kernel, double ridge,
                                         std::unique_ptr<Dictionary> dictionary, std::uint64_t seed)
    : kernel_(std::move(kernel)), ridge_(ridge), dictionary_(std::move(dictionary)), seed_(seed) {
  if (!dictionary_) throw InvalidArgument("dictionary must be a dictionary, got none");
  if (dictionary_->resampling()) throw InvalidArgument("the dictionary must be one that grows");
  exact_ = std::make_unique<ExactRegression>(fresh_exact());
}

FullFirstRegression::FullFirstRegression(const FullFirstRegression& other)
    : kernel_(other.kernel_),
      ridge_(other.ridge_),
      dictionary_(other.dictionary_->clone()),
      seed_(other.seed_),
      exact_(copy_of(other.exact_)),
      projected_(copy_of(other.projected_)) {}

std::unique_ptr<Regression> FullFirstRegression::clone() const {
  return std::make_unique<FullFirstRegression>(*this);
}

const Regression& FullFirstRegression::delegate() const {
  return exact_ ? static_cast<const Regression&>(*exact_) : *projected_;
}

void FullFirstRegression::predict(const MatrixIn& states, Prediction& out, Workspace& workspace) const {
  delegate().predict(states, out, workspace);
}

Evidence FullFirstRegression::evidence() const {
  return delegate().evidence();
}

void FullFirstRegression::observe(const MatrixIn& states, const VectorIn& rewards, Workspace& workspace) {
  if (projected_) return projected_->observe(states, rewards, workspace);
  exact_->check_shape(states);
  require_rewards(states, rewards);
  if (states.cols() == 1) return observe_one(states.col(0), rewards[0], false, workspace);
  FullFirstRegression after(*this);  // all of them or none
  for (Index i = 0; i < states.cols(); ++i) after.observe_one(states.col(i), rewards[i], false, workspace);
  *this = std::move(after);
}

void FullFirstRegression::observe_solved(const VectorIn& state, double reward, Workspace& workspace) {
  if (projected_) return projected_->observe_solved(state, reward, workspace);
  observe_one(state, reward, true, workspace);
}

// solved: the workspace has L^-1 k of the state.
void FullFirstRegression::observe_one(const VectorIn& state, double reward, bool solved,
                                      Workspace& workspace) {
  const Eigen::Map<const Vector> rewards(&reward, 1);
  if (projected_) return projected_->observe(state, rewards, workspace);
  exact_->check_shape(state);
  require_rewards(state, rewards);
  if (stays_full(state, solved, workspace)) return exact_->observe_solved(state, reward, workspace);
  std::unique_ptr<ProjectedRegression> after = projection();
  after->observe(state, rewards, workspace);
  projected_ = std::move(after);
  exact_.reset();
}

// Whether the dictionary takes the state for sure. Leaves L^-1 k of the state in the workspace.
bool FullFirstRegression::stays_full(const VectorIn& state, bool solved, Workspace& workspace) const {
  if (exact_->has_seen(state) || adds_little()) return false;
  const Index rows = exact_->rows();
  auto explained = workspace.solved.get(rows, 1);
  if (!solved && rows > 0) {
    const ExactView model = exact_->view(workspace);
    kernel_->gram(model.states, state, explained);
    model.factor.solve(explained);
  }
  const double prior = diagonal(*kernel_, state)[0], known = explained.squaredNorm();
  require_priors(Vector::Constant(1, prior));
  check_variance(prior, known);
  const auto probability = dictionary_->admission_if_full(prior, std::max(prior - known, 0.0), ridge_);
  return probability && *probability >= 1;
}

// Whether some state depends on others, or nearly so; not looked for but at some numbers of states.
bool FullFirstRegression::adds_little() const {
  const MatrixIn states = exact_->anchors();
  const Index n = states.cols();
  if (n < kFirstLook || (n & (n - 1)) != 0) return false;
  GrowingCholesky basis;
  for (Index i = 0; i < n; i += kBlock) {
    const Index p = std::min(kBlock, n - i);
    Matrix cross = gram(*kernel_, states.leftCols(i), states.middleCols(i, p)),
           corner = gram(*kernel_, states.middleCols(i, p), states.middleCols(i, p));
    const Vector prior = corner.diagonal();
    try {
      basis.append(cross, corner);
    } catch (const NumericalError&) {
      return true;
    }
    for (Index j = 0; j < p; ++j) {
      const double pivot = basis(i + j, i + j);
      if (!(pivot * pivot > kNearlyDependent * prior[j])) return true;
    }
  }
  return false;
}

std::unique_ptr<ProjectedRegression> FullFirstRegression::projection() const {
  auto out = std::make_unique<ProjectedRegression>(fresh_projected());
  const ExactRegression::Memory memory = exact_->memory();
  if (memory.rounds > 0) out->start_full(memory.anchors, memory.anchor_rewards);
  return out;
}

ExactRegression FullFirstRegression::fresh_exact() const {
  ExactRegression exact(kernel_, ridge_);
  exact.keep_variance_sum();
  return exact;
}

ProjectedRegression FullFirstRegression::fresh_projected() const {
  return ProjectedRegression(kernel_, ridge_, dictionary_->clone(), {seed_, false, {}, {}, false});
}

void FullFirstRegression::restore(ExactRegression exact) {
  exact_ = std::make_unique<ExactRegression>(std::move(exact));
  projected_.reset();
}

void FullFirstRegression::restore(ProjectedRegression projected) {
  projected_ = std::make_unique<ProjectedRegression>(std::move(projected));
  exact_.reset();
}

}  // namespace ridgerunner
