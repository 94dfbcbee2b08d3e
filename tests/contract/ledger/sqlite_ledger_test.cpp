// What only the SQLite ledger promises: durability settings, file modes, versions, refusals by name.
#include "services/queue/sqlite_ledger.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "services/queue/sqlite_handle.hpp"
#include "services/queue/sqlite_schema.hpp"
#include "tests/contract/ledger/ledger_engines.hpp"

namespace penstock::queue::test {
namespace {

std::filesystem::perms mode_of(const std::filesystem::path& path) {
  return std::filesystem::status(path).permissions();
}

TEST(SqliteLedger, creates_private_files_in_private_folders) {
  const ScratchFolder folder;
  const auto path = folder.path() / "queue" / "ledger.sqlite";
  ASSERT_TRUE(open_sqlite_ledger(path).ok());
  EXPECT_EQ(mode_of(path.parent_path()), std::filesystem::perms::owner_all);
  const auto private_file = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
  EXPECT_EQ(mode_of(path), private_file);
  EXPECT_EQ(mode_of(path.string() + ".lock"), private_file);
}

TEST(SqliteLedger, is_in_wal_mode_at_the_newest_version) {
  const ScratchFolder folder;
  const auto path = folder.path() / "ledger.sqlite";
  const auto ledger = open_sqlite_ledger(path);
  ASSERT_TRUE(ledger.ok());
  SqliteConnection connection(path.string(), SqliteConnection::Mode::read_write);
  auto mode = connection.prepare("PRAGMA journal_mode");
  ASSERT_TRUE(mode.step());
  EXPECT_EQ(mode.text(0), "wal");
  auto version = connection.prepare("PRAGMA user_version");
  ASSERT_TRUE(version.step());
  EXPECT_EQ(version.integer(0), static_cast<std::int64_t>(migrations().size()));
}

TEST(SqliteLedger, refuses_a_file_of_a_newer_program) {
  const ScratchFolder folder;
  const auto path = folder.path() / "ledger.sqlite";
  ASSERT_TRUE(open_sqlite_ledger(path).ok());
  SqliteConnection(path.string(), SqliteConnection::Mode::read_write).execute("PRAGMA user_version = 1000");
  const auto reopened = open_sqlite_ledger(path);
  ASSERT_FALSE(reopened.ok());
  EXPECT_EQ(reopened.error().code, ErrorCode::unsupported_version);
}

TEST(SqliteLedger, refuses_a_file_that_is_no_ledger) {
  const ScratchFolder folder;
  const auto path = folder.path() / "ledger.sqlite";
  std::ofstream(path) << std::string(8192, 'x');
  const auto opened = open_sqlite_ledger(path);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::bad_format);
}

TEST(SqliteLedger, is_named_by_path_or_url_and_other_engines_are_refused) {
  const ScratchFolder folder;
  const std::string base = folder.path().string();
  EXPECT_TRUE(open_ledger(base + "/a.sqlite").ok());
  EXPECT_TRUE(open_ledger("sqlite:" + base + "/b.sqlite").ok());
  EXPECT_TRUE(open_ledger("sqlite://" + base + "/c.sqlite").ok());
  for (const char* name : {"/a.sqlite", "/b.sqlite", "/c.sqlite"})
    EXPECT_TRUE(std::filesystem::exists(base + name)) << name;
  const auto other = open_ledger("postgresql://db/penstock");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::bad_request);
  EXPECT_NE(other.error().what.find("postgresql"), std::string::npos);
}

TEST(SqliteLedger, an_unwritable_place_is_a_named_error) {
  const auto opened = open_sqlite_ledger("/proc/penstock/ledger.sqlite");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::file_unwritable);
}

}  // namespace
}  // namespace penstock::queue::test
