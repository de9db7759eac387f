#include "ridgerunner/codec/record.h"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ridgerunner/error.h"

namespace ridgerunner::record_test {

enum class Flavour { plain, sweet };
const Names<Flavour>& names_of(Flavour) {
  static const Names<Flavour> names = {{Flavour::plain, "plain"}, {Flavour::sweet, "sweet"}};
  return names;
}

namespace {

struct Inner {
  double weight = 2;
  bool operator==(const Inner&) const = default;

  template <class Visit>
  static void fields(Visit&& visit) {
    visit("weight", &Inner::weight, positive(), "how heavy");
  }
};

struct Outer {
  Flavour flavour = Flavour::plain;
  double share = 0.5;
  std::int64_t count = 3;
  std::uint64_t total = 4;
  int level = -1;
  bool hot = false;
  std::string label = "x";
  std::vector<double> grid = {1, 2};
  std::optional<double> limit;
  std::optional<std::int64_t> since;
  double sugar = 1;
  Inner inner;
  bool operator==(const Outer&) const = default;

  template <class Visit>
  static void fields(Visit&& visit) {
    visit("flavour", &Outer::flavour, any_value(), "taste");
    visit("share", &Outer::share, between(0, 1), "part of the whole");
    visit("count", &Outer::count, integer_from(1, 10), "how many");
    visit("total", &Outer::total, any_value(), "");
    visit("level", &Outer::level, integer_from(-1, 1000), "");
    visit("hot", &Outer::hot, any_value(), "");
    visit("label", &Outer::label, any_value(), "");
    visit("grid", &Outer::grid, positive(), "");
    visit("limit", &Outer::limit, at_least(0), "");
    visit("since", &Outer::since, integer_from(1), "");
    visit("sugar", &Outer::sugar, positive(), "", [](const Outer& o) { return o.flavour == Flavour::sweet; });
    visit("inner", &Outer::inner, any_value(), "");
  }
};

Outer example() {
  Outer outer;
  outer.flavour = Flavour::sweet;
  outer.share = 0.1 + 0.2;
  outer.count = 7;
  outer.total = 1u << 31;
  outer.level = 12;
  outer.hot = true;
  outer.label = "\"é\"";
  outer.grid = {1e-300};
  outer.limit = 0;
  outer.since = 5;
  outer.sugar = 3;
  outer.inner.weight = 9;
  return outer;
}

Outer read(const std::string& text) {
  const Json json = parse_json(text);
  Fields fields(json, "outer");
  Outer outer;
  read_record(fields, outer);
  fields.finish();
  check_record(outer);
  return outer;
}

std::string reason(const std::string& text) {
  try {
    read(text);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

std::string json_of(const Outer& outer) {
  Json json = Json::object();
  write_record(json, outer);
  return json.dump();
}

TEST(Record, WhatIsWrittenAsJsonReadsBack) {
  EXPECT_EQ(read(json_of(example())), example());
  EXPECT_EQ(read(json_of(Outer{})), Outer{});
}

TEST(Record, WhatIsWrittenAsBytesReadsBack) {
  for (const Outer& outer : {example(), Outer{}}) {
    ByteWriter out;
    put_record(out, outer);
    const std::string bytes = out.take();
    ByteReader in(bytes);
    Outer again = example();
    get_record(in, again);
    in.finish();
    EXPECT_EQ(again, outer);
  }
}

TEST(Record, BytesThatAreNoneOfItsValuesAreRefused) {
  ByteWriter out;
  out.integer(2);  // of two flavours
  const std::string bytes = out.take();
  ByteReader in(bytes);
  Outer outer;
  EXPECT_THROW(get_record(in, outer), InvalidArgument);
  ByteWriter level;
  level.integer(std::uint64_t{1} << 40);
  const std::string wide = level.take();
  ByteReader narrow(wide);
  int value = 0;
  EXPECT_THROW(get_field(narrow, "level", value), InvalidArgument);
}

TEST(Record, FieldsThatDoNotCountAreNeitherWrittenNorAccepted) {
  EXPECT_EQ(json_of(Outer{}),
            R"({"flavour":"plain","share":0.5,"count":3,"total":4,"level":-1,"hot":false,"label":"x",)"
            R"("grid":[1.0,2.0],"inner":{"weight":2.0}})");
  EXPECT_EQ(reason(R"({"sugar":1})").find("unknown field outer.sugar; known are count, flavour"), 0u);
  EXPECT_EQ(reason(R"({"flavour":"sweet","sugar":1})"), "");
}

TEST(Record, ErrorsNameTheFieldItsValueAndWhatIsAllowed) {
  EXPECT_EQ(reason(R"({"flavour":"sour"})"), "outer.flavour must be one of plain, sweet, got \"sour\"");
  EXPECT_EQ(reason(R"({"share":"x"})"), "outer.share must be a number, got \"x\"");
  EXPECT_EQ(reason(R"({"share":1})"), "share must be between 0 and 1 (exclusive), got 1");
  EXPECT_EQ(reason(R"({"count":0})"), "outer.count must be an integer >= 1, got 0");
  EXPECT_EQ(reason(R"({"count":11})"), "outer.count must be an integer from 1 to 10, got 11");
  EXPECT_EQ(reason(R"({"grid":[1,0]})"), "grid must be > 0, got 0");
  EXPECT_EQ(reason(R"({"limit":-1})"), "limit must be >= 0, got -1");
  EXPECT_EQ(reason(R"({"inner":3})"), "outer.inner must be an object, got 3");
  EXPECT_EQ(reason(R"({"inner":{"weight":0}})"), "weight must be > 0, got 0");
  EXPECT_EQ(reason(R"({"inner":{"height":0}})"), "unknown field outer.inner.height; known are weight");
}

TEST(Record, NothingOutsideOfItsRangePasses) {
  Outer outer;
  outer.share = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(check_record(outer), InvalidArgument);
  outer = Outer{};
  outer.grid.clear();
  EXPECT_THROW(check_record(outer), InvalidArgument);
  outer = Outer{};
  outer.count = 11;
  EXPECT_THROW(check_record(outer), InvalidArgument);
  outer = Outer{};
  outer.limit = std::numeric_limits<double>::infinity();
  EXPECT_THROW(check_record(outer), InvalidArgument);
}

TEST(Record, TellsPeopleWhatItsFieldsAre) {
  std::vector<Parameter> rows;
  describe_record<Outer>("outer", rows);
  describe_record<Outer>("outer", rows);  // what is there already is not repeated
  ASSERT_EQ(rows.size(), 12u);
  EXPECT_EQ(rows[0].path, "outer.flavour");
  EXPECT_EQ(rows[0].initial, "\"plain\"");
  EXPECT_EQ(rows[0].range, "plain, sweet");
  EXPECT_EQ(rows[1].range, "between 0 and 1");
  EXPECT_EQ(rows[1].meaning, "part of the whole");
  EXPECT_EQ(rows[2].range, "integer from 1 to 10");
  EXPECT_EQ(rows[5].range, "true, false");
  EXPECT_EQ(rows[7].initial, "[1.0, 2.0]");
  EXPECT_EQ(rows[8].initial, "");
}

}  // namespace
}  // namespace ridgerunner::record_test
