#include <chrono>
#include <map>
#include <optional>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include <ridgerunner/environment/environment_spec.h>
#include <ridgerunner/error.h>
#include <ridgerunner/experiment/experiment_spec.h>
#include <ridgerunner/policy/spec_json.h>
#include <ridgerunner/random/stream.h>
#include <ridgerunner/service/http/client.h>

#include "arguments.h"
#include "interrupt.h"
#include "verbs.h"

namespace ridgerunner::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct SimulateOptions {
  std::string url = "http://127.0.0.1:8080", token, experiment = "demo", environment = "bump",
              policy = "ek-ucb";
  double rate = 20;
  std::int64_t decisions = 0;
  bool quiet = false;
};

// Asks the service over one connection, which is made again when it was lost.
class JsonClient {
 public:
  // `url` is http://ADDRESS:PORT; throws InvalidArgument for others. `token` may be empty.
  JsonClient(const std::string& url, const std::string& token)
      : headers_("Content-Type: application/json\r\n") {
    constexpr std::string_view kScheme = "http://";
    authority_ = url.starts_with(kScheme) ? url.substr(kScheme.size()) : "";
    while (authority_.ends_with('/')) authority_.pop_back();
    if (authority_.find(':') == std::string::npos || authority_.find('/') != std::string::npos)
      throw InvalidArgument(fmt::format("--url must be http://ADDRESS:PORT, got {}", url));
    if (!token.empty()) headers_ += fmt::format("Authorization: Bearer {}\r\n", token);
  }

  struct Answer {
    int status = 0;
    Json body;
  };
  Answer get(const std::string& path) { return ask("GET", path, ""); }
  Answer post(const std::string& path, const Json& body) { return ask("POST", path, body.dump()); }

 private:
  Answer ask(const char* method, const std::string& path, const std::string& body) {
    if (!client_) client_.emplace(authority_);
    try {
      const service::HttpAnswer answer = client_->ask(method, path, body, headers_);
      if (!answer.keep_alive) client_.reset();
      return {answer.status, answer.json()};
    } catch (const service::ConnectionError&) {
      client_.reset();
      throw;
    }
  }

  std::string authority_, headers_;
  std::optional<service::HttpClient> client_;
};

// How long a visitor takes: most answer at once, some later, a few never, and some do not even look.
struct Visitor {
  bool deferred = false;          // it is shown a moment after it was decided
  std::optional<double> seconds;  // until the reward comes; none: never
  explicit Visitor(std::uint64_t round) {
    Stream random(19, Purpose::test, round);
    deferred = random.uniform() < 0.1;
    const double kind = random.uniform(), wait = random.uniform();
    if (kind < 0.6) {
      seconds = 0;
    } else if (kind < 0.95) {
      seconds = 0.2 + 8 * wait * wait;
    }
  }
};

// Somebody who uses the service: a problem whose rewards come as visitors answer.
class Simulation {
 public:
  explicit Simulation(const SimulateOptions& options)
      : options_(options),
        client_(options.url, options.token),
        environment_(make_environment(environment_from_json({{"type", options.environment}}), 1)),
        path_("/v1/experiments/" + options.experiment) {}

