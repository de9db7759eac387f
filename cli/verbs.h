#pragma once

#include <CLI/CLI.hpp>

namespace ridgerunner::cli {

// Each adds one verb to the program; its callback does the work and throws on failure.
void add_compare(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_stream(CLI::App& app);
void add_spec(CLI::App& app);
void add_features(CLI::App& app);
void add_serve(CLI::App& app);
void add_token(CLI::App& app);
void add_simulate(CLI::App& app);
void add_replay(CLI::App& app);
void add_export(CLI::App& app);
void add_archive(CLI::App& app);

// What a verb throws when the work, rather than the request, failed: exit code 1.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace ridgerunner::cli
