#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ridgerunner/kernel/kernel.h"
#include "ridgerunner/linalg/growing_cholesky.h"
#include "ridgerunner/regression/mixture.h"

namespace ridgerunner {

// An exact model by the Cholesky factor of its data, as what chooses among candidates sees it.
struct ExactView {
  const Kernel& kernel;
  MatrixIn states;                // d x m
  VectorIn noise;                 // m: what the diagonal of the kernel matrix is raised by
  const GrowingCholesky& factor;  // of the raised kernel matrix
  VectorIn weights;               // m: mean(s) = k(s)^T weights
  double largest_diagonal;        // of the raised kernel matrix
  double ridge;
};

// The same data at one of several ridges a.
struct RidgeFactor {
  double ridge;
  const GrowingCholesky& factor;  // L L^T = K + a N^-1
  VectorIn noise;                 // a/n of rows
  VectorIn forward;               // L^-1 ȳ
  double largest_diagonal;
  double slack;   // T(a) of mixture.h
  Index further;  // its place among the model's further ridges; -1: its own ridge
};

// Data as a mixture sees them: rows i with kernel matrix M = N^1/2 K N^1/2 and averages y = N^1/2 ȳ.
struct MixtureData {
  Vector rewards;             // y
  double within = 0;          // sum of squares that the averages hide
  double radius_squared = 0;  // R_t^2
  double norm_bound = 0;      // B
  double norm = 0;            // of M: not less
  double least_ridge = 0;     // to try: images must be exact enough for it
};

struct FactoredModel {
  const Kernel& kernel;
  MatrixIn states;  // of rows
  Vector root;      // N^1/2
  MixtureData data;
  RidgeFactor own;                  // at the model's own ridge
  std::vector<RidgeFactor> ridges;  // those of a grid, or all there are

  // The rewards at a state: how many, their average; and the sum of squares around such averages, of all.
  struct Observed {
    double count, average, within;
  };
  std::function<std::optional<Observed>(const VectorIn& state)> observed;

  std::size_t nearest(double ridge) const;                   // the place of the ridge at or next to it
  ExactView view(std::size_t ridge, Vector& weights) const;  // weights: memory for them
};

// Models that keep factors of all their data: a capability (capabilities.h).
class ShowsFactors {
 public:
  virtual ~ShowsFactors() = default;
  virtual Index rows() const = 0;
  virtual void check_shape(const MatrixIn& states) const = 0;  // InvalidArgument unless states have it
  virtual ExactView view(Workspace& workspace) const = 0;

  // InvalidArgument if the model was not made for the mixture: a ridge of its grid is missing.
  virtual FactoredModel at_ridges(const Mixture& mixture) const = 0;
};

}  // namespace ridgerunner
