#include "ridgerunner/policy/statistics_json.h"

#include <nlohmann/json.hpp>

namespace ridgerunner {

namespace {

Json tuned_to_json(const Tuned& tuned) {
  return {{"tuned_at", tuned.at},
          {"next_at", tuned.next > 0 ? Json(tuned.next) : Json(nullptr)},
          {"retunes", tuned.retunes},
          {"forgotten", tuned.forgotten},
          {"structure", name_in(names_of(tuned.structure), tuned.structure)},
          {"lengthscale", tuned.lengthscale},
          {"relevance", tuned.relevance},
          {"ignored", tuned.ignored},
          {"one_hot", tuned.one_hot},
          {"two_valued", tuned.two_valued},
          {"ridge", tuned.ridge},
          {"noise_sd", tuned.noise_sd},
          {"signal_sd", tuned.signal_sd},
          {"offset", tuned.offset},
          {"held_out_r2", or_null(tuned.held_out_r2)},
          {"coverage90", or_null(tuned.coverage90)},
          {"score_ard", tuned.score_ard},
          {"warnings", tuned.warnings}};
}

}  // namespace

Json statistics_to_json(const Statistics& at, const Diagnostics& diagnostics) {
  Json json = {{"t", at.evidence.rounds},
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
  if (at.norm_at_least) json["norm_at_least"] = *at.norm_at_least;
  if (at.tuned) json["tune"] = tuned_to_json(*at.tuned);
  if (!at.warnings.empty()) json["warnings"] = at.warnings;
  return json;
}

}  // namespace ridgerunner
