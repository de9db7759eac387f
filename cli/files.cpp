#include "files.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ridgerunner/error.h>

namespace ridgerunner::cli {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path) {
  throw FileError(fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd);
  }

 private:
  int fd_;
};

void write_all(const Descriptor& file, const std::string& content, const std::string& path) {
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t count = ::write(file.get(), content.data() + done, content.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("write", path);
    done += static_cast<std::size_t>(count);
  }
  if (::fsync(file.get()) != 0) fail("write", path);
}

}  // namespace

std::string read_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("read", path);
  if (std::filesystem::is_directory(path))
    throw FileError(fmt::format("cannot read {}: it is a folder", path));
  std::string content{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) fail("read", path);
  return content;
}

std::string read_source(const std::string& path) {
  if (path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  return read_file(path);
}

void write_file(const std::string& given, const std::string& content) {
  // Through links to the file itself, and never in the place of a device or a pipe.
  std::error_code unknown;
  const std::string path = std::filesystem::weakly_canonical(given, unknown);
  if (std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown)) {
    throw FileError(fmt::format("cannot write {}: it is not a regular file", given));
  }
  const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  try {
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0) fail("write", path);
    write_all(file, content, path);
    if (file.close() != 0) fail("write", path);
    if (::rename(temporary.c_str(), path.c_str()) != 0) fail("write", path);
  } catch (...) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    errno = reason;
    throw;
  }
  // The name is durable once the folder is.
  const std::string folder = std::filesystem::absolute(path).parent_path();
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0 && ::fsync(directory.get()) != 0) fail("write", path);
}

void create_folder(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) throw FileError(fmt::format("cannot create {}: {}", path, failed.message()));
}

namespace {

double parse_cell(std::string_view cell, const std::string& place) {
  const auto begin = cell.find_first_not_of(" \t"), end = cell.find_last_not_of(" \t");
  double value = std::nan("");
  if (begin != std::string_view::npos) {
    const char *first = cell.data() + begin, *last = cell.data() + end + 1;
    if (std::from_chars(first, last, value).ptr != last) value = std::nan("");
  }
  if (!std::isfinite(value)) throw InvalidArgument(fmt::format("{}: \"{}\" is not a number", place, cell));
  return value;
}

}  // namespace

Matrix read_csv(const std::string& path) {
  std::istringstream text(read_file(path));
  std::vector<std::vector<double>> rows;
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    const std::string place = fmt::format("{}:{}", path, number);
    std::vector<double> row;
    for (std::string_view rest = line;; rest.remove_prefix(rest.find(',') + 1)) {
      row.push_back(parse_cell(rest.substr(0, rest.find(',')), place));
      if (rest.find(',') == std::string_view::npos) break;
    }
    if (!rows.empty() && row.size() != rows[0].size()) {
      throw InvalidArgument(
          fmt::format("{}: {} numbers, but the first row has {}", place, row.size(), rows[0].size()));
    }
    rows.push_back(std::move(row));
  }
  if (rows.empty()) throw InvalidArgument(fmt::format("{} holds no numbers", path));
  Matrix matrix(std::ssize(rows), std::ssize(rows[0]));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    matrix.row(static_cast<Index>(i)) = Eigen::Map<Eigen::RowVectorXd>(rows[i].data(), matrix.cols());
  }
  return matrix;
}

}  // namespace ridgerunner::cli
