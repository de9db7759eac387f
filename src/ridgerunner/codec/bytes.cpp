#include "ridgerunner/codec/bytes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <istream>
#include <limits>

#ifdef __SSE4_2__
#include <nmmintrin.h>
#endif

#include <fmt/format.h>

#include "ridgerunner/error.h"

namespace ridgerunner {

void ByteWriter::text(std::string_view value) {
  integer(value.size());
  raw(value.data(), value.size());
}

void ByteWriter::vector(const VectorIn& value) {
  integer(static_cast<std::uint64_t>(value.size()));
  raw(value.data(), sizeof(double) * static_cast<std::size_t>(value.size()));
}

void ByteWriter::matrix(const MatrixIn& value) {
  integer(static_cast<std::uint64_t>(value.rows()));
  integer(static_cast<std::uint64_t>(value.cols()));
  for (Index j = 0; j < value.cols(); ++j) {
    raw(value.col(j).data(), sizeof(double) * static_cast<std::size_t>(value.rows()));
  }
}

const char* ByteReader::take(std::uint64_t size) {
  if (size > bytes_.size()) throw InvalidArgument("the archive ends too early");
  const char* data = bytes_.data();
  bytes_.remove_prefix(size);
  return data;
}

std::uint64_t ByteReader::integer() {
  std::uint64_t value;
  std::memcpy(&value, take(sizeof value), sizeof value);
  return value;
}

double ByteReader::number() {
  double value;
  std::memcpy(&value, take(sizeof value), sizeof value);
  return value;
}

Index ByteReader::count() {
  const std::uint64_t value = integer();
  if (value > (std::uint64_t{1} << 40))
    throw InvalidArgument(fmt::format("the archive claims a size of {}", value));
  return static_cast<Index>(value);
}

std::string ByteReader::text() {
  const auto size = static_cast<std::size_t>(count());
  return std::string(take(size), size);
}

Vector ByteReader::vector() {
  const Index size = count();
  const char* data = take(static_cast<std::uint64_t>(size) * sizeof(double));
  Vector value(size);
  if (size > 0) std::memcpy(value.data(), data, static_cast<std::size_t>(size) * sizeof(double));
  return value;
}

Matrix ByteReader::matrix() {
  const Index rows = count(), cols = count();
  if (rows == 0 && cols > 0)
    throw InvalidArgument(fmt::format("the archive has {} columns without rows", cols));
  const std::uint64_t most = bytes_.size() / sizeof(double);
  if (rows > 0 && static_cast<std::uint64_t>(cols) > most / static_cast<std::uint64_t>(rows)) {
    throw InvalidArgument("the archive ends too early");
  }
  const auto size = static_cast<std::size_t>(rows * cols) * sizeof(double);
  const char* data = take(size);
  Matrix value(rows, cols);
  if (size > 0) std::memcpy(value.data(), data, size);
  return value;
}

void ByteReader::finish() const {
  if (!bytes_.empty())
    throw InvalidArgument(fmt::format("the archive is too long by {} bytes", bytes_.size()));
}

namespace {

#ifndef __SSE4_2__
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables crc_tables() {
  Tables tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0x82F63B78u : 0u);
    tables[0][i] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t i = 0; i < 256; ++i) {
      tables[k][i] = (tables[k - 1][i] >> 8) ^ tables[0][tables[k - 1][i] & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = crc_tables();
#endif
constexpr std::string_view kMagic = "RIDGERUN";

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
#ifdef __SSE4_2__
  // The processor's own instruction.
  std::uint64_t state = ~0u;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    state = _mm_crc32_u64(state, word);
  }
  auto crc = static_cast<std::uint32_t>(state);
  for (const char c : bytes) crc = _mm_crc32_u8(crc, static_cast<unsigned char>(c));
  return ~crc;
#else
  std::uint32_t crc = ~0u;
  while (bytes.size() >= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    word ^= crc;
    crc = 0;
    for (std::size_t i = 0; i < 8; ++i) crc ^= kTables[7 - i][(word >> (8 * i)) & 0xFF];
    bytes.remove_prefix(8);
  }
  for (const char c : bytes) crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(c)) & 0xFF];
  return ~crc;
