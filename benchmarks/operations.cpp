// The hot operations one by one. Compare rows of one run with each other, not with another machine's.
#include <Eigen/Dense>
#include <benchmark/benchmark.h>

#include <ridgerunner/kernel/stationary.h>
#include <ridgerunner/random/stream.h>
#include <ridgerunner/regression/exact/exact.h>
#include <ridgerunner/selection/best_upper.h>

namespace ridgerunner {
namespace {

Matrix uniform_points(std::uint64_t seed, Index dimension, Index count) {
  Stream random(seed, Purpose::test);
  Matrix points(dimension, count);
  for (double& value : points.reshaped()) value = random.uniform();
  return points;
}

ExactRegression learnt(const KernelPtr& kernel, Index t) {
  ExactRegression regression(kernel, 0.05);
  const Matrix states = uniform_points(1, 3, t);
  regression.observe(states, (5 * states.row(0)).array().sin().matrix().transpose());
  return regression;
}

void gram_gaussian(benchmark::State& state) {
  const Matrix x = uniform_points(1, 8, 1000), y = uniform_points(2, 8, 100);
  Matrix out(1000, 100);
  const KernelPtr kernel = gaussian(0.5);
  for (auto _ : state) kernel->gram(x, y, out);
}
BENCHMARK(gram_gaussian);

void gram_matern52(benchmark::State& state) {
  const Matrix x = uniform_points(1, 8, 1000), y = uniform_points(2, 8, 100);
  Matrix out(1000, 100);
  const KernelPtr kernel = matern52(0.5);
  for (auto _ : state) kernel->gram(x, y, out);
}
BENCHMARK(gram_matern52);

void solve_ours(benchmark::State& state) {
  const ExactRegression regression = learnt(matern52(0.5), 1000);
  const Matrix k = Matrix::Random(1000, state.range(0));
  Matrix x;
  for (auto _ : state) {
    x = k;
    regression.factor().solve(x);
  }
}
BENCHMARK(solve_ours)->Arg(1)->Arg(4)->Arg(100);

void solve_eigen(benchmark::State& state) {
  Matrix l = Matrix::Random(1000, 1000);
  l.diagonal().array() += 100;
  const Matrix k = Matrix::Random(1000, state.range(0));
  Matrix x;
  for (auto _ : state) {
    x = k;
    l.triangularView<Eigen::Lower>().solveInPlace(x);
  }
}
BENCHMARK(solve_eigen)->Arg(1)->Arg(4)->Arg(100);

void choose_among_100(benchmark::State& state) {
  const ExactRegression regression = learnt(matern52(0.5), state.range(0));
  const Matrix candidates = uniform_points(3, 3, 100);
  Workspace workspace;
  for (auto _ : state) benchmark::DoNotOptimize(best_upper(regression, candidates, 2.0, workspace));
}
BENCHMARK(choose_among_100)->Arg(250)->Arg(500)->Arg(1000);

void predict_100(benchmark::State& state) {
  const ExactRegression regression = learnt(matern52(0.5), state.range(0));
  const Matrix candidates = uniform_points(3, 3, 100);
  Workspace workspace;
  Prediction out;
  for (auto _ : state) regression.predict(candidates, out, workspace);
}
BENCHMARK(predict_100)->Arg(250)->Arg(500)->Arg(1000);

}  // namespace
}  // namespace ridgerunner
