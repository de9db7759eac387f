#pragma once

#include <string>

#include "ridgerunner/experiment/results.h"
#include "ridgerunner/report/figure.h"
#include "ridgerunner/report/page.h"
#include "ridgerunner/report/table.h"

namespace ridgerunner {

// A comparison's results, for people.
std::string comparison_title(const Results& results);       // one line: problem, horizon, runs
Table comparison_table(const Results& results);             // a row a policy; the least regret stands out
Figure regret_figure(const Results& results);               // mean regret over time, with a band of one sd
Figure ceiling_regret_figure(const Results& results);       // the same as the problem's authors count it
Figure seconds_figure(const Results& results);              // time spent deciding and learning
Figure anchors_figure(const Results& results);              // states that the model rests on
Figure noise_figure(const Results& results);                // what policies that learn the noise know of it
Figure ridge_figure(const Results& results);                // the ridge of the same policies
std::vector<std::string> findings(const Results& results);  // what is wrong with a policy's assumptions
Page comparison_page(const Results& results);               // all of it, and what it was made of

}  // namespace ridgerunner
