#include "ridgerunner/policy/statistics_json.h"

#include <nlohmann/json.hpp>

namespace ridgerunner {

Json statistics_to_json(const Statistics& at, const Diagnostics& diagnostics) {
  return {{"t", at.evidence.rounds},
          {"ridge", at.evidence.ridge},
          {"logdet", at.evidence.log_determinant},
          {"radius", or_null(at.radius)},
          {"anchors", at.evidence.anchors},
          {"effective_dimension", or_null(diagnostics.effective_dimension)},
          {"projection_error", or_null(diagnostics.projection_error)},
          {"residual_sum", at.evidence.residual_sum},
          {"decisions", at.decisions},
          {"open", at.open},
          {"clamped", at.clamped},
          {"noise_lower", at.noise ? Json(at.noise->lower) : Json(nullptr)},
          {"noise_upper", at.noise ? Json(at.noise->upper) : Json(nullptr)},
          {"noise_crossed", at.noise ? Json(at.noise->crossed) : Json(nullptr)},
          {"empty_since", or_null(at.empty_since)}};
}

}  // namespace ridgerunner
