// Ten thousand exact rounds in a process of their own, within 1.5 GB.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "oracles/problems.h"
#include "ridgerunner/kernel/stationary.h"
#include "ridgerunner/regression/exact/exact.h"
#include "ridgerunner/selection/best_upper.h"

namespace ridgerunner::memory_slow_test {
namespace {

TEST(Memory, TenThousandExactRoundsFitIntoOneAndAHalfGigabytes) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Stream random(1, Purpose::test);
    ExactRegression regression(matern32(0.2), 0.1);
    Workspace workspace;
    // Most of them in batches: one by one they would stream the factor through the caches 20,000 times.
    for (int batch = 0; batch < 98; ++batch) {
      regression.observe(oracle::uniform_points(random, 3, 100), oracle::normals(random, 100), workspace);
    }
    for (int t = 0; t < 200; ++t) {
      const Matrix candidates = oracle::uniform_points(random, 3, 100);
      const Index chosen = best_upper(regression, candidates, 1.0, workspace).index;
      regression.observe(candidates.col(chosen), oracle::normals(random, 1), workspace);
    }
    ::_exit(regression.evidence().anchors == 10'000 ? 0 : 1);
  }
  int status = 0;
  rusage used{};
  ASSERT_EQ(::wait4(child, &status, 0, &used), child);
  EXPECT_EQ(status, 0);
  EXPECT_LT(used.ru_maxrss, 1'500'000) << "kB";
  RecordProperty("peak_kB", static_cast<int>(used.ru_maxrss));
  std::printf("peak resident memory: %ld MB\n", used.ru_maxrss / 1000);
}

}  // namespace
}  // namespace ridgerunner::memory_slow_test