#endif
}

std::string seal_archive(std::string_view kind, std::uint32_t version, std::string_view payload) {
  ByteWriter head;
  head.text(kind);
  head.integer(version);
  head.integer(payload.size());
  std::string bytes(kMagic);
  bytes += head.take();
  bytes += payload;
  const std::uint32_t crc = crc32c(bytes);
  bytes.append(reinterpret_cast<const char*>(&crc), sizeof crc);
  return bytes;
}

namespace {

// Appends so many bytes of the stream, by and by: a size is not believed before its bytes are there.
void read_more(std::istream& in, std::string& bytes, std::uint64_t size) {
  constexpr std::uint64_t kPiece = 1 << 20;
  while (size > 0) {
    const auto piece = static_cast<std::size_t>(std::min(size, kPiece));
    const std::size_t before = bytes.size();
    bytes.resize(before + piece);
    in.read(bytes.data() + before, static_cast<std::streamsize>(piece));
    if (static_cast<std::size_t>(in.gcount()) != piece) throw InvalidArgument("the archive ends too early");
    size -= piece;
  }
}

}  // namespace

std::string read_archive(std::istream& in) {
  constexpr std::uint64_t kMostName = 64;
  std::string bytes;
  read_more(in, bytes, kMagic.size() + 8);
  if (!bytes.starts_with(kMagic))
    throw InvalidArgument("not a ridgerunner file: it does not start with RIDGERUN");
  const std::uint64_t name = ByteReader(std::string_view(bytes).substr(kMagic.size())).integer();
  if (name > kMostName) throw InvalidArgument("the archive has no kind");
  read_more(in, bytes, name + 16);
  const std::uint64_t size = ByteReader(std::string_view(bytes).substr(bytes.size() - 8)).integer();
  read_more(in, bytes, size);
  read_more(in, bytes, 4);
  return bytes;
}

std::string_view open_archive(std::string_view kind, std::uint32_t version, std::string_view bytes) {
  return open_archive(kind, version, version, bytes).payload;
}

OpenedArchive open_archive(std::string_view kind, std::uint32_t oldest, std::uint32_t newest,
                           std::string_view bytes) {
  if (!bytes.starts_with(kMagic))
    throw InvalidArgument("not a ridgerunner file: it does not start with RIDGERUN");
  const std::size_t head = kMagic.size() + 8 + kind.size() + 16;
  if (bytes.size() < head + 4) throw InvalidArgument("the file is truncated in its head");
  ByteReader reader(bytes.substr(kMagic.size()));
  const std::string found = reader.text();
  if (found != kind)
    throw InvalidArgument(fmt::format("the file is of kind \"{}\", not \"{}\"", found, kind));
  const std::uint64_t found_version = reader.integer();
  if (found_version < oldest || found_version > newest) {
    const std::string known =
        oldest == newest ? fmt::format("{}", newest) : fmt::format("{} to {}", oldest, newest);
    throw InvalidArgument(
        fmt::format("the file has format version {}, this program reads {}", found_version, known));
  }
  const std::uint64_t size = reader.integer(), available = bytes.size() - head - 4;
  if (size > available) {
    throw InvalidArgument(
        fmt::format("the file is truncated: {} bytes of {} are missing", size - available, size));
  }
  if (size < available)
    throw InvalidArgument(fmt::format("the file is too long by {} bytes", available - size));
  std::uint32_t crc;
  std::memcpy(&crc, bytes.data() + bytes.size() - 4, sizeof crc);
  if (crc != crc32c(bytes.substr(0, bytes.size() - 4))) {
    throw InvalidArgument("the file is damaged: its checksum is wrong");
  }
  return {static_cast<std::uint32_t>(found_version), bytes.substr(head, size)};
}

std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace ridgerunner
