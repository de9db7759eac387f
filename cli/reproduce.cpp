#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ridgerunner/error.h>
#include <ridgerunner/reproduction/reproduction.h>

#include "arguments.h"
#include "files.h"
#include "interrupt.h"
#include "provenance.h"
#include "terminal.h"
#include "verbs.h"

namespace ridgerunner::cli {
namespace {

struct ReproduceOptions {
  std::vector<std::string> keys;
  bool list = false, all = false, quick = false, fresh = false, quiet = false;
  int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::string json, out = "reproduced";
};

// Files of one folder.
class FolderStore final : public Store {
 public:
  explicit FolderStore(std::string folder, bool fresh) : folder_(std::move(folder)), fresh_(fresh) {
    create_folder(folder_);
  }
  std::optional<std::string> read(const std::string& name) override {
    std::error_code unknown;
    const std::string path = folder_ + "/" + name;
    if (fresh_ || !std::filesystem::is_regular_file(path, unknown)) return std::nullopt;
    return read_file(path);
  }
  void write(const std::string& name, const std::string& bytes) override {
    write_file(folder_ + "/" + name, bytes);
  }

 private:
  std::string folder_;
  bool fresh_;
};

struct Chosen {
  const Definition* definition = nullptr;
  std::unique_ptr<Reproduction> reproduction;
  Outcome outcome;
  std::vector<Verdict> verdicts;
};

double minutes(const std::vector<Job>& jobs) {
  constexpr double kCores = 2;
  double seconds = 0;
  for (const Job& job : distinct(jobs)) seconds += job.seconds;
  return seconds / 60 / kCores;
}

void print_list() {
  Table table;
  table.columns = {{"key", Align::left},
                   {"what", Align::left},
                   {"shows", Align::left},
                   {"minutes on two cores", Align::right}};
  std::vector<Job> all;
  for (const Definition& definition : definitions()) {
    std::vector<Job> jobs = make_reproduction(definition, Size::full)->jobs();
    table.rows.push_back({{definition.key, fmt::format("{}, {}", definition.paper, definition.title),
                           definition.shows, number(minutes(jobs), 2)}});
    std::move(jobs.begin(), jobs.end(), std::back_inserter(all));
  }
  fmt::print("{}together {} minutes: figures share runs\n", to_text(table), number(minutes(all), 2));
}

std::vector<Chosen> chosen(const ReproduceOptions& options) {
  if (options.all && !options.keys.empty())
    throw InvalidArgument(fmt::format("--all leaves no choice, got \"{}\" too", options.keys[0]));
  std::vector<const Definition*> wanted;
  std::set<std::string> seen;
  for (const std::string& key : options.keys) {
    const Definition& definition = find_definition(key);
    if (seen.insert(key).second) wanted.push_back(&definition);
  }
  if (options.all) {
    for (const Definition& definition : definitions()) wanted.push_back(&definition);
  }
  if (wanted.empty()) throw InvalidArgument("name what to reproduce, or --all; --list shows what there is");
  std::vector<Chosen> result;
  for (const Definition* definition : wanted) {
    const Size size = options.quick ? Size::quick : Size::full;
    result.push_back({definition, make_reproduction(*definition, size), {}, {}});
  }
  return result;
}

std::vector<Job> jobs_of(const std::vector<Chosen>& all) {
  std::vector<Job> jobs;
  for (const Chosen& one : all) {
    for (Job& job : one.reproduction->jobs()) jobs.push_back(std::move(job));
  }
  return distinct(std::move(jobs));
}

Finished finish(const ReproduceOptions& options, const std::vector<Job>& jobs, const Provenance& from) {
  const std::string folder = options.out + "/runs";
  FolderStore store(folder, options.fresh);
  Progress last;
  std::optional<Finished> finished;
  {
    const InterruptGuard guard;
    ProgressBar bar(!options.quiet);
    WorkOptions work;
    work.threads = options.threads;
    work.build = fmt::format("{}, {}, {}", from.version, from.machine, from.compiler);
    work.on_progress = [&](const Progress& progress) {
      bar.show(progress);
      last = progress;
      return !interrupted();
    };
    finished = perform(jobs, store, work);
  }
  if (!finished) {
    throw Failure(
        fmt::format("interrupted; {} of {} runs are kept in {}, the same command goes on from there",
                    last.runs_done, last.runs_total, folder));
  }
  return std::move(*finished);
}

void write_pages(const ReproduceOptions& options, const std::vector<Chosen>& all, const Provenance& from) {
  for (const Chosen& one : all) {
    const std::string folder = options.out + "/" + one.definition->key;
    create_folder(folder);
    const Size size = options.quick ? Size::quick : Size::full;
    write_file(folder + "/report.html",
               to_html(reproduction_page(*one.definition, size, one.outcome, one.verdicts, from)));
  }
}

void write_rows(const ReproduceOptions& options, const std::vector<Chosen>& all) {
  if (options.json.empty()) return;
  Json rows = Json::array();
  for (const Chosen& one : all) {
    for (const Verdict& verdict : one.verdicts) rows.push_back(verdict_to_json(one.definition->key, verdict));
  }
  const std::string text = rows.dump(2) + "\n";
  if (options.json == "-") {
    fmt::print("{}", text);
  } else {
    write_file(options.json, text);
  }
}

void print_tables(const ReproduceOptions& options, const std::vector<Chosen>& all) {
  if (options.quiet || options.json == "-") return;
  for (const Chosen& one : all) {
    fmt::print("{}: {}\n{}report   {}/{}/report.html\n\n", one.definition->key, one.definition->shows,
               to_text(verdict_table(one.verdicts, !options.quick), stdout_is_terminal()), options.out,
               one.definition->key);
  }
  if (options.quick) fmt::print("quick: fewer rounds and runs, nothing was checked\n");
}

void reproduce(const ReproduceOptions& options) {
  if (options.list) return print_list();
  std::vector<Chosen> all = chosen(options);
  const Provenance from = provenance();
  create_folder(options.out);
  const Finished finished = finish(options, jobs_of(all), from);
  std::size_t failed = 0, total = 0;
  for (Chosen& one : all) {
    one.outcome = one.reproduction->conclude(finished);
    one.verdicts = judge(one.definition->checks, one.outcome.values);
    total += one.verdicts.size();
    failed += static_cast<std::size_t>(std::count_if(one.verdicts.begin(), one.verdicts.end(),
                                                     [](const Verdict& verdict) { return !verdict.ok; }));
  }
  write_pages(options, all, from);
  write_rows(options, all);
  print_tables(options, all);
  if (failed > 0 && !options.quick) throw Failure(fmt::format("{} of {} checks failed", failed, total));
}

}  // namespace

void add_reproduce(CLI::App& app) {
  auto options = std::make_shared<ReproduceOptions>();
  CLI::App* verb = app.add_subcommand(
      "reproduce", "A figure, table or theorem of a paper again: ours beside the paper's, a report page");
  verb->add_option("key", options->keys, "What to reproduce, e.g. zenati2022_figure7");
  verb->add_flag("--list", options->list, "Show what there is");
  verb->add_flag("--all", options->all, "Reproduce everything; finished runs are kept, so it can be stopped");
  verb->add_flag("--quick", options->quick, "Fewer rounds and runs: a look at the shape in a few minutes");
  verb->add_flag("--fresh", options->fresh, "Do not use runs that are kept");
  verb->add_option("--threads", options->threads, "Runs at the same time")
      ->check(whole_number(1, 1024))
      ->take_last()
      ->capture_default_str();
  verb->add_option("--out", options->out, "Folder for KEY/report.html, and runs/ that are kept")
      ->take_last()
      ->capture_default_str();
  verb->add_option("--json", options->json,
                   "Write every value beside the paper's to this file, - for standard output")
      ->take_last();
  verb->add_flag("--quiet", options->quiet, "Print nothing but errors");
  verb->callback([options] { reproduce(*options); });
}

}  // namespace ridgerunner::cli
