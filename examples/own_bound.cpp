// A bound of one's own, as a plug-in: the radius that Srinivas et al. (2010) print for a finite set of n
// points, sqrt(2 ln(n t^2 π^2 / (6 delta))), on the scale of this library (their sd is ours times the noise).
//   ridgerunner compare --plugin own_bound.so --policies srinivas.toml,gp-ucb
//   echo '{"op":"stats"}' | ridgerunner stream --plugin own_bound.so --spec srinivas.toml
//   python3 -c 'import ridgerunner as rr; rr.load_plugin("own_bound.so"); rr.Policy("gp-ucb",
//   bound="srinivas")'
// where srinivas.toml says
//   policy = "gp-ucb"
//   [bound]
//   type = "srinivas"
//   size = 500
#include <cmath>
#include <numbers>

#include <ridgerunner/error.h>
#include <ridgerunner/plugin/plugin.h>

namespace rr = ridgerunner;

namespace {

double radius(const rr::Parameters& parameters, const rr::Evidence& evidence) {
  const double size = rr::number_in(parameters, "size"), delta = rr::number_in(parameters, "delta");
  if (!(size >= 1)) throw rr::InvalidArgument("size must be >= 1");
  const double t = static_cast<double>(evidence.rounds) + 1;
  const double pi = std::numbers::pi;
  return rr::number_in(parameters, "noise_bound") *
         std::sqrt(2 * std::log(size * t * t * pi * pi / (6 * delta)));
}

}  // namespace

// Parameters with the names of the house (delta, noise_bound) are filled in as everywhere.
RIDGERUNNER_PLUGIN(house) {
  house.add_radius("srinivas", {{"size", 100.0}, {"delta", 0.01}, {"noise_bound", 0.1}}, radius);
}
