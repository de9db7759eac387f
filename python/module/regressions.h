#pragma once

#include <ridgerunner/policy/spec.h>

#include "guarded.h"
#include "kernels.h"

namespace ridgerunner::python {

using RegressionPtr = std::unique_ptr<Regression>;

struct SharedRegression {
  SharedRegression(RegressionPtr regression, Spec made_of)
      : guarded(std::move(regression)), spec(std::move(made_of)) {}

  Guarded<RegressionPtr> guarded;
  Spec spec;
};

}  // namespace ridgerunner::python
