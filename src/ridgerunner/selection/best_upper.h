#pragma once

#include "ridgerunner/regression/regression.h"

namespace ridgerunner {

// The candidate with the largest mean + radius sd; ties go to the lowest index. Equal to the argmax over
// predict(), in fewer operations where the model helps: by elimination on its factor, or in its own way.
BestUpper best_upper(const Regression& model, const MatrixIn& states, double radius, Workspace& workspace);

}  // namespace ridgerunner
