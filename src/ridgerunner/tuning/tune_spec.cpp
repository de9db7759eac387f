#include "ridgerunner/tuning/tune_spec.h"

namespace ridgerunner {

const Names<TuneType>& names_of(TuneType) {
  static const Names<TuneType> names = {{TuneType::none, "none"}, {TuneType::evidence, "evidence"}};
  return names;
}

const Names<Ard>& names_of(Ard) {
  static const Names<Ard> names = {{Ard::automatic, "auto"}, {Ard::never, "never"}};
  return names;
}

}  // namespace ridgerunner
