#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <ridgerunner/error.h>
#include <ridgerunner/version.h>

#include "files.h"
#include "verbs.h"

namespace {

int complain(int code, const std::string& message) {
  fmt::print(stderr, "error: {}\n", message.substr(0, message.find('\n')));
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Kernel bandits: learn while in use which action is best in which situation.", "ridgerunner");
  app.set_version_flag("--version", std::string("ridgerunner ") + ridgerunner::kVersion);
  app.require_subcommand(1);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    const std::string text = error.what();
    return "error: " + text.substr(0, text.find('\n')) + "\n";
  });
  ridgerunner::cli::add_compare(app);
  ridgerunner::cli::add_stream(app);
  ridgerunner::cli::add_spec(app);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const ridgerunner::InvalidArgument& error) {
    return complain(2, error.what());
  } catch (const std::exception& error) {
    return complain(1, error.what());
  }
}
