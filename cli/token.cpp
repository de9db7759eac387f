#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <ridgerunner/service/http/tokens.h>

#include "verbs.h"

namespace ridgerunner::cli {

void add_token(CLI::App& app) {
  struct Options {
    std::string roles, name = "token";
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("token", "Makes a token for the decision service, which is shown once");
  verb->add_option("--role", options->roles, "decide, reward, read, admin; several separated by commas")
      ->required();
  verb->add_option("--name", options->name, "Whose it is: one word")->capture_default_str();
  verb->callback([options] {
    const service::NewToken made = service::make_token(options->name, options->roles);
    fmt::print("{}\n{}\n", made.token, made.line);
    std::fflush(stdout);
    fmt::print(
        stderr,
        "The first line is the token, which is kept nowhere. The second one goes into the token file.\n");
  });
}

}  // namespace ridgerunner::cli
