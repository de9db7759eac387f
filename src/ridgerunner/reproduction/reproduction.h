#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ridgerunner/report/page.h"
#include "ridgerunner/reproduction/definition.h"
#include "ridgerunner/reproduction/job.h"

namespace ridgerunner {

// What came out: numbers for the checks, figures and tables for people.
struct Outcome {
  Values values;
  std::vector<Section> sections;
};

// A definition, ready to run.
class Reproduction {
 public:
  virtual ~Reproduction() = default;
  virtual std::vector<Job> jobs() const = 0;
  virtual Outcome conclude(const Finished& finished) const = 0;  // from the results of all its jobs
};

// quick: the spec with what its "quick" says in place, a look at the shape rather than the numbers.
enum class Size { full, quick };

// Throws InvalidArgument, naming the key and the field, for a spec that makes no sense.
std::unique_ptr<Reproduction> make_reproduction(const Definition& definition, Size size);

// The kinds, each from the spec of its definition.
std::unique_ptr<Reproduction> regret_reproduction(const Json& spec);      // policies on a problem
std::unique_ptr<Reproduction> growth_reproduction(const Json& spec);      // time and memory against T
std::unique_ptr<Reproduction> map_reproduction(const Json& spec);         // reward functions of two numbers
std::unique_ptr<Reproduction> function_reproduction(const Json& spec);    // test functions on the line
std::unique_ptr<Reproduction> bands_reproduction(const Json& spec);       // bands after uniform observations
std::unique_ptr<Reproduction> noise_reproduction(const Json& spec);       // bounds of an unknown noise
std::unique_ptr<Reproduction> pace_reproduction(const Json& spec);        // the time of a round
std::unique_ptr<Reproduction> program_reproduction(const Json& spec);     // CMM-UCB against its cone program
std::unique_ptr<Reproduction> starvation_reproduction(const Json& spec);  // variances far from the data
std::unique_ptr<Reproduction> accuracy_reproduction(const Json& spec);    // projected against exact variances

// Everything about one reproduction on a page.
Page reproduction_page(const Definition& definition, Size size, const Outcome& outcome,
                       const std::vector<Verdict>& verdicts, const Provenance& provenance);

}  // namespace ridgerunner