  void run() {
    const InterruptGuard guard;
    signal(SIGTERM, [](int) { raise(SIGINT); });
    round_ = open_experiment();
    if (!options_.quiet)
      fmt::print("{} feeds experiment {} at {}, {} decisions a second\n", options_.environment,
                 options_.experiment, options_.url, options_.rate);
    std::fflush(stdout);
    const auto pause =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / options_.rate));
    auto next = Clock::now();
    for (std::int64_t made = 0; !interrupted() && (options_.decisions == 0 || made < options_.decisions);) {
      report_due();
      if (Clock::now() >= next) {
        decide();
        ++made;
        next = std::max(next + pause, Clock::now() - pause);
      }
      const auto until = due_.empty() ? next : std::min(next, due_.begin()->first);
      std::this_thread::sleep_until(std::min(until, Clock::now() + std::chrono::milliseconds(200)));
    }
  }

 private:
  struct Outcome {
    std::string event_id;
    double reward = 0;
    bool activate = false;
  };

  // Creates it if it is not there; the number of decisions it has.
  std::uint64_t open_experiment() {
    JsonClient::Answer shown = client_.get(path_);
    if (shown.status == 404) {
      Json kernel = kernel_to_json(environment_->facts().kernel);
      if (options_.environment == "bump")
        kernel["lengthscale"] = 1.5;  // it is wide, and so learnt in 1000 rounds
      const Json spec = {{"policy", options_.policy}, {"kernel", kernel}, {"bound", {{"radius", 0.3}}}};
      shown = client_.post("/v1/experiments",
                           {{"name", options_.experiment},
                            {"spec", spec},
                            {"description", "Simulated visitors of the problem " + options_.environment},
                            {"reward_deadline_seconds", 30},
                            {"default_reward", 0}});
    }
    expect(shown, "cannot open the experiment");
    return shown.body.at("counts").at("decisions").get<std::uint64_t>();
  }

  void expect(const JsonClient::Answer& answer, const char* what) const {
    if (answer.status == 200 || answer.status == 201) return;
    throw Failure(fmt::format("{}: {} {}", what, answer.status, answer.body.dump()));
  }

  void decide() {
    environment_->offer(round_, offer_);
    const Index context = common_rows(offer_.states);
    Json actions = Json::array();
    for (Index j = 0; j < offer_.states.cols(); ++j)
      actions.push_back(
          {{"id", fmt::format("action {}", j + 1)},
           {"features", vector_to_json(offer_.states.col(j).tail(offer_.states.rows() - context))}});
    const Visitor visitor(round_);
    Json body = {{"actions", std::move(actions)}};
    if (context > 0) body["context"] = vector_to_json(offer_.states.col(0).head(context));
    if (visitor.deferred) body["defer_activation"] = true;
    const JsonClient::Answer made = client_.post(path_ + "/decide", body);
    expect(made, "cannot decide");
    const auto index = made.body.at("index").get<Index>();
    if (visitor.seconds) {
      const Outcome outcome{made.body.at("event_id"), offer_.expected[index] + environment_->noise(round_),
                            visitor.deferred};
      due_.emplace(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(*visitor.seconds)),
                   outcome);
    }
    ++round_;
  }

  void report_due() {
    while (!due_.empty() && due_.begin()->first <= Clock::now()) {
      const Outcome outcome = due_.begin()->second;
      due_.erase(due_.begin());
      if (outcome.activate)
        expect(client_.post(path_ + "/activate", {{"event_id", outcome.event_id}}), "cannot activate");
      expect(client_.post(path_ + "/reward", {{"event_id", outcome.event_id}, {"reward", outcome.reward}}),
             "cannot reward");
    }
  }

  // Rows in which all candidates agree: the context.
  static Index common_rows(const Matrix& states) {
    Index rows = 0;
    while (rows + 1 < states.rows() && (states.row(rows).array() == states(rows, 0)).all()) ++rows;
    return rows;
  }

  const SimulateOptions& options_;
  JsonClient client_;
  EnvironmentPtr environment_;
  std::string path_;
  std::uint64_t round_ = 0;
  Offer offer_;
  std::multimap<Clock::time_point, Outcome> due_;
};

}  // namespace

void add_simulate(CLI::App& app) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* verb = app.add_subcommand("simulate", "Feeds a running decision service with simulated visitors");
  verb->add_option("--url", options->url, "Where the service is")->capture_default_str();
  verb->add_option("--token", options->token, "With the roles admin, or decide, reward and read");
  verb->add_option("--experiment", options->experiment, "Its name; created if it is not there")
      ->capture_default_str();
  verb->add_option("--environment", options->environment, "The problem, as in compare")
      ->capture_default_str();
  verb->add_option("--policy", options->policy, "The preset it is created with")->capture_default_str();
  verb->add_option("--rate", options->rate, "Decisions a second")
      ->check(CLI::Range(0.01, 1e4))
      ->capture_default_str();
  verb->add_option("--decisions", options->decisions, "How many; 0: until Ctrl-C")
      ->check(whole_number(0, 1'000'000'000))
      ->capture_default_str();
  verb->add_flag("--quiet", options->quiet, "Print nothing");
  verb->callback([options] {
    try {
      Simulation(*options).run();
    } catch (const service::ConnectionError& error) {
      throw Failure(error.what());
    }
  });
}

}  // namespace ridgerunner::cli
