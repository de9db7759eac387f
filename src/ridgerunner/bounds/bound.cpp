#include "ridgerunner/bounds/bound.h"

namespace ridgerunner {

Band RadiusBound::band(const Prediction& prediction, const Evidence& evidence) const {
  const Vector half = *radius(evidence) * prediction.sd;
  return {prediction.mean - half, prediction.mean + half};
}

}  // namespace ridgerunner
