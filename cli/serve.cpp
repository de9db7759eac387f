#include <future>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ridgerunner/error.h>
#include <ridgerunner/service/http/http_server.h>
#include <ridgerunner/service/log/sqlite_log.h>

#include "arguments.h"
#include "files.h"
#include "verbs.h"

namespace ridgerunner::cli {
namespace {

using namespace ridgerunner::service;

struct ServeOptions {
  std::string data, token_file, log_url, log_level = "info", log_format = "text";
  std::vector<std::string> host_names;
  bool insecure = false;
  HttpOptions http;
  Options service;
};

LogLevel level_of(const std::string& name) {
  if (name == "debug") return LogLevel::debug;
  if (name == "warn") return LogLevel::warn;
  return name == "error" ? LogLevel::error : LogLevel::info;
}

// Signals are waited for, never handled in the middle of something else. Threads inherit this.
sigset_t hold_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return set;
}

void check(const ServeOptions& options) {
  if (!options.log_url.empty() && options.log_url != "sqlite:")
    throw InvalidArgument(fmt::format("--log must be sqlite: or be left out, got {}", options.log_url));
  if (!listen_address(options.http.listen).loopback && options.token_file.empty() && !options.insecure)
    throw InvalidArgument(
        fmt::format("--listen {} can be reached from other machines and needs --token-file (or --insecure, "
                    "which lets everybody do everything)",
                    options.http.listen));
}

void load_tokens(const ServeOptions& options, AccessControl& access, ProgramLog& log) {
  if (options.token_file.empty()) return;
  Tokens tokens = [&] {
    try {
      return Tokens::parse(read_file(options.token_file));
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("{}: {}", options.token_file, error.what()));
    }
  }();
  if (tokens.size() == 0) throw InvalidArgument(fmt::format("{} has no token", options.token_file));
  struct stat status {};
  if (stat(options.token_file.c_str(), &status) == 0 && (status.st_mode & (S_IRGRP | S_IROTH)) != 0)
    log.write(LogLevel::warn, "others can read the token file", {{"file", options.token_file}});
  log.write(LogLevel::info, "tokens are needed", {{"tokens", tokens.size()}});
  access.set_tokens(std::move(tokens));
}

// A bad file leaves the old tokens in force.
void reload_tokens(const ServeOptions& options, AccessControl& access, ProgramLog& log) {
  try {
    load_tokens(options, access, log);
  } catch (const std::exception& error) {
    log.write(LogLevel::error, "the tokens stay as they were", {{"reason", error.what()}});
  }
}

std::unique_ptr<Service> start_service(const ServeOptions& options, Metrics& metrics, ProgramLog& log) {
  Options chosen = options.service;
  chosen.folder = options.data;
  chosen.notice = [&log](Severity severity, const std::string& message) {
    log.write(severity == Severity::info      ? LogLevel::info
              : severity == Severity::warning ? LogLevel::warn
                                              : LogLevel::error,
              message);
  };
  chosen.committed = [&metrics](double seconds, std::size_t events) { metrics.committed(seconds, events); };
  return std::make_unique<Service>(std::make_unique<SqliteLog>(options.data), chosen);
}

void serve(const ServeOptions& options) {
  check(options);
  const sigset_t signals = hold_signals();
  raise_file_limit();
  ProgramLog log(level_of(options.log_level),
                 options.log_format == "json" ? LogFormat::json : LogFormat::text);
  Metrics metrics;
  AccessControl access(options.host_names);
  load_tokens(options, access, log);
  if (options.token_file.empty() && !listen_address(options.http.listen).loopback)
    log.write(LogLevel::warn, "insecure: everybody who reaches this address may do everything");
  std::unique_ptr<Service> service;
  HttpServer server(options.http, access, metrics, log);
  // Reading a long log takes a while, in which probes want an answer and signals attention.
  std::future<std::unique_ptr<Service>> starting = std::async(std::launch::async, [&] {
    struct Ready {
      ~Ready() { kill(getpid(), SIGUSR1); }
    } ready;
    return start_service(options, metrics, log);
  });
  for (int number = 0; sigwait(&signals, &number) == 0;) {
    if (number == SIGUSR1 && starting.valid()) {
      service = starting.get();
      server.serve(*service);
      fmt::print("listening on http://{}\n", server.address());
      std::fflush(stdout);
      log.write(LogLevel::info, "ready", {{"address", server.address()}, {"data", options.data}});
    } else if (number == SIGHUP) {
      reload_tokens(options, access, log);
    } else if (number == SIGINT || number == SIGTERM) {
      break;
    }
  }
  log.write(LogLevel::info, "shutting down");
  if (!service) _exit(0);  // it was only reading
  server.drain();
  service->finish();
  log.write(LogLevel::info, "done");
}

