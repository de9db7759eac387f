#include <chrono>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "ridgerunner/policy/spec_json.h"
#include "ridgerunner/reproduction/definition.h"

namespace ridgerunner::test::reproduce_test {
namespace {

std::size_t kept(const Folder& folder) {
  std::size_t count = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "reproduced/runs", none))
    count += entry.path().extension() == ".run";
  return count;
}

TEST(Reproduce, ListsEveryKeyWithItsMinutes) {
  const Folder folder;
  const Outcome outcome = run_program(folder, {"reproduce", "--list"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const Definition& definition : definitions()) {
    EXPECT_NE(outcome.out.find(definition.key), std::string::npos) << definition.key;
    EXPECT_NE(outcome.out.find(definition.shows), std::string::npos) << definition.key;
  }
  EXPECT_NE(outcome.out.find("minutes on two cores"), std::string::npos);
  EXPECT_FALSE(folder.has("reproduced"));
}

TEST(Reproduce, WritesAPageAndPrintsOursBesideThePapers) {
  const Folder folder;
  const Outcome outcome = run_program(folder, {"reproduce", "zenati2022_figure6"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Step Diagonal: share of reward 1"), std::string::npos) << outcome.out;
  EXPECT_NE(folder.read("reproduced/zenati2022_figure6/report.html").find("zenati2022, Figure 6"),
            std::string::npos);
}

TEST(Reproduce, JsonHasARowForEachCheck) {
  const Folder folder;
  const Outcome outcome =
      run_program(folder, {"reproduce", "zenati2022_figure6", "--json", "-", "--out", "elsewhere"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json rows = parse_json(outcome.out);
  ASSERT_EQ(rows.size(), find_definition("zenati2022_figure6").checks.size());
  for (const Json& row : rows) {
    EXPECT_EQ(row["reproduction"], "zenati2022_figure6");
    EXPECT_TRUE(row["ours"].is_number());
    EXPECT_EQ(row["ok"], true);
  }
  EXPECT_TRUE(folder.has("elsewhere/zenati2022_figure6/report.html"));
  const Outcome filed =
      run_program(folder, {"reproduce", "zenati2022_figure6", "--json", "rows.json", "--quiet"});
  EXPECT_EQ(filed.out, "");
  EXPECT_EQ(parse_json(folder.read("rows.json")), rows);
}

TEST(Reproduce, QuickKeepsItsRunsAndTakesThemUpAgain) {
  const Folder folder;
  const std::vector<std::string> quick = {"reproduce", "calandriello2019_figure1", "--quick", "--json", "-"};
  const Outcome first = run_program(folder, quick);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(kept(folder), 2u);
  const auto written = [&] {
    std::vector<std::filesystem::file_time_type> times;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "reproduced/runs"))
      times.push_back(entry.last_write_time());
    return times;
  };
  const auto before = written();
  const Outcome second = run_program(folder, quick);
  EXPECT_EQ(second.out, first.out);
  EXPECT_EQ(written(), before);
  std::vector<std::string> fresh = quick;
  fresh.emplace_back("--fresh");
  EXPECT_EQ(run_program(folder, fresh).out, first.out);
  EXPECT_NE(written(), before);
}

// Starts the program, waits for a run to be kept, and interrupts it as Ctrl-C does.
int interrupted_code(const Folder& folder, std::vector<std::string> arguments) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int quiet = ::open("/dev/null", O_WRONLY);
    ::dup2(quiet, 1);
    ::dup2(::open((folder / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
    if (::chdir(folder.path().c_str()) != 0) ::_exit(126);
    std::string program = RIDGERUNNER_PROGRAM;
    std::vector<char*> argv{program.data()};
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::alarm(120);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  for (int i = 0; i < 6000 && kept(folder) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(Reproduce, AnInterruptKeepsWhatIsFinished) {
  const Folder folder;
  const int code = interrupted_code(folder, {"reproduce", "calandriello2019_theorem1", "--threads", "1"});
  EXPECT_EQ(code, 1);
  EXPECT_GE(kept(folder), 1u);
  const std::string error = folder.read("err");
  EXPECT_EQ(error.find("error: interrupted; "), 0u) << error;
  EXPECT_NE(error.find("reproduced/runs"), std::string::npos) << error;
  EXPECT_FALSE(folder.has("reproduced/calandriello2019_theorem1/report.html"));
}

}  // namespace
}  // namespace ridgerunner::test::reproduce_test
