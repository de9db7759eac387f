#include "ridgerunner/report/axis.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ridgerunner {
namespace {

constexpr double largest = 1e300, tiniest = 1e-300;

// 1234.5 with one decimal as "1,234.5"; the minus is U+2212.
std::string grouped(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t i = point; i > 3; i -= 3) text.insert(i - 3, ",");
  return value < 0 && text.find_first_not_of("0.,") != std::string::npos ? "−" + text : text;
}

int decade(double value) {
  return static_cast<int>(std::floor(std::log10(value) + 1e-9));
}

// The 1, 2 or 5 times a power of ten that cuts `range` into at most about `count` steps.
double nice_step(double range, int count) {
  const double raw = range / count;
  const double base = std::pow(10.0, std::floor(std::log10(raw)));
  const double lead = raw / base - 1e-9;
  return base * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

Ticks linear_ticks(const Domain& domain, int count) {
  Ticks ticks;
  const double step = nice_step(domain.high - domain.low, count);
  const double first = std::ceil(domain.low / step - 1e-6), last = std::floor(domain.high / step + 1e-6);
  for (int i = 0; first + i <= last; ++i) ticks.major.push_back((first + i) * step);
  const int top = decade(std::max(std::abs(domain.low), std::abs(domain.high)));
  const int thousands = static_cast<int>(std::floor(top / 3.0)) * 3;
  if ((top >= 7 || top < -3) && thousands - decade(step) <= 4) ticks.power = thousands;
  const int decimals = std::max(0, ticks.power - decade(step));
  for (const double value : ticks.major) {
    ticks.labels.push_back(grouped(value / std::pow(10.0, ticks.power), decimals));
  }
  return ticks;
}

std::string log_label(double value, bool plain) {
  const int exponent = decade(value);
  if (plain) return grouped(value, std::max(0, -exponent));
  const double lead = std::round(value / std::pow(10.0, exponent));
  return (lead > 1 ? fmt::format("{:.0f}×", lead) : "") + power_of_ten(exponent);
}

Ticks log_ticks(const Domain& domain, int count) {
  Ticks ticks;
  const int first = static_cast<int>(std::ceil(std::log10(domain.low) - 1e-9));
  const int last = decade(domain.high);
  int stride = 1;
  for (const int wider : {2, 3, 5, 10, 20, 50, 100, 200}) {
    if ((last - first) / stride >= count && wider <= last - first) stride = wider;
  }
  // Multiples of the stride, unless so few are in sight that counting has to start at the first decade.
  const bool aligned = std::floor(1.0 * last / stride) > std::ceil(1.0 * first / stride);
  const int origin = aligned ? 0 : first;
  for (int e = first - 1; e <= last; ++e) {
    for (int lead = 1; lead <= 9; ++lead) {
      const double value = lead * std::pow(10.0, e);
      if (value < domain.low * (1 - 1e-9) || value > domain.high * (1 + 1e-9)) continue;
      const bool is_major =
          last > first ? lead == 1 && (e - origin) % stride == 0 : lead == 1 || lead == 2 || lead == 5;
      if (is_major) ticks.major.push_back(value);
      if (!is_major && (stride == 1 || lead == 1)) ticks.minor.push_back(value);
    }
  }
  if (ticks.major.size() < 2) return linear_ticks(domain, count);
  if (ticks.minor.size() > 80) ticks.minor.clear();  // they would merge into a bar
  const bool plain = ticks.major.front() > 0.9e-3 && ticks.major.back() < 1.1e5;
  for (const double value : ticks.major) ticks.labels.push_back(log_label(value, plain));
  return ticks;
}

// The next 1, 2 or 5 times a power of ten at or beyond `value`, down or up.
double rounded_out(double value, bool up) {
  const double base = std::pow(10.0, decade(value));
  double best = up ? 10 * base : base;
  for (const double lead : {2.0, 5.0}) {
    if (up && lead * base >= value * (1 - 1e-9)) best = std::min(best, lead * base);
    if (!up && lead * base <= value * (1 + 1e-9)) best = std::max(best, lead * base);
  }
  return up && base >= value * (1 - 1e-9) ? base : best;
}

void widen_if_degenerate(const Axis& axis, Domain& domain) {
  const bool is_log = axis.scale == Scale::log;
  const double size = std::max(std::abs(domain.low), std::abs(domain.high));
  if (is_log ? domain.high > domain.low * (1 + 1e-9)
             : domain.high - domain.low > std::max(1e-9 * size, 1e-290))
    return;
  const double middle = axis.max && !axis.min ? *axis.max : domain.low;
  const double pad = std::abs(middle) < 1e-290 ? 1 : std::abs(middle) * 0.1;
  if (!axis.min || axis.max) domain.low = is_log ? middle / 2 : middle - pad;
  if (!axis.max || axis.min) domain.high = is_log ? middle * 2 : middle + pad;
}

}  // namespace

bool Domain::empty() const {
  return std::isnan(low);
}

void Domain::include(double value) {
  high = empty() ? value : std::max(high, value);
  low = empty() ? value : std::min(low, value);
}

bool usable(double value, Scale scale) {
  return std::isfinite(value) && std::abs(value) <= largest && (scale == Scale::linear || value >= tiniest);
}

Domain shown_domain(const Axis& axis, Domain data, int count, bool roomy) {
  if (data.empty()) data = axis.scale == Scale::log ? Domain{1, 10} : Domain{0, 1};
  // A range that almost starts at zero starts there.
  if (axis.scale == Scale::linear && data.low > 0 && data.low < (roomy ? 0.4 : 0.1) * data.high) data.low = 0;
  Domain domain{axis.min.value_or(data.low), axis.max.value_or(data.high)};
  widen_if_degenerate(axis, domain);
  if (roomy && axis.scale == Scale::log) {
    if (!axis.min) domain.low = rounded_out(domain.low, false);
    if (!axis.max) domain.high = rounded_out(domain.high, true);
  } else if (roomy) {
    // To the next tick if it is near, or the plot would be half empty.
    const double step = nice_step(domain.high - domain.low, count);
    const double low = std::floor(domain.low / step + 1e-6) * step;
    const double high = std::ceil(domain.high / step - 1e-6) * step;
    if (!axis.min && domain.low - low < 0.5 * step) domain.low = low;
    if (!axis.max && high - domain.high < 0.5 * step) domain.high = high;
  }
  return domain;
}

std::string power_of_ten(int exponent) {
  static constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = "10";
  for (const char c : std::to_string(exponent)) out += c == '-' ? "⁻" : digits[c - '0'];
  return out;
}

Ticks ticks_of(Scale scale, const Domain& domain, int count) {
  return scale == Scale::log ? log_ticks(domain, count) : linear_ticks(domain, count);
}

double Mapping::operator()(double value) const {
  // A little wider than usable(), as an axis reaches a little beyond its data.
  const bool fits = std::abs(value) <= 100 * largest && (scale == Scale::linear || value >= tiniest / 100);
  if (!fits) return std::numeric_limits<double>::quiet_NaN();
  const auto position = [&](double v) { return scale == Scale::log ? std::log10(v) : v; };
  const double low = position(domain.low), high = position(domain.high);
  const double part = (position(value) - low) / (high - low);
  return from + std::clamp(part, -10.0, 11.0) * (to - from);
}

}  // namespace ridgerunner
