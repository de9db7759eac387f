#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ridgerunner::service {

// Files that must be there or not, whole. What fails throws LogError with the name and the system's reason.

std::string read_whole(const std::string& file);

// Through a temporary file that is renamed: the old contents or the new ones while the system lives. Not
// synced: a sync would hold up those of the log, and after a power cut what is torn is noticed by its
// checksum.
void write_whole(const std::string& file, std::string_view bytes);

void make_folder(const std::string& folder);

// On disk when it returns, with its name in its folder.
void sync_file(const std::string& folder, const std::string& name);

// Held by at most one process, until it ends however it ends.
class FileLock {
 public:
  explicit FileLock(const std::string& file);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_ = -1;
};

// One number in a file, written in place without a sync: it survives the process, and after a power cut it
// may be an older one.
class MarkFile {
 public:
  explicit MarkFile(const std::string& file);
  ~MarkFile();
  MarkFile(const MarkFile&) = delete;
  MarkFile& operator=(const MarkFile&) = delete;
  void write(std::uint64_t value);
  static std::optional<std::uint64_t> read(const std::string& file);  // none: absent, or torn by a power cut

 private:
  std::string name_;
  int file_ = -1;
};

}  // namespace ridgerunner::service
