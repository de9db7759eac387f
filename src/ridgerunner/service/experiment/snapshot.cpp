#include "ridgerunner/service/experiment/snapshot.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "ridgerunner/error.h"
#include "ridgerunner/service/experiment/snapshot_bytes.h"
#include "ridgerunner/service/log/event_log.h"
#include "ridgerunner/service/log/file.h"
#include "ridgerunner/version.h"

namespace ridgerunner::service {
namespace {

constexpr std::string_view kKind = "experiment", kManifestKind = "manifest";
constexpr std::uint32_t kVersion = 2, kManifestVersion = 1;
constexpr std::size_t kManifestsKept = 2;
constexpr std::string_view kManifest = "manifest-", kSuffix = ".rr";

struct Manifest {
  std::uint64_t through = 0;
  std::map<std::uint64_t, std::string> files;
};

std::string write_manifest(const Manifest& manifest) {
  ByteWriter out;
  out.integer(manifest.through);
  out.integer(manifest.files.size());
  for (const auto& [experiment, file] : manifest.files) {
    out.integer(experiment);
    out.text(file);
  }
  return seal_archive(kManifestKind, kManifestVersion, out.take());
}

Manifest read_manifest(std::string_view bytes) {
  ByteReader in(open_archive(kManifestKind, kManifestVersion, bytes));
  Manifest manifest;
  manifest.through = in.integer();
  for (Index i = in.count(); i > 0; --i) {
    const std::uint64_t experiment = in.integer();
    manifest.files[experiment] = in.text();
  }
  in.finish();
  return manifest;
}

// Newest first.
std::vector<std::string> manifests_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(kManifest) && name.ends_with(kSuffix)) names.push_back(name);
  }
  std::sort(names.rbegin(), names.rend());  // numbers of equal length
  return names;
}

}  // namespace

std::string write_snapshot(std::uint64_t number, std::int64_t created_at, const Created& created,
                           const Learner& learner, const Ledger& ledger) {
  ByteWriter out;
  out.text(ridgerunner::kVersion);
  out.text(encode({number, number, created_at, created}));
  ledger.write(out);
  learner.write(out);
  return seal_archive(kKind, kVersion, out.take());
}

Saved read_snapshot(std::string_view bytes) {
  ByteReader in(open_archive(kKind, kVersion, bytes));
  // Another version may fold otherwise, and a model must be what folding the whole log gives.
  if (const std::string version = in.text(); version != ridgerunner::kVersion)
    throw InvalidArgument(
        fmt::format("it is of version {}, this program is {}", version, ridgerunner::kVersion));
  const Event event = decode(in.text());
  const auto* created = std::get_if<Created>(&event.body);
  if (!created) throw InvalidArgument("a snapshot must begin with the creation of its experiment");
  Ledger ledger = Ledger::read(in);
  Learner learner = Learner::read(in, *created);
  in.finish();
  if (ledger.last_event() != learner.version())
    throw InvalidArgument(fmt::format("a snapshot that has learnt event {}, but knows event {}",
                                      learner.version(), ledger.last_event()));
  return {event.seq, event.time, *created, std::move(learner), std::move(ledger)};
}

SnapshotStore::SnapshotStore(const std::string& folder) : folder_(folder + "/snapshots") {
  make_folder(folder_);
}

SnapshotStore::Restored SnapshotStore::load(const Notice& notice) {
  const auto tell = [&](const std::string& name, const char* why) {
    if (notice)
      notice(Severity::warning, fmt::format("snapshot {}/{} cannot be used: {}", folder_, name, why));
  };
  for (const std::string& name : manifests_in(folder_)) {
    try {
      const Manifest manifest = read_manifest(read_whole(folder_ + "/" + name));
      Restored restored{manifest.through, {}, {}};
      for (const auto& [experiment, file] : manifest.files) {
        if (file.empty()) {
          restored.lost.push_back(experiment);
          continue;
        }
        try {
          restored.experiments.push_back(read_snapshot(read_whole(folder_ + "/" + file)));
          if (restored.experiments.back().number != experiment)
            throw InvalidArgument("it is of another experiment");
        } catch (const std::exception& error) {
          tell(file, error.what());
          restored.lost.push_back(experiment);
        }
      }
      files_ = manifest.files;
      for (const std::uint64_t experiment : restored.lost) files_.erase(experiment);
      return restored;
    } catch (const std::exception& error) {
      tell(name, error.what());
    }
  }
  return {};
}

void SnapshotStore::save(std::uint64_t through, const std::vector<Part>& parts) {
  make_folder(folder_);  // it may have been deleted meanwhile, and with it what did not change
  Manifest manifest{through, {}};
  for (const Part& part : parts) {
    std::string& file = files_[part.experiment];
    if (!part.bytes) {
      manifest.files[part.experiment] = file = "";
      continue;
    }
    if (part.changed || file.empty() || !std::filesystem::exists(folder_ + "/" + file)) {
      file = fmt::format("{}-{:012}{}", part.experiment, through, kSuffix);
      write_whole(folder_ + "/" + file, part.bytes());
    }
    manifest.files[part.experiment] = file;
  }
  write_whole(fmt::format("{}/{}{:020}{}", folder_, kManifest, through, kSuffix), write_manifest(manifest));
  clean();
}

void SnapshotStore::clean() const {
  std::set<std::string> kept;
  std::size_t manifests = 0;
  for (const std::string& name : manifests_in(folder_)) {
    if (manifests == kManifestsKept) break;
    try {
      const Manifest manifest = read_manifest(read_whole(folder_ + "/" + name));
      for (const auto& [experiment, file] : manifest.files) kept.insert(file);
      kept.insert(name);
      ++manifests;
    } catch (const std::exception&) {
      continue;  // of no use to anybody
    }
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    if (!kept.contains(entry.path().filename())) std::filesystem::remove(entry.path());
  }
}

}  // namespace ridgerunner::service
