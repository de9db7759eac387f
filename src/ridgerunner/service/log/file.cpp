#include "ridgerunner/service/log/file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/service/log/event_log.h"

namespace ridgerunner::service {
namespace {

[[noreturn]] void fail(const char* what, const std::string& file) {
  throw LogError(fmt::format("cannot {} {}: {}", what, file, std::strerror(errno)));
}

// Closes on every way out.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

void write_all(int descriptor, std::string_view bytes, const std::string& file) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", file);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string mark_bytes(std::uint64_t value) {
  ByteWriter out;
  out.integer(value);
  std::string bytes = out.take();
  const std::uint32_t crc = crc32c(bytes);
  bytes.append(reinterpret_cast<const char*>(&crc), sizeof crc);
  return bytes;
}

}  // namespace

std::string read_whole(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) fail("read", file);
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) fail("read", file);
  return std::move(text).str();
}

void write_whole(const std::string& file, std::string_view bytes) {
  const std::string temporary = file + ".part";
  {
    const Descriptor opened{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640)};
    if (opened.number < 0) fail("create", temporary);
    write_all(opened.number, bytes, temporary);
  }
  if (::rename(temporary.c_str(), file.c_str()) != 0) fail("rename to", file);
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw LogError(fmt::format("cannot make the folder {}: {}", folder, error.message()));
}

void sync_file(const std::string& folder, const std::string& name) {
  for (const std::string& path : {folder + "/" + name, folder}) {
    const Descriptor opened{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (opened.number < 0) fail("open", path);
    if (::fsync(opened.number) != 0) fail("sync", path);
  }
}

FileLock::FileLock(const std::string& file) {
  file_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  if (file_ < 0) fail("open", file);
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  const int error = errno;
  ::close(file_);
  errno = error;
  if (error == EWOULDBLOCK)
    throw LogError(fmt::format("{} is locked: another server uses this folder", file));
  fail("lock", file);
}

FileLock::~FileLock() {
  ::close(file_);
}

MarkFile::MarkFile(const std::string& file) : name_(file) {
  file_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  if (file_ < 0) fail("open", file);
}

MarkFile::~MarkFile() {
  ::close(file_);
}

void MarkFile::write(std::uint64_t value) {
  const std::string bytes = mark_bytes(value);
  if (::pwrite(file_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    fail("write", name_);
}

std::optional<std::uint64_t> MarkFile::read(const std::string& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  const std::string bytes = read_whole(file);
  if (bytes.size() < sizeof(std::uint64_t)) return std::nullopt;
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return bytes == mark_bytes(value) ? std::optional(value) : std::nullopt;
}

}  // namespace ridgerunner::service
