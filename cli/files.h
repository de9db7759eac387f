#pragma once

#include <stdexcept>
#include <string>

#include <ridgerunner/linalg/types.h>

namespace ridgerunner::cli {

// The file system said no.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::string read_file(const std::string& path);
std::string read_source(const std::string& path);  // a file, or standard input if it is "-"

// The new content is on the disk under its name, or the old one still is.
void write_file(const std::string& path, const std::string& content);

void create_folder(const std::string& path);  // with those it is in; it may be there already

// Numbers separated by commas, one row a line; blank lines and lines that start with # are skipped.
// Throws InvalidArgument with the line of what is not a number.
Matrix read_csv(const std::string& path);

}  // namespace ridgerunner::cli
