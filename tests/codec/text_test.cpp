#include "ridgerunner/codec/text.h"

#include <gtest/gtest.h>

namespace ridgerunner::text_test {
namespace {

TEST(Text, NumbersAreAsShortAsTheyCanBe) {
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(3), "3");
  EXPECT_EQ(shortest(0.1 + 0.2), "0.30000000000000004");
}

TEST(Text, BrokenUtf8IsOneReplacementAByte) {
  for (const char* broken :
       {"\x80", "\xC3", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80"}) {
    const CodePoint first = first_code_point(broken);
    EXPECT_EQ(first.value, CodePoint::kReplacement);
    EXPECT_EQ(first.bytes, 1u);
  }
  EXPECT_EQ(first_code_point("\xF0\x9F\x98\x80").value, char32_t{0x1F600});
  EXPECT_EQ(first_code_point("\xF0\x9F\x98\x80").bytes, 4u);
}

TEST(Text, WidthsAreThoseOfATerminal) {
  EXPECT_EQ(display_width("± é"), 3u);
  EXPECT_EQ(display_width("e\xCC\x81"), 1u);
  EXPECT_EQ(display_width("\xE4\xB8\xAD"), 2u);
}

TEST(Text, NothingPrintableDisturbsATerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\n\xFF"), "a [31mb \xEF\xBF\xBD");
}

}  // namespace
}  // namespace ridgerunner::text_test
