#pragma once

#include <bit>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "ridgerunner/linalg/types.h"

namespace ridgerunner {

static_assert(std::endian::native == std::endian::little,
              "archives hold little-endian numbers as they are in memory");

// Numbers, texts and matrices as bytes, in the order they are put.
class ByteWriter {
 public:
  void integer(std::uint64_t value) { raw(&value, sizeof value); }
  void number(double value) { raw(&value, sizeof value); }
  void text(std::string_view value);
  void vector(const VectorIn& value);
  void matrix(const MatrixIn& value);
  std::string take() { return std::move(bytes_); }

 private:
  void raw(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
  std::string bytes_;
};

// The same back. What does not fit throws InvalidArgument; no size is believed before the bytes for it are
// there.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t integer();
  double number();
  std::string text();
  Vector vector();
  Matrix matrix();
  Index count();  // an integer that can be a size
  bool at_end() const { return bytes_.empty(); }
  void finish() const;

 private:
  const char* take(std::uint64_t size);
  std::string_view bytes_;
};

// CRC-32C (Castagnoli); of "123456789" it is 0xE3069283.
std::uint32_t crc32c(std::string_view bytes);

// FNV-1a: for names of contents, which prove nothing.
std::uint64_t fnv1a(std::string_view bytes);

// A sealed archive: magic, kind, format version, length, payload, checksum. open_archive() refuses what is
// foreign, of a newer format, truncated, too long or altered, and says which.
std::string seal_archive(std::string_view kind, std::uint32_t version, std::string_view payload);
std::string_view open_archive(std::string_view kind, std::uint32_t version, std::string_view bytes);

// One sealed archive off a stream, and not a byte more; open_archive() looks into it. Throws InvalidArgument
// if the stream ends too early or begins with something else.
std::string read_archive(std::istream& in);

// The same for several versions, from `oldest` on.
struct OpenedArchive {
  std::uint32_t version;
  std::string_view payload;
};
OpenedArchive open_archive(std::string_view kind, std::uint32_t oldest, std::uint32_t newest,
                           std::string_view bytes);

}  // namespace ridgerunner
