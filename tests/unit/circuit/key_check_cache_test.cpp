#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "common/circuit/proving_key.hpp"
#include "tests/unit/circuit/section_file.hpp"

namespace penstock::circuit::testing {
namespace {

namespace fs = std::filesystem;
const std::string hash(64, 'a');

/// A folder of the test's own, and the cache's folder two levels below it.
class KeyCheckCacheFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("penstock-cache-" + random_uuid());
    fs::create_directories(root_);
    folder_ = root_ / "penstock" / "keys";
  }
  void TearDown() override { fs::remove_all(root_); }
  fs::path root_, folder_;
};

TEST_F(KeyCheckCacheFolder, RemembersAHashInAFolderOfTheUsersOwn) {
  const KeyCheckCache cache(folder_);
  EXPECT_FALSE(cache.contains(hash));
  cache.remember(hash);
  EXPECT_TRUE(cache.contains(hash));
  EXPECT_FALSE(cache.contains(std::string(64, 'b')));
  struct stat facts {};
  ASSERT_EQ(::stat(folder_.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700U);
  ASSERT_EQ(::stat((folder_ / hash).c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  cache.remember(hash);
  EXPECT_TRUE(cache.contains(hash));
}

TEST_F(KeyCheckCacheFolder, AFolderThatOthersMayEnterIsNeitherBelievedNorWritten) {
  const KeyCheckCache cache(folder_);
  cache.remember(hash);
  for (const mode_t mode : {0770, 0707, 0755, 0701, 0710, 0777}) {
    ASSERT_EQ(::chmod(folder_.c_str(), mode), 0);
    EXPECT_FALSE(cache.contains(hash)) << mode;
    const std::string other(64, 'c');
    cache.remember(other);
    EXPECT_FALSE(fs::exists(folder_ / other)) << mode;
  }
  ASSERT_EQ(::chmod(folder_.c_str(), 0700), 0);
  EXPECT_TRUE(cache.contains(hash));
}

TEST_F(KeyCheckCacheFolder, AFolderOfAnotherUserIsNotBelieved) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  const KeyCheckCache cache(folder_);
  cache.remember(hash);
  ASSERT_EQ(::chown(folder_.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(cache.contains(hash));
}

TEST_F(KeyCheckCacheFolder, ASymlinkIsRefusedAsFolderAndAsEntry) {
  const KeyCheckCache real(root_ / "real");
  real.remember(hash);
  fs::create_directory_symlink(root_ / "real", root_ / "link");
  const KeyCheckCache linked(root_ / "link");
  EXPECT_FALSE(linked.contains(hash));
  const std::string other(64, 'd');
  fs::create_symlink(root_ / "real" / hash, root_ / "real" / other);
  EXPECT_FALSE(real.contains(other));
}

TEST_F(KeyCheckCacheFolder, AnEntryOfAnotherCheckOrOpenToOthersIsNotBelieved) {
  const KeyCheckCache cache(folder_);
  cache.remember(hash);
  ASSERT_EQ(::chmod((folder_ / hash).c_str(), 0644), 0);
  EXPECT_FALSE(cache.contains(hash));
  ASSERT_EQ(::chmod((folder_ / hash).c_str(), 0600), 0);
  for (const char* content : {"", "0\n", "1", "9\n"}) {
    std::ofstream(folder_ / hash) << content;
    EXPECT_FALSE(cache.contains(hash)) << content;
  }
  cache.remember(hash);
  EXPECT_TRUE(cache.contains(hash));
}

TEST_F(KeyCheckCacheFolder, OnlyHashesAreNames) {
  const KeyCheckCache cache(folder_);
  for (const std::string& name :
       {std::string("../escape"), std::string(), std::string(63, 'a'), std::string(65, 'a'),
        std::string(64, 'A'), "/" + std::string(63, 'a'), std::string(64, '.')}) {
    cache.remember(name);
    EXPECT_FALSE(cache.contains(name)) << name;
  }
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(KeyCheckCacheFolder, ACheckedKeyIsRememberedAndABadOneIsNot) {
  const KeyCheckCache cache(folder_);
  const auto good = ProvingKey::open(vector_path(CurveId::bn254, "square.zkey"));
  const auto bad = ProvingKey::open(vector_path(CurveId::bn254, "f_offcurveA.zkey"));
  ASSERT_TRUE(good.ok() && bad.ok());
  EXPECT_TRUE(check_points(**good, &cache, 1).ok());
  EXPECT_TRUE(cache.contains((*good)->content_hash()));
  EXPECT_TRUE(check_points(**good, &cache, 1).ok());
  EXPECT_FALSE(check_points(**bad, &cache, 1).ok());
  EXPECT_FALSE(cache.contains((*bad)->content_hash()));
}

class KeyFile : public KeyCheckCacheFolder {
 protected:
  void SetUp() override {
    KeyCheckCacheFolder::SetUp();
    fs::copy_file(vector_path(CurveId::bn254, "square.zkey"), path_);
  }
  void TearDown() override {
    KeyCheckCacheFolder::TearDown();
    fs::remove(path_);
  }
  [[nodiscard]] std::string stamp(std::chrono::seconds later) const {
    const auto key = ProvingKey::open(path_);
    return key.ok() ? (*key)->file_stamp(std::chrono::system_clock::now() + later) : "no key";
  }
  fs::path path_ = fs::temp_directory_path() / ("penstock-key-" + random_uuid());
};

TEST_F(KeyFile, HasAStampOnceItsLastChangeIsOldEnough) {
  using std::chrono::hours, std::chrono::seconds;
  EXPECT_EQ(stamp(seconds(-10)), "");
  const std::string first = stamp(hours(1));
  EXPECT_EQ(first.size(), 64U);
  EXPECT_EQ(stamp(hours(2)), first);
}

TEST_F(KeyFile, AnotherContentWithTheSameSizeAndTimeHasAnotherStamp) {
  using std::chrono::hours;
  const auto first = stamp(hours(1));
  const auto written = fs::last_write_time(path_);
  std::fstream(path_, std::ios::in | std::ios::out).seekp(-1, std::ios::end).put('x');
  fs::last_write_time(path_, written);
  EXPECT_NE(stamp(hours(1)), first);
  const fs::path other = path_.string() + ".other";
  fs::copy_file(path_, other);
  fs::rename(other, path_);
  EXPECT_NE(stamp(hours(1)), first);
}

TEST_F(KeyCheckCacheFolder, AKnownFileIsNotReadAgain) {
  const KeyCheckCache cache(folder_);
  const auto good = ProvingKey::open(vector_path(CurveId::bn254, "square.zkey"));
  const auto bad = ProvingKey::open(vector_path(CurveId::bn254, "f_offcurveA.zkey"));
  ASSERT_TRUE(good.ok() && bad.ok());
  EXPECT_TRUE(check_points(**good, &cache, 1).ok());
  EXPECT_TRUE(cache.contains((*good)->file_stamp()));
  EXPECT_FALSE(check_points(**bad, &cache, 1).ok());
  cache.remember((*bad)->file_stamp());  // only the stamp can make it pass
  EXPECT_TRUE(check_points(**bad, &cache, 1).ok());
}

}  // namespace
}  // namespace penstock::circuit::testing
