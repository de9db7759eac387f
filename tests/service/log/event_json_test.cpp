#include "ridgerunner/service/log/event_json.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "ridgerunner/error.h"
#include "ridgerunner/service/log/json_text.h"
#include "ridgerunner/service/log/refusal.h"
#include "service/sample_events.h"

namespace ridgerunner::service::event_json_test {
namespace {

std::string line_of(const Event& event, std::string_view experiment = "shop") {
  std::string line;
  append_event_line(line, event, experiment);
  return line;
}

TEST(EventJson, EveryKindOfEventReadsBackToTheBit) {
  EventLineReader reader;
  for (Event event : sample_events()) {
    const auto* created = std::get_if<Created>(&event.body);
    const std::string name = created ? created->name : "shop";
    const std::string line = line_of(event, name);
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    EventLine back = reader.read(line);
    EXPECT_EQ(back.experiment, name);
    EXPECT_EQ(back.event.experiment, created ? event.seq : 0);
    back.event.experiment = event.experiment;  // which a line does not hold
    EXPECT_EQ(encode(back.event), encode(event)) << line;
  }
}

TEST(EventJson, BandsWithoutBoundsAreNull) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Decided decided{"x", {}, 0, 0, Vector::Ones(1), {}};
  decided.decision.lower = -kInfinity;
  decided.decision.upper = kInfinity;
  const Event event{3, 0, 0, decided};
  const std::string line = line_of(event);
  EXPECT_NE(line.find(R"("lower":null,"upper":null)"), std::string::npos);
  EventLineReader reader;
  EXPECT_EQ(encode(reader.read(line).event), encode(event));
}

TEST(EventJson, AnInfiniteSdAndNumbersThatAreNoneReadBack) {
  Decided decided{"x", {}, 0, 0, Vector::Ones(1), {}};
  decided.decision.sd = std::numeric_limits<double>::infinity();
  EventLineReader reader;
  const Event infinite{3, 0, 0, decided};
  EXPECT_EQ(line_of(infinite).find("nan"), std::string::npos);
  EXPECT_EQ(encode(reader.read(line_of(infinite)).event), encode(infinite));
  decided.decision.mean = decided.decision.upper = std::numeric_limits<double>::quiet_NaN();
  const Event undefined{3, 0, 0, decided};
  const std::string line = line_of(undefined);
  EXPECT_NE(line.find(R"("nan":["mean","upper"])"), std::string::npos) << line;
  EXPECT_EQ(encode(reader.read(line).event), encode(undefined));
  std::string wrong = line;
  wrong.replace(wrong.find(R"(["mean")"), 7, R"(["lower")");  // which is a number
  EXPECT_THROW(reader.read(wrong), Refusal);
}

TEST(EventJson, LooksAsDescribed) {
  const Event event{7, 1, 1'794'819'600'000,
                    Rewarded{{5, "order-17", Vector::Constant(2, 0.5), 1.5, 0}, 2, false}};
  EXPECT_EQ(
      line_of(event),
      R"({"seq":7,"time":"2026-11-16T09:00:00.000Z","experiment":"shop","type":"rewarded","event_id":"order-17",)"
      R"("decided":5,"state":[0.5,0.5],"upper":1.5,"level":0,"reward":2})"
      "\n");
}

TEST(EventJson, WhatNobodyWroteIsRefusedByItsField) {
  const std::string good =
      R"({"seq":7,"time":"2026-11-16T09:00:00.000Z","experiment":"shop","type":"closed"})";
  EventLineReader reader;
  EXPECT_TRUE(std::holds_alternative<Closed>(reader.read(good).event.body));
  const auto field_of = [&](const std::string& line) -> std::string {
    try {
      reader.read(line);
    } catch (const Refusal& refusal) {
      EXPECT_EQ(refusal.reason, Reason::bad_request);
      return refusal.field;
    }
    return "taken";
  };
  EXPECT_EQ(field_of("nonsense"), "");
  EXPECT_EQ(field_of(R"({"seq":7})"), "experiment");
  const std::string head = R"({"seq":7,"time":"2026-11-16T09:00:00.000Z","experiment":"shop","type":)";
  EXPECT_EQ(field_of(head + R"("lost"})"), "type");
  EXPECT_EQ(field_of(head + R"("closed","more":1})"), "more");
  EXPECT_EQ(field_of(head + R"("closed","seq":7})"), "seq");
  EXPECT_EQ(field_of(head + R"("rewarded","event_id":"a","decided":5})"), "state");
  EXPECT_EQ(field_of(head + R"("imported","states":[[1]],"rewards":[1,2]})"), "");
  EXPECT_EQ(field_of(R"({"seq":-7,"time":"2026-11-16T09:00:00.000Z","experiment":"s","type":"closed"})"),
            "seq");
  EXPECT_EQ(field_of(R"({"seq":7,"time":"yesterday","experiment":"s","type":"closed"})"), "time");
}

TEST(JsonText, NumbersReadBackExactlyAndAreShort) {
  const auto text = [](double value) {
    std::string out;
    append_number(out, value);
    return out;
  };
  EXPECT_EQ(text(0.1), "0.1");
  EXPECT_EQ(text(3), "3");
  EXPECT_EQ(text(-0.0), "-0.0");
  EXPECT_EQ(text(1e22), "1e+22");
  EXPECT_EQ(text(NAN), "null");
  EXPECT_EQ(text(-std::numeric_limits<double>::infinity()), "null");
  for (const double value :
       {5e-324, 1.7976931348623157e308, 0.1 + 0.2, 1.2345678901234567e20, 9007199254740993.0})
    EXPECT_EQ(std::strtod(text(value).c_str(), nullptr), value);
}

TEST(JsonText, TextIsEscapedAndAlwaysUtf8) {
  const auto text = [](std::string_view value) {
    std::string out;
    append_text(out, value);
    return out;
  };
  EXPECT_EQ(text("a\"b\\c\n\t\r\x01"), R"("a\"b\\c\n\t\r\u0001")");
  EXPECT_EQ(text("ä€😀"), "\"ä€😀\"");
  EXPECT_EQ(text("\xFF"), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(text("\xC3"), "\"\xEF\xBF\xBD\"");                                  // cut off
  EXPECT_EQ(text("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // a surrogate
  EXPECT_EQ(text("\xC0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");                  // overlong
  EXPECT_EQ(text("\xF4\x90\x80\x80").size(), 2u + 4 * 3);                       // beyond Unicode
}

TEST(JsonText, TimesAreUtcAndReadBack) {
  EXPECT_EQ(time_text(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(time_text(1'794'819'600'123), "2026-11-16T09:00:00.123Z");
  EXPECT_EQ(time_text(951'782'400'000), "2000-02-29T00:00:00.000Z");
  for (const std::int64_t time :
       {std::int64_t{0}, std::int64_t{951'782'399'999}, std::int64_t{1'794'819'600'123}})
    EXPECT_EQ(time_from_text(time_text(time)), time);
  for (const char* wrong : {"", "2026-11-16", "2026-11-16T09:00:00Z", "2026-02-30T09:00:00.000Z",
                            "2026-11-16T24:00:00.000Z", "2026-11-16t09:00:00.000Z"})
    EXPECT_THROW(time_from_text(wrong), InvalidArgument) << wrong;
}

}  // namespace
}  // namespace ridgerunner::service::event_json_test
