#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "features/encoding.h"

namespace ridgerunner::encoder_cells_test {
namespace {

using namespace encoding;

const char* const kCoffee = R"({"context":[{"name":"hour"},{"name":"city","type":"category","values":["a"]}],
                                "action":[{"name":"price"}]})";

Vector row(const Encoder& encoder, std::string_view cell) {
  return encoder.encode_context(std::vector<NamedCell>{{"x", cell}});
}

std::string row_error(const Encoder& encoder, std::string_view cell) {
  return error_of([&] { row(encoder, cell); });
}

TEST(EncoderCells, AreReadByTheTypeOfTheirFeature) {
  const Encoder number = with(R"("type":"number")");
  EXPECT_EQ(list(row(number, " 2.5 ")), (List{2.5, 0}));
  EXPECT_EQ(list(row(number, "+1e3")), (List{1000, 0}));
  for (const char* missing : {"", "  ", "NA", "NaN", "null", "n/a", "None"})
    EXPECT_EQ(list(row(number, missing)), (List{0, 1})) << missing;
  const Encoder flag = with(R"("type":"boolean")");
  for (const char* yes : {"true", "TRUE", "Yes", "1", "t"})
    EXPECT_EQ(list(row(flag, yes)), (List{1, 0})) << yes;
  for (const char* no : {"false", "no", "0", "F"}) EXPECT_EQ(list(row(flag, no)), (List{0, 0})) << no;
  const Encoder category = with(R"("type":"category","values":["a","1"])");
  EXPECT_EQ(list(row(category, " a")), (List{1, 0, 0}));
  EXPECT_EQ(list(row(category, "1")), (List{0, 1, 0}));
  EXPECT_EQ(list(row(category, "")), (List{0, 0, 1}));
  const Encoder text = with(R"("type":"text","width":8)");
  EXPECT_EQ(row(text, "Hot tea"), context(text, R"({"x":"hot tea"})"));
  const Encoder numbers = with(R"("type":"numbers","size":2)");
  for (const char* both : {"1 2", "1;2", "[1, 2]", "1,2"})
    EXPECT_EQ(list(row(numbers, both)), (List{1, 2, 0})) << both;
}

TEST(EncoderCells, AreRefusedByFeatureAndValue) {
  EXPECT_EQ(row_error(with(R"("type":"number")"), "abc"), "context.x must be a number, got \"abc\"");
  EXPECT_EQ(row_error(with(R"("type":"number")"), "inf"), "context.x must be finite, got inf");
  EXPECT_EQ(row_error(with(R"("type":"boolean")"), "maybe"),
            "context.x must be true or false, got \"maybe\"");
  EXPECT_EQ(row_error(with(R"("type":"numbers","size":2)"), "1 x"),
            "context.x must be a list of 2 numbers, got \"1 x\"");
  EXPECT_EQ(row_error(with(R"("type":"numbers","size":2)"), "1 2 3"),
            "context.x must be a list of 2 numbers, got \"1 2 3\"");
  EXPECT_EQ(row_error(encoder_of("{}"), "1"), "unknown feature context.x; none are known");
  const Encoder number = with(R"("type":"number")");
  EXPECT_EQ(error_of([&] {
              number.encode_context(std::vector<NamedCell>{{"x", "1"}, {"x", "2"}});
            }),
            "context.x must not be there twice");
}

TEST(EncoderCells, OfAnActionMayBeItsId) {
  const Encoder encoder = encoder_of("{}");
  EXPECT_EQ(encoder.encode_action(std::vector<NamedCell>{{"id", " latte"}}), action(encoder, "\"latte\""));
  EXPECT_EQ(error_of([&] {
              encoder.encode_action(std::vector<NamedCell>{{"id", ""}});
            }),
            "action.id is missing: actions have no features to tell them apart by");
  const Encoder priced = encoder_of(kCoffee);
  EXPECT_EQ(list(priced.encode_action(std::vector<NamedCell>{{"id", "latte"}, {"price", "3"}})),
            (List{3, 0}));
  const Encoder hashing = encoder_of(R"({"hash_unknown":true,"hash_width":4})");
  EXPECT_EQ(hashing.encode_action(std::vector<NamedCell>{{"price", "3"}, {"kind", "x"}, {"none", ""}}),
            action(hashing, R"({"price":3,"kind":"x"})"));
}

}  // namespace
}  // namespace ridgerunner::encoder_cells_test
