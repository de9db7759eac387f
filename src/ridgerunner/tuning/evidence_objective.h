#pragma once

#include <optional>

#include "ridgerunner/kernel/kernel.h"
#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

// What a fit knows: points and rewards in units of their spread.
struct FitData {
  Matrix points;           // d x n
  std::vector<int> group;  // by column: which length-scale it takes, 0 .. groups-1; -1: always 1
  int groups = 0;
  Vector rewards;            // n
  bool offset_is_0 = false;  // or it is estimated along

  Index size() const { return points.cols(); }
};

// What is fitted: one length-scale for all groups or one for each, and the ridge, as logarithms.
//   parameters = (ln l | ln l_1 .. ln l_groups | nothing if there is no group, ln λ)
enum class Scales { none, one, each };

// The negative log evidence of a Gaussian process whose scale σ_f and offset μ are eliminated, with priors.
// With k(s, s) = 1, K_ij = exp(-|z_i - z_j|^2 / 2), z = points / l, A = (K + λI)^-1, L L^T = K + λI, p
// groups:
//   μ     = (1^T A y)/(1^T A 1), or 0,          σ_f^2 = ((y - μ)^T A (y - μ) + 2)/(n + 2)
//   value = (n + 2)/2 ln σ_f^2 + Σ ln L_ii + (mean ln l - ½ ln p)^2/2 + (ln λ - ln 0.03)^2/(2 · 1.5^2)
//           + for `each`: Σ ln(1 + (ln l_j - median ln l)^2/0.5^2)
// The two pseudo-observations of variance 1 keep σ_f away from 0; the last prior has heavy tails: few columns
// may leave the others. Cost with gradient: n^3 + n^2 d multiply-adds.
class EvidenceObjective {
 public:
  // kernel: given by the user, then only the ridge is fitted (scales is none).
  EvidenceObjective(const FitData& data, Scales scales, KernelPtr kernel = nullptr);

  Index parameters() const { return lengthscales() + 1; }
  Index lengthscales() const;

  double value(const Vector& at) const { return evaluate(at, nullptr); }
  double value(const Vector& at, Vector& gradient) const { return evaluate(at, &gradient); }

  struct Eliminated {
    double offset = 0;
    double signal_variance = 0;  // σ_f^2
  };
  Eliminated eliminated(const Vector& at) const;

  static constexpr double kUsualRidge = 0.03;

 private:
  struct Solved;
  double evaluate(const Vector& at, Vector* gradient) const;
  double prior(const Vector& at, Vector* gradient) const;
  std::vector<double> lengthscale_by_column(const Vector& at) const;
  bool solve(const Vector& at, Solved& out) const;

  const FitData& data_;
  Scales scales_;
  KernelPtr kernel_;
  Matrix gram_;  // of a given kernel
};

// What a fit predicts: used on rewards that came after it.
struct PlainModel {
  KernelPtr kernel;
  double ridge = 1;
  std::optional<double> offset;  // or it is estimated from the data
};
struct PlainPrediction {
  Vector mean;
  Vector sd;  // as in regression/prediction.h: divided by the ridge inside the root
};
// From points d x n with rewards, at `states`, by the textbook's formulas.
PlainPrediction predict_plainly(const PlainModel& model, const MatrixIn& points, const VectorIn& rewards,
                                const MatrixIn& states);

}  // namespace ridgerunner
