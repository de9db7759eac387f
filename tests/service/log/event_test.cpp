#include "ridgerunner/service/log/event.h"

#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ridgerunner/codec/bytes.h"
#include "ridgerunner/error.h"
#include "service/sample_events.h"

namespace ridgerunner::service::event_test {
namespace {

TEST(Event, EveryKindIsTheSameAfterEncodingAndDecoding) {
  for (const Event& event : sample_events()) {
    const Event again = decode(encode(event));
    EXPECT_EQ(again, event) << kind_name(event.body);
    EXPECT_EQ(encode(again), encode(event)) << kind_name(event.body);
  }
}

TEST(Event, AnyFlippedBitIsNoticed) {
  for (const Event& event : sample_events()) {
    const std::string bytes = encode(event);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string flipped = bytes;
        flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
        EXPECT_THROW(decode(flipped), InvalidArgument) << kind_name(event.body) << " byte " << i;
      }
    }
  }
}

TEST(Event, AnyMissingOrFurtherByteIsNoticed) {
  for (const Event& event : sample_events()) {
    const std::string bytes = encode(event);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_THROW(decode(std::string_view(bytes).substr(0, size)), InvalidArgument);
    EXPECT_THROW(decode(bytes + '\0'), InvalidArgument);
  }
}

Event decided_with(double Decision::*member, double value) {
  Event event = sample_events()[3];
  std::get<Decided>(event.body).decision.*member = value;
  return event;
}

TEST(Event, WhatWouldNotReadBackIsNotWritable) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const Event& event : sample_events()) EXPECT_NO_THROW(require_writable(event));
  EXPECT_NO_THROW(require_writable(decided_with(&Decision::upper, kInfinity)));
  EXPECT_NO_THROW(require_writable(decided_with(&Decision::sd, kInfinity)));
  for (const auto member :
       {&Decision::mean, &Decision::sd, &Decision::lower, &Decision::upper, &Decision::propensity})
    EXPECT_THROW(require_writable(decided_with(member, kNan)), InvalidArgument);
  EXPECT_THROW(require_writable(decided_with(&Decision::mean, kInfinity)), InvalidArgument);
  EXPECT_THROW(require_writable({1, 1, 0, Configured{{kNan, std::nullopt}}}), InvalidArgument);
  EXPECT_THROW(require_writable({1, 1, 0, Imported{Matrix::Constant(1, 1, kNan), Vector::Zero(1), ""}}),
               InvalidArgument);
  EXPECT_THROW(require_writable({1, 1, 0, Imported{Matrix::Zero(1, 2), Vector::Zero(1), ""}}),
               InvalidArgument);
  Subject subject{1, "a", Vector::Zero(1), kNan, 0};
  EXPECT_THROW(require_writable({1, 1, 0, Rewarded{subject, 1, false}}), InvalidArgument);
  EXPECT_THROW(require_writable({1, 1, 0, Unreadable{"odd"}}), InvalidArgument);
}

// Version 0.1.0 wrote them.
TEST(Event, ADecisionThatIsNotANumberIsRead) {
  const Event event = decided_with(&Decision::lower, std::numeric_limits<double>::quiet_NaN());
  const Event again = decode(encode(event));
  EXPECT_EQ(encode(again), encode(event));
}

// With a checksum that fits, so that only the contents can be wrong.
std::string sealed(std::string bytes) {
  const std::uint32_t crc = crc32c(bytes);
  bytes.append(reinterpret_cast<const char*>(&crc), sizeof crc);
  return bytes;
}

TEST(Event, WhatCouldNotHaveBeenWrittenIsRefused) {
  const auto head = [](std::uint64_t kind) {
    ByteWriter out;
    out.integer(std::uint64_t{1} << 32 | kind);
    for (const std::uint64_t number : {9, 1, 1000}) out.integer(number);
    return out;
  };
  for (const std::uint64_t kind : {8, 77}) {
    const std::string unknown = sealed(head(kind).take());
    EXPECT_THROW(decode(unknown), InvalidArgument);
    const Event marked = decode_or_mark(unknown);
    EXPECT_EQ(marked.seq, 9u);
    EXPECT_EQ(marked.body, Body(Unreadable{fmt::format("an event of unknown kind {}", kind)}));
  }

  ByteWriter flag = head(1);  // configured: an optional is there or not
  flag.integer(2);
  EXPECT_THROW(decode(sealed(flag.take())), InvalidArgument);

  ByteWriter infinite = head(6);  // imported
  infinite.matrix(Matrix::Constant(1, 1, std::numeric_limits<double>::infinity()));
  infinite.vector(Vector::Zero(1));
  EXPECT_THROW(decode(sealed(infinite.take())), InvalidArgument);

  ByteWriter uneven = head(6);
  uneven.matrix(Matrix::Zero(1, 2));
  uneven.vector(Vector::Zero(1));
  EXPECT_THROW(decode(sealed(uneven.take())), InvalidArgument);

  ByteWriter later;
  later.integer(std::uint64_t{2} << 32 | 7);
  for (const std::uint64_t number : {9, 1, 1000}) later.integer(number);
  try {
    decode(sealed(later.take()));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "its format version is 2, this program reads 1");
  }
}

// The log outlives the program: these bytes must never change.
TEST(Event, TheEncodingIsTheOneOfTheFirstVersion) {
  std::string hex;
  for (const char c : encode({7, 1, 1000, Configured{{0.5, std::nullopt}}}))
    hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  EXPECT_EQ(hex,
            "010000000100000007000000000000000100000000000000e8030000000000000100000000000000000000000000e03f"
            "0000000000000000cead3088");
  // Backwards: every event ends with its own checksum, after which another one would always be the same.
  std::string all;
  for (const Event& event : sample_events()) {
    if (event.seq <= 13) all += encode(event);  // those of the first version
  }
  EXPECT_EQ(crc32c(std::string(all.rbegin(), all.rend())), 3778113329u);
}

TEST(Event, MadeIdsSortByTheirNumber) {
  EXPECT_EQ(made_event_id(42), "rr-000000000042");
  EXPECT_LT(made_event_id(99), made_event_id(100));
}

}  // namespace
}  // namespace ridgerunner::service::event_test
