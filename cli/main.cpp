#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <ridgerunner/error.h>
#include <ridgerunner/plugin/plugin.h>
#include <ridgerunner/version.h>

#include "arguments.h"
#include "verbs.h"

namespace {

int complain(int code, const std::string& message) {
  fmt::print(stderr, "error: {}\n", ridgerunner::cli::shortened(message.substr(0, message.find('\n'))));
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
  ridgerunner::cli::add_reproduce(app);
  ridgerunner::cli::add_stream(app);
  ridgerunner::cli::add_spec(app);
  ridgerunner::cli::add_features(app);
#ifdef RIDGERUNNER_WITH_SERVICE
  ridgerunner::cli::add_serve(app);
  ridgerunner::cli::add_token(app);
  ridgerunner::cli::add_simulate(app);
  ridgerunner::cli::add_replay(app);
  ridgerunner::cli::add_export(app);
  ridgerunner::cli::add_archive(app);
#endif
  app.add_option_function<std::vector<std::string>>(
         "--plugin",
         [](const std::vector<std::string>& files) {
           for (const std::string& file : files) ridgerunner::load_plugin(file);
         },
         "A shared library with bounds, rules or dictionaries of your own")
      ->allow_extra_args(false);
  for (CLI::App* verb : app.get_subcommands(nullptr)) verb->fallthrough();  // --plugin may follow the verb
  // CLI11 would only say that a verb is needed.
  if (argc > 1 && argv[1][0] != '-') {
    std::string verbs;
    bool known = false;
    for (const CLI::App* verb : app.get_subcommands(nullptr)) {
      verbs += (verbs.empty() ? "" : ", ") + verb->get_name();
      known = known || verb->get_name() == argv[1];
    }
    if (!known) return complain(2, fmt::format("unknown verb \"{}\"; verbs are {}", argv[1], verbs));
  }
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
