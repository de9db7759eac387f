#pragma once

#include <memory>

#include "ridgerunner/regression/checks.h"
#include "ridgerunner/regression/evidence.h"
#include "ridgerunner/regression/prediction.h"
#include "ridgerunner/regression/workspace.h"

namespace ridgerunner {

// A model of the reward, updated in place: four functions. What only some models can do is in capabilities.h.
// Bad input throws InvalidArgument, failing arithmetic NumericalError; both leave the model as it was.
class Regression {
 public:
  virtual ~Regression() = default;

  // states: d x n, rewards: n. The first observation fixes d.
  virtual void observe(const MatrixIn& states, const VectorIn& rewards, Workspace& workspace) = 0;
  void observe(const MatrixIn& states, const VectorIn& rewards) {
    Workspace workspace;
    observe(states, rewards, workspace);
  }

  virtual void predict(const MatrixIn& states, Prediction& out, Workspace& workspace) const = 0;
  virtual Evidence evidence() const = 0;
  virtual std::unique_ptr<Regression> clone() const = 0;
};

Prediction predict(const Regression& regression, const MatrixIn& states);

}  // namespace ridgerunner
