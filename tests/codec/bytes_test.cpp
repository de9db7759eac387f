#include "ridgerunner/codec/bytes.h"

#include <sstream>

#include <gtest/gtest.h>

#include "ridgerunner/error.h"

namespace ridgerunner::bytes_test {
namespace {

std::string reason(std::string_view bytes) {
  try {
    open_archive("thing", 3, bytes);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Crc32c, HasTheCheckValueOfTheCastagnoliPolynomial) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);  // RFC 3720, B.4
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
}

TEST(Bytes, EverythingReadsBackAsItWasPut) {
  ByteWriter out;
  Matrix matrix(2, 3);
  matrix << 1, 2, 3, -0.0, 1e-310, 6;
  out.integer(~std::uint64_t{0});
  out.number(0.1);
  out.text(std::string("a\0b", 3));
  out.vector(Vector::LinSpaced(5, 0, 1));
  out.vector(Vector());
  out.matrix(matrix);
  out.matrix(Matrix(4, 0));
  const std::string bytes = out.take();
  ByteReader in(bytes);
  EXPECT_EQ(in.integer(), ~std::uint64_t{0});
  EXPECT_EQ(in.number(), 0.1);
  EXPECT_EQ(in.text(), std::string("a\0b", 3));
  EXPECT_EQ(in.vector(), Vector::LinSpaced(5, 0, 1));
  EXPECT_EQ(in.vector().size(), 0);
  EXPECT_EQ(in.matrix(), matrix);
  EXPECT_EQ(in.matrix().rows(), 4);
  EXPECT_NO_THROW(in.finish());
}

TEST(Bytes, ASizeIsNotBelievedBeforeItsBytesAreThere) {
  const auto with = [](std::initializer_list<std::uint64_t> integers) {
    ByteWriter out;
    for (const std::uint64_t value : integers) out.integer(value);
    return out.take();
  };
  for (const std::uint64_t size :
       {std::uint64_t{2}, std::uint64_t{1} << 39, std::uint64_t{1} << 61, ~std::uint64_t{0}}) {
    const std::string one = with({size, 0}), two = with({size, size, 0}), row = with({1, size, 0}),
                      column = with({size, 1, 0});
    EXPECT_THROW(ByteReader(one).vector(), InvalidArgument) << size;
    if (size > 8) {
      EXPECT_THROW(ByteReader(one).text(), InvalidArgument) << size;
    }
    EXPECT_THROW(ByteReader(two).matrix(), InvalidArgument) << size;
    EXPECT_THROW(ByteReader(row).matrix(), InvalidArgument) << size;
    EXPECT_THROW(ByteReader(column).matrix(), InvalidArgument) << size;
  }
  const std::string wide = with({0, std::uint64_t{1} << 39});
  EXPECT_THROW(ByteReader(wide).matrix(), InvalidArgument);  // columns without rows
}

TEST(Bytes, WhatIsLeftOverIsAnError) {
  ByteReader in("12345678x");
  in.integer();
  EXPECT_THROW(in.finish(), InvalidArgument);
}

TEST(SealedArchive, OpensToItsPayload) {
  for (const std::string& payload : {std::string(), std::string("x"), std::string(1000, '\0')}) {
    EXPECT_EQ(open_archive("thing", 3, seal_archive("thing", 3, payload)), payload);
  }
}

TEST(SealedArchive, OfSeveralVersionsSaysWhichItIs) {
  const std::string second = seal_archive("thing", 2, "payload");
  const OpenedArchive opened = open_archive("thing", 1, 3, second);
  EXPECT_EQ(opened.version, 2u);
  EXPECT_EQ(opened.payload, "payload");
  EXPECT_THROW(open_archive("thing", 3, 4, second), InvalidArgument);
  EXPECT_THROW(open_archive("thing", 1, 1, second), InvalidArgument);
}

TEST(SealedArchive, SaysWhatIsWrong) {
  const std::string good = seal_archive("thing", 3, "payload");
  EXPECT_EQ(reason(good), "");
  EXPECT_EQ(reason(""), "not a ridgerunner file: it does not start with RIDGERUN");
  EXPECT_EQ(reason("PK\x03\x04 something else altogether"),
            "not a ridgerunner file: it does not start with RIDGERUN");
  EXPECT_EQ(reason(good.substr(0, 20)), "the file is truncated in its head");
  EXPECT_EQ(reason(good.substr(0, good.size() - 5)), "the file is truncated: 5 bytes of 7 are missing");
  EXPECT_EQ(reason(good + "xyz"), "the file is too long by 3 bytes");
  EXPECT_EQ(reason(seal_archive("thing", 4, "payload")),
            "the file has format version 4, this program reads 3");
  EXPECT_EQ(reason(seal_archive("other", 3, "payload")), "the file is of kind \"other\", not \"thing\"");
  std::string altered = good;
  altered[good.size() - 6] ^= 1;
  EXPECT_EQ(reason(altered), "the file is damaged: its checksum is wrong");
}

TEST(SealedArchive, ComesOffAStreamOneAtATime) {
  std::stringstream stream(seal_archive("thing", 3, "first") + seal_archive("thing", 3, "") + "rest");
  EXPECT_EQ(open_archive("thing", 3, read_archive(stream)), "first");
  EXPECT_EQ(open_archive("thing", 3, read_archive(stream)), "");
  std::string rest;
  stream >> rest;
  EXPECT_EQ(rest, "rest");
}

TEST(SealedArchive, AStreamThatEndsTooEarlyIsRefused) {
  const std::string good = seal_archive("thing", 3, "payload");
  for (std::size_t length = 0; length < good.size(); ++length) {
    std::istringstream stream(good.substr(0, length));
    EXPECT_THROW(read_archive(stream), InvalidArgument) << length;
  }
  std::istringstream foreign("something else altogether");
  EXPECT_THROW(read_archive(foreign), InvalidArgument);
}

}  // namespace
}  // namespace ridgerunner::bytes_test
