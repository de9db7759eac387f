#pragma once

#include "ridgerunner/codec/fields.h"
#include "ridgerunner/codec/range.h"

namespace ridgerunner {

enum class TuneType { none, evidence };
const Names<TuneType>& names_of(TuneType);

enum class Ard { automatic, never };  // a length-scale for each column
const Names<Ard>& names_of(Ard);

// What is fitted to the data while a policy learns, and when.
struct TuneSpec {
  TuneType type = TuneType::none;
  double growth = 1.5;
  int sample = 256;
  int until = 4096;
  Ard ard = Ard::automatic;
  double exploration = 1;
  double clip = 5;
  bool kernel = true, ridge = true, radius = true;

  bool on() const { return type != TuneType::none; }
  bool operator==(const TuneSpec&) const = default;

  template <class Visit>
  static void fields(Visit&& visit) {
    using Self = TuneSpec;
    visit("type", &Self::type, any_value(), "fit kernel, ridge and radius to the data: none, or by evidence");
    visit("growth", &Self::growth, at_least(1.05),
          "tune again when there are so many times the observations");
    visit("sample", &Self::sample, integer_from(16, 4096), "observations that a fit looks at");
    visit("until", &Self::until, integer_from(2, 1000000), "observations after which nothing is tuned");
    visit("ard", &Self::ard, any_value(),
          "a length-scale for each column: where it predicts better, or never");
    visit(
        "exploration", &Self::exploration, positive(),
        "factor of the band: 1 posterior standard deviation, 1.5 among separate arms, 0.5 for rewards of two "
        "values");
    visit("clip", &Self::clip, at_least(0),
          "rewards count as at most so many spreads from their median; 0: off");
    visit("kernel", &Self::kernel, any_value(), "tune the kernel; false if one is given");
    visit("ridge", &Self::ridge, any_value(), "tune the ridge; false if one is given");
    visit("radius", &Self::radius, any_value(), "tune the radius; false if one is given");
  }
};

}  // namespace ridgerunner
