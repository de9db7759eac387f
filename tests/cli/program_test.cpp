#include "cli/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/policy/spec_toml.h"
#include "ridgerunner/version.h"

namespace ridgerunner::test::program_test {
namespace {

using Arguments = std::vector<std::string>;

Arguments small_compare(const Arguments& more = {}) {
  Arguments all = {"compare", "--horizon", "25", "--runs", "2", "--set", "environment.candidates=8"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(Program, HelpIsThereEverywhere) {
  const Folder folder;
  for (const Arguments& arguments :
       {Arguments{"--help"}, Arguments{"compare", "--help"}, Arguments{"stream", "--help"},
        Arguments{"spec", "--help"}, Arguments{"reproduce", "--help"}, Arguments{"-h"}}) {
    const Outcome outcome = run_program(folder, arguments);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find("Usage"), std::string::npos);
  }
  for (const char* verb : {"compare", "reproduce", "stream", "spec"}) {
    EXPECT_NE(run_program(folder, {"--help"}).out.find(verb), std::string::npos);
  }
}

TEST(Program, SaysItsVersion) {
  const Folder folder;
  const Outcome outcome = run_program(folder, {"--version"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, std::string("ridgerunner ") + kVersion + "\n");
}

TEST(Program, NumbersThatDoNotFitAreRefused) {
  const Folder folder;
  for (const Arguments& arguments :
       {Arguments{"stream", "--spec", "k-ucb", "--seed", "-1"},
        Arguments{"stream", "--spec", "k-ucb", "--seed", "99999999999999999999"},
        Arguments{"compare", "--runs", "1", "--horizon", "1", "--seed", "-1"},
        Arguments{"compare", "--runs", "1", "--horizon", "99999999999999999999"},
        Arguments{"compare", "--horizon", "1", "--runs", "1", "--threads", "99999999999"}}) {
    const Outcome outcome = run_program(folder, arguments, "", 2);
    EXPECT_EQ(outcome.code, 2) << arguments.back() << " as " << arguments[arguments.size() - 2];
    EXPECT_EQ(outcome.err.find("error: "), 0u) << outcome.err;
  }
}

TEST(SpecVerb, APresetsOutputIsAValidSpecThatMeansTheSame) {
  const Folder folder;
  for (const Preset& known : presets()) {
    for (const bool json : {false, true}) {
      Arguments arguments = {"spec", std::string(known.name)}, again = {"spec", "-"};
      if (json) arguments.emplace_back("--json"), again.emplace_back("--json");
      const Outcome printed = run_program(folder, arguments);
      ASSERT_EQ(printed.code, 0) << printed.err;
      const Json read = json ? parse_json(printed.out) : toml_to_json(printed.out);
      EXPECT_EQ(spec_from_json(read), preset(known.name));
      const Outcome piped = run_program(folder, again, printed.out);
      EXPECT_EQ(piped.code, 0) << piped.err;
      EXPECT_EQ(piped.out, printed.out);
    }
  }
}

TEST(SpecVerb, TheLargestSeedIsPrintedSoThatItReadsBack) {
  const Folder folder;
  const Outcome printed = run_program(folder, {"spec", "k-ucb", "--set", "seed=9223372036854775807"});
  ASSERT_EQ(printed.code, 0) << printed.err;
  const Outcome piped = run_program(folder, {"spec", "-"}, printed.out);
  EXPECT_EQ(piped.code, 0) << piped.err;
}

TEST(SpecVerb, ListsAllPresetsAndParameters) {
  const Folder folder;
  const Outcome outcome = run_program(folder, {"spec", "--list"});
  EXPECT_EQ(outcome.code, 0);
  for (const Preset& known : presets())
    EXPECT_NE(outcome.out.find(known.name), std::string::npos) << known.name;
  for (const Parameter& parameter : parameters()) {
    EXPECT_NE(outcome.out.find(parameter.path), std::string::npos) << parameter.path;
  }
  EXPECT_EQ(outcome.out.find('\033'), std::string::npos) << "colour on no terminal";
}

TEST(SpecVerb, SettingsMayStandBeforeThePreset) {
  const Folder folder;
  const Outcome outcome = run_program(folder, {"spec", "--set", "seed=11", "gp-ucb", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(parse_json(outcome.out)["policy"], "gp-ucb");
}

TEST(SpecVerb, SettingsAreJsonOrElseText) {
  const Folder folder;
  const Outcome outcome =
      run_program(folder, {"spec", "gp-ucb", "--json", "--set", "kernel.lengthscale=[0.1,0.2]", "--set",
                           "rule.type=greedy", "--set", "rule.first=\"lowest\"", "--set",
                           "bound.noise_bound=0.5", "--set", "seed=1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Spec spec = spec_from_json(parse_json(outcome.out));
  EXPECT_EQ(spec.kernel.lengthscale, (std::vector<double>{0.1, 0.2}));
  EXPECT_TRUE(spec.rule.type.is<rules::Greedy>());
  EXPECT_EQ(spec.rule.first, First::lowest);
  EXPECT_EQ(spec.regression.ridge, 0.25);
  EXPECT_EQ(spec.seed, 1u);
}

TEST(SpecVerb, TheLastOfTwoSettingsWins) {
  const Folder folder;
  const Outcome outcome =
      run_program(folder, {"spec", "k-ucb", "--json", "--set", "seed=1", "--set", "seed=2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(parse_json(outcome.out)["seed"], 2);
}

TEST(SpecVerb, FilesAreReadFromBesideTheSpec) {
  const Folder folder;
  folder.write("a/mine.toml", "policy = \"gp-ucb\"\n[arms]\nfile = \"../b/arms.csv\"\n");
  folder.write("b/arms.csv", "0.5, 1\r\n-2,\t3e2\r\n");
  const Outcome outcome = run_program(folder, {"spec", "a/mine.toml", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(parse_json(outcome.out)["arms"]["points"], parse_json("[[0.5,1.0],[-2.0,300.0]]"));
  folder.write("gram.json", R"({"kernel":{"type":"precomputed","file":"gram.csv"}})");
  folder.write("gram.csv", "1,0.5\n0.5,2\n");
  const Outcome gram = run_program(folder, {"spec", folder / "gram.json", "--json"});
  ASSERT_EQ(gram.code, 0) << gram.err;
  EXPECT_EQ(parse_json(gram.out)["kernel"]["gram"], parse_json("[[1.0,0.5],[0.5,2.0]]"));
}

TEST(SpecVerb, AFileCanBeSetOnTheCommandLine) {
  const Folder folder;
  folder.write("arms.csv", "0.5\n1\n");
  const Outcome outcome = run_program(folder, {"spec", "k-ucb", "--json", "--set", "arms.file=arms.csv"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(parse_json(outcome.out)["arms"]["points"], parse_json("[[0.5],[1.0]]"));
}

TEST(Compare, WritesResultsReportAndFigure) {
  const Folder folder;
  const Outcome outcome =
      run_program(folder, small_compare({"--policies", "gp-ucb,uniform", "--out", "made/here"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* word : {"gp-ucb", "uniform", "regret", "made/here/results.json", "made/here/report.html",
                           "made/here/regret.svg", "25 rounds", "2 runs"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  }
  EXPECT_EQ(outcome.out.find('\033'), std::string::npos) << "colour on no terminal";
  const Json results = parse_json(folder.read("made/here/results.json"));
  EXPECT_EQ(results["format"], "ridgerunner-results");
  EXPECT_EQ(results["horizon"], 25);
  EXPECT_EQ(results["environment"]["candidates"], 8);
  EXPECT_EQ(results["policies"].size(), 2u);
  EXPECT_EQ(results["provenance"]["version"], kVersion);
  EXPECT_EQ(folder.read("made/here/report.html").find("<!"), 0u);
  EXPECT_NE(folder.read("made/here/regret.svg").find("<svg"), std::string::npos);
}

Json without_times(const Folder& folder, const std::string& file) {
  Json json = parse_json(folder.read(file));
  json["provenance"].erase("time");
  for (Json& policy : json["policies"]) {
    for (Json& run : policy["runs"]) run.erase("seconds");
  }
  return json;
}

TEST(Compare, ResultsDoNotDependOnTheNumberOfThreads) {
  const Folder folder;
  for (const char* threads : {"1", "2", "5"}) {
    const Outcome outcome =
        run_program(folder, small_compare({"--threads", threads, "--out", threads, "--quiet"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  const Json one = without_times(folder, "1/results.json");
  EXPECT_EQ(one, without_times(folder, "2/results.json"));
  EXPECT_EQ(one, without_times(folder, "5/results.json"));
  run_program(folder, small_compare({"--seed", "8", "--out", "other", "--quiet"}));
  EXPECT_NE(one["policies"], without_times(folder, "other/results.json")["policies"]);
}

TEST(Compare, QuietPrintsNothing) {
  const Folder folder;
  const Outcome outcome = run_program(folder, small_compare({"--quiet", "--policies", "greedy"}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(folder.has("comparison/results.json"));
}

TEST(Compare, JsonIsASummaryThatParses) {
  const Folder folder;
  const Outcome outcome = run_program(folder, small_compare({"--json", "--policies", "greedy,uniform"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json rows = parse_json(outcome.out);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["policy"], "greedy");
  const Json results = parse_json(folder.read("comparison/results.json"));
  double mean = 0;
  for (const Json& run : results["policies"][1]["runs"]) mean += run["regret"].back().get<double>() / 2;
  EXPECT_DOUBLE_EQ(rows[1]["regret_mean"].get<double>(), mean);
  EXPECT_GT(rows[1]["regret_sd"].get<double>(), 0);
}

TEST(Compare, TakesSpecFilesBesidePresets) {
  const Folder folder;
  folder.write("specs/mine.toml", "policy = \"k-ucb\"\n[bound]\nradius = 2\n");
  const Outcome outcome =
      run_program(folder, small_compare({"--policies", "specs/mine.toml,k-ucb", "--quiet"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json results = parse_json(folder.read("comparison/results.json"));
  EXPECT_EQ(results["policies"][0]["label"], "mine");
  EXPECT_EQ(results["policies"][0]["spec"]["bound"]["radius"], 2.0);
  EXPECT_EQ(results["policies"][1]["spec"]["bound"]["radius"], 0.1);
}

TEST(Compare, SettingsReachTheProblemAndEveryPolicy) {
  const Folder folder;
  const Outcome outcome = run_program(
      folder,
      small_compare({"--policies", "k-ucb,gp-ucb", "--quiet", "--set", "regression.ridge=0.5", "--set",
                     "environment.noise_sd=0.25", "--set", "environment.kernel.lengthscale=0.75"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json results = parse_json(folder.read("comparison/results.json"));
  EXPECT_EQ(results["environment"]["noise_sd"], 0.25);
  for (const Json& policy : results["policies"]) {
    EXPECT_EQ(policy["spec"]["regression"]["ridge"], 0.5);
    EXPECT_EQ(policy["spec"]["bound"]["noise_bound"], 0.25);
    EXPECT_EQ(policy["spec"]["kernel"]["type"], "matern52");
    EXPECT_EQ(policy["spec"]["kernel"]["lengthscale"], 0.75);
  }
}

TEST(Compare, EveryEnvironmentHasAName) {
  const Folder folder;
  for (const char* name :
       {"bump", "chessboard", "step_diagonal", "rkhs_sample", "taylor_function", "gp_draw"}) {
    const Outcome outcome = run_program(folder, {"compare", "--environment", name, "--horizon", "5", "--runs",
                                                 "1", "--policies", "greedy", "--quiet"});
    EXPECT_EQ(outcome.code, 0) << name << ": " << outcome.err;
  }
}

TEST(Compare, AFailureWritesNothing) {
  const Folder folder;
  const Outcome outcome =
      run_program(folder, small_compare({"--policies", "k-ucb", "--set", "kernel.type=linear", "--set",
                                         "regression.ridge=1e-300", "--out", "failed"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(lines(outcome.err).size(), 1u);
  EXPECT_EQ(outcome.err.find("error: "), 0u);
  EXPECT_FALSE(folder.has("failed/results.json"));
}

}  // namespace
}  // namespace ridgerunner::test::program_test
