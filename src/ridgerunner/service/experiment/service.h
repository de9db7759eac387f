#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ridgerunner/codec/json.h"
#include "ridgerunner/features/encoder.h"
#include "ridgerunner/policy/policy.h"
#include "ridgerunner/service/experiment/options.h"
#include "ridgerunner/service/experiment/views.h"
#include "ridgerunner/service/log/event.h"
#include "ridgerunner/service/log/event_log.h"

namespace ridgerunner::service {

// An answer that may be given once the event `seq` is durable.
template <class Answer>
struct Ticket {
  Answer answer;
  std::uint64_t seq = 0;
};

// History that is taken in as data.
struct ImportRequest {
  Matrix states;  // d x n
  Vector rewards;
  std::vector<std::size_t> lines;  // where each observation stood in the request, for messages; or none
  std::string id;                  // the same id and contents are taken in once; "": none
};

// Experiments that decide and learn, without a transport. Every member may be called from any thread.
// A command checks, appends its event to the log and returns a ticket; learning happens behind the log, and
// decisions are made on the last model published. What is not carried out throws Refusal; arithmetic that
// fails throws NumericalError, and nothing was appended. One experiment's trouble is not another's: one that
// cannot be learnt is degraded and says so.
class Service {
 public:
  // Takes up what the folder holds. Throws LogError, naming the event, for a log that cannot be trusted.
  Service(std::unique_ptr<EventLog> log, Options options);
  ~Service();  // finish()

  struct Creation {
    ExperimentView experiment;
    bool fresh = true;  // false: it was there already, the same
  };
  Ticket<Creation> create(const std::string& name, const Json& spec, const std::string& description,
                          const Settings& settings);
  Ticket<ExperimentView> configure(const std::string& name, const SettingsChange& change);
  Ticket<ExperimentView> close(const std::string& name);
  Ticket<Choice> decide(const std::string& name, const std::string& event_id, Offered offered);
  // The answers of these two say what has become of the decision: "accepted", "activated".
  Ticket<std::string> reward(const std::string& name, const std::string& event_id, double reward);
  Ticket<std::string> activate(const std::string& name, const std::string& event_id);
  // All of it or, if a single observation cannot be learnt from, nothing. The answer is how many there were.
  Ticket<Index> import(const std::string& name, ImportRequest request);

  // Throws as decide() would, and decides nothing.
  Check check(const std::string& name, const std::string& event_id, const Offered& offered);

  // Bytes of memory that making a decision takes for a moment, about: drawing jointly (Thompson) holds
  // candidates x (states of the model + rank) numbers. 0: arms of the spec. 0 if there is no such experiment.
  std::size_t decision_bytes(const std::string& name, Index candidates) const;

  // What makes numbers of names, if the spec has features. Refusal (not_found) if there is no such
  // experiment.
  std::optional<Encoder> features(const std::string& name) const;

  // Questions. They tell what is durable, and may wait for a commit.
  void require_experiment(
      const std::string& name) const;  // Refusal (not_found) if there is no such experiment
  std::vector<ExperimentView> experiments() const;
  ExperimentView experiment(const std::string& name) const;
  Forecast predict(const std::string& name, const MatrixIn& states, std::uint64_t& version) const;
  std::vector<DecisionView> decisions(const std::string& name, std::size_t limit) const;
  Explanation explain(const std::string& name, const std::string& event_id) const;
  History history(const std::string& name) const;
  LiveView live(const std::string& name) const;
  std::vector<ExperimentView> experiments_now() const;  // durable or not, without waiting: for metrics
  Figures figures() const;                              // of the whole, for metrics
  std::vector<std::string> degraded() const;  // names of experiments that could not learn all they were told

  // The experiment's events from `from` on, in pieces, for as long as `sink` returns true; the last call gets
  // the end of the export. Waits until the model has folded what is in the log by now.
  void export_log(const std::string& name, std::uint64_t from,
                  const std::function<bool(std::span<const Event>)>& sink, ExportEnd& end) const;

  // Calls back, from the log's thread or at once, when the event is durable: true, or false if the log
  // failed. Never call the service from inside.
  void when_durable(std::uint64_t seq, std::function<void(bool)> callback);
  bool wait_durable(std::uint64_t seq);

  std::string trouble() const;  // why it is read-only; empty if it is not

  // No more commands (Refusal: draining); what was accepted becomes durable, is folded and put in a snapshot.
  void finish();

 private:
  struct State;
  struct Deciding;
  std::unique_ptr<State> state_;
};

}  // namespace ridgerunner::service
