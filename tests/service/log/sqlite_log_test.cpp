#include "ridgerunner/service/log/sqlite_log.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "service/temporary_folder.h"

namespace ridgerunner::service::sqlite_log_test {
namespace {

std::vector<Record> records(std::uint64_t from, std::uint64_t to, std::size_t size = 100) {
  std::vector<Record> made;
  for (std::uint64_t seq = from; seq <= to; ++seq) {
    std::string bytes(size, static_cast<char>('a' + seq % 26));
    made.push_back({seq, std::to_string(seq) + bytes});
  }
  return made;
}

template <class Call>
std::string complaint(const Call& call) {
  try {
    call();
  } catch (const LogError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SqliteLog, WhatWasAppendedIsThereAfterReopening) {
  const TemporaryFolder folder;
  {
    SqliteLog log(folder.path());
    EXPECT_EQ(log.last(), 0u);
    EXPECT_TRUE(log.read(1, 10).empty());
    log.append(records(1, 5));
    log.append(records(6, 6));
    log.append({});
    EXPECT_EQ(log.last(), 6u);
  }
  SqliteLog log(folder.path());
  EXPECT_EQ(log.last(), 6u);
  const auto read = log.read(2, 3);
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].seq, 2u);
  EXPECT_EQ(read[2].bytes, records(4, 4)[0].bytes);
  EXPECT_EQ(log.read(5, 100).size(), 2u);
  EXPECT_TRUE(log.read(7, 100).empty());
}

TEST(SqliteLog, AGapIsRefusedAndNothingOfTheBatchIsKept) {
  const TemporaryFolder folder;
  {
    SqliteLog log(folder.path());
    log.append(records(1, 3));
    EXPECT_NE(complaint([&] { log.append(records(5, 6)); }), "");
  }
  EXPECT_EQ(SqliteLog(folder.path()).last(), 3u);
}

TEST(SqliteLog, ArchivedEventsAreReadFromTheirFilesAndTheLogGoesOn) {
  const TemporaryFolder folder;
  const auto bytes_of = [](const std::vector<Record>& some) {
    std::string all;
    for (const Record& record : some) all += record.bytes;
    return all;
  };
  {
    SqliteLog log(folder.path());
    EXPECT_TRUE(contains(complaint([&] { log.archive(); }), "no events"));
    log.append(records(1, 5));
    EXPECT_TRUE(log.archive().ends_with("/archive/000000000001-000000000005.db"));
    EXPECT_EQ(log.last(), 5u);
    log.append(records(6, 9));
    EXPECT_EQ(bytes_of(log.read(1, 100)), bytes_of(records(1, 9)));
  }
  {
    SqliteLog log(folder.path());
    EXPECT_TRUE(log.archive().ends_with("/archive/000000000006-000000000009.db"));
  }
  SqliteLog log(folder.path());
  EXPECT_EQ(log.last(), 9u);
  log.append(records(10, 12));
  EXPECT_EQ(bytes_of(log.read(4, 7)), bytes_of(records(4, 10)));
  std::filesystem::rename(folder.path() + "/archive", folder.path() + "/away");
  EXPECT_EQ(bytes_of(log.read(10, 100)), bytes_of(records(10, 12)));
  EXPECT_THROW(log.read(9, 1), ArchivedElsewhere);
  EXPECT_TRUE(
      contains(complaint([&] { log.read(2, 1); }), "events 1 to 5 are needed: put their archive back"));
}

TEST(SqliteLog, OnlyOneProcessAtATime) {
  const TemporaryFolder folder;
  SqliteLog log(folder.path());
  EXPECT_TRUE(
      contains(complaint([&] { SqliteLog again(folder.path()); }), "another server uses this folder"));
}

TEST(SqliteLog, ALogThatEndsBeforeItsMarkIsRefused) {
  const TemporaryFolder folder, earlier;
  {
    SqliteLog log(folder.path());
    log.append(records(1, 3));
  }
  std::filesystem::copy(folder.path(), earlier.path(), std::filesystem::copy_options::recursive);
  {
    SqliteLog log(folder.path());
    log.append(records(4, 9));
  }
  std::filesystem::copy_file(earlier.path() + "/log.db", folder.path() + "/log.db",
                             std::filesystem::copy_options::overwrite_existing);
  const std::string said = complaint([&] { SqliteLog again(folder.path()); });
  EXPECT_TRUE(contains(said, "ends with event 3, but event 9 had been made durable")) << said;
}

TEST(SqliteLog, ATornMarkIsIgnored) {
  const TemporaryFolder folder;
  {
    SqliteLog log(folder.path());
    log.append(records(1, 3));
  }
  std::ofstream(folder.path() + "/mark") << "garbage of some length";
  EXPECT_EQ(SqliteLog(folder.path()).last(), 3u);
}

TEST(SqliteLog, AForeignFileIsRefused) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/log.db") << std::string(5000, 'x');
  EXPECT_NE(complaint([&] { SqliteLog log(folder.path()); }), "");
}

TEST(SqliteLog, ATruncatedFileIsNoticedAndTheRestRescued) {
  const TemporaryFolder folder;
  {
    SqliteLog log(folder.path());
    log.append(records(1, 200, 1000));
  }
  const std::string file = folder.path() + "/log.db";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  const std::string said = complaint([&] {
    SqliteLog log(folder.path());
    log.read(1, 1000);
  });
  EXPECT_NE(said, "");
  // A record of which only a part is left is the decoder's to notice: its checksum is wrong.
  std::uint64_t fine = 0, damaged = 0, torn = 0;
  RescueLog(folder.path()).each([&](const RescueLog::Found& found) {
    if (!found.trouble.empty()) {
      ++damaged;
    } else {
      const bool whole = found.record.bytes == records(found.record.seq, found.record.seq, 1000)[0].bytes;
      ++(whole ? fine : torn);
    }
  });
  EXPECT_LE(torn, 1u);
  EXPECT_GT(damaged, 50u);
  EXPECT_EQ(fine + damaged + torn, 200u);
  EXPECT_GT(fine, 50u);
}

TEST(SqliteLog, RescueReadsAHealthyLogInFull) {
  const TemporaryFolder folder;
  {
    SqliteLog log(folder.path());
    log.append(records(1, 50));
  }
  std::uint64_t next = 1;
  EXPECT_EQ(RescueLog(folder.path()).each([&](const RescueLog::Found& found) {
    EXPECT_EQ(found.record.seq, next++);
  }),
            0u);
  EXPECT_EQ(next, 51u);
}

}  // namespace
}  // namespace ridgerunner::service::sqlite_log_test