void add_limits(CLI::App& verb, ServeOptions& options) {
  const auto count = [&](const char* name, auto& value, std::int64_t least, const char* meaning) {
    verb.add_option(name, value, meaning)
        ->check(whole_number(least, 1'000'000'000'000))
        ->capture_default_str()
        ->group("Limits");
  };
  const auto seconds = [&](const char* name, double& value, const char* meaning) {
    verb.add_option(name, value, meaning)
        ->check(CLI::Range(0.01, 1e6))
        ->capture_default_str()
        ->group("Limits");
  };
  HttpOptions& http = options.http;
  Limits& limits = options.service.limits;
  count("--max-connections", http.connections, 1, "Open connections");
  count("--max-body", http.body_bytes, 1, "Bytes of a request");
  count("--max-import-body", http.import_bytes, 1, "Bytes of an import");
  count("--max-streams", http.streams, 0, "Live streams");
  count("--max-exports", http.exports, 1, "Exports of the log at the same time");
  count("--max-decision-memory", http.decision_bytes, 1 << 20,
        "Bytes of decisions that draw jointly, at the same time");
  count("--max-experiments", limits.experiments, 1, "Experiments");
  count("--max-candidates", limits.candidates, 1, "Candidates of a decision");
  count("--max-dimension", limits.dimension, 1, "Dimensions of a state");
  count("--max-import", limits.import, 1, "Observations of an import");
  count("--max-rows", limits.rows, 1, "Distinct states of an exact model");
  count("--max-pending", limits.pending, 1, "Decisions of an experiment that wait for a reward");
  count("--snapshot-events", options.service.snapshot_events, 1,
        "Events between two snapshots of the models");
  seconds("--request-seconds", http.request_seconds, "In which a request must have arrived");
  seconds("--idle-seconds", http.idle_seconds, "After which a connection without requests is closed");
  seconds("--write-seconds", http.write_seconds, "After which a client that does not read is left");
  seconds("--drain-seconds", http.drain_seconds, "For requests in flight when the server is stopped");
}

}  // namespace

void add_serve(CLI::App& app) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* verb = app.add_subcommand("serve", "The decision service with its dashboard, over HTTP");
  verb->add_option("--data", options->data, "Folder of the log, made if it is not there")->required();
  verb->add_option("--listen", options->http.listen, "ADDRESS:PORT; port 0 picks one")->capture_default_str();
  verb->add_option("--token-file", options->token_file,
                   "Who may do what: lines of `ridgerunner token`; read again on SIGHUP");
  verb->add_flag("--insecure", options->insecure, "Listen on any address without tokens");
  verb->add_option(
          "--host-name", options->host_names,
          "A name under which browsers reach the service, behind a proxy for instance (may be repeated)")
      ->allow_extra_args(false);
  verb->add_option("--log", options->log_url, "Where the log is kept: sqlite: (in the data folder)");
  verb->add_option("--threads", options->http.threads, "Threads that answer; 0: one for each core")
      ->check(whole_number(0, 1024))
      ->capture_default_str();
  verb->add_option("--log-level", options->log_level, "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str();
  verb->add_option("--log-format", options->log_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  add_limits(*verb, *options);
  verb->callback([options] {
    options->http.limits = options->service.limits;
    serve(*options);
  });
}

}  // namespace ridgerunner::cli
