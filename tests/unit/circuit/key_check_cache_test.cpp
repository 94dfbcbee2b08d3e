#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <set>

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

constexpr std::uint64_t ext4 = 0xEF53, nfs = 0x6969;
constexpr std::uint32_t me = 1000;
constexpr std::int64_t changed = 1'000'000;

struct stat own_file() {
  struct stat facts {};
  facts.st_dev = 7;
  facts.st_ino = 8;
  facts.st_size = 9;
  facts.st_uid = me;
  facts.st_mode = S_IFREG | 0644;
  facts.st_mtim = {.tv_sec = changed, .tv_nsec = 5};
  facts.st_ctim = {.tv_sec = changed, .tv_nsec = 6};
  return facts;
}
std::string stamp(const struct stat& facts, std::int64_t now = changed + 100, std::uint64_t system = ext4) {
  return file_stamp(file_state(facts, system, now, me));
}

TEST(FileStamp, IsThereOnceTheLastChangeIsOldEnough) {
  const auto facts = own_file();
  for (const std::int64_t now : {changed - 10, changed, changed + 1, changed + 2})
    EXPECT_EQ(stamp(facts, now), "");
  EXPECT_EQ(stamp(facts, changed + 3).size(), 64U);
  EXPECT_EQ(stamp(facts, changed + 3), stamp(facts, changed + 1000));
}

TEST(FileStamp, EveryFactChangesIt) {
  const std::string first = stamp(own_file());
  std::set<std::string> stamps{first};
  const auto other = [&](auto&& change) {
    auto facts = own_file();
    change(facts);
    EXPECT_TRUE(stamps.insert(stamp(facts)).second);
  };
  other([](auto& facts) { ++facts.st_dev; });
  other([](auto& facts) { ++facts.st_ino; });
  other([](auto& facts) { ++facts.st_size; });
  other([](auto& facts) { ++facts.st_mtim.tv_sec; });
  other([](auto& facts) { ++facts.st_mtim.tv_nsec; });
  other([](auto& facts) { ++facts.st_ctim.tv_sec; });
  other([](auto& facts) { ++facts.st_ctim.tv_nsec; });
  other([](auto& facts) { facts.st_mtim.tv_sec = std::numeric_limits<std::int64_t>::max(); });
}

TEST(FileStamp, OnlyFilesThatWeOrRootAloneWriteHaveOne) {
  auto facts = own_file();
  facts.st_uid = 0;
  EXPECT_NE(stamp(facts), "");
  facts.st_uid = me + 1;
  EXPECT_EQ(stamp(facts), "");
  for (const mode_t mode : {0664, 0646, 0666}) {
    facts = own_file();
    facts.st_mode = S_IFREG | mode;
    EXPECT_EQ(stamp(facts), "") << mode;
  }
  EXPECT_EQ(stamp(own_file(), changed + 100, nfs), "");
}

TEST_F(KeyCheckCacheFolder, AKnownFileIsNotReadAgain) {
  const KeyCheckCache cache(folder_);
  const auto good = ProvingKey::open(vector_path(CurveId::bn254, "square.zkey"));
  const auto bad = ProvingKey::open(vector_path(CurveId::bn254, "f_offcurveA.zkey"));
  ASSERT_TRUE(good.ok() && bad.ok());
  if ((*good)->file_stamp().empty() || (*bad)->file_stamp().empty())
    GTEST_SKIP()
        << "the vectors' files are fresh, others may write them, or their file system is not a local one";
  EXPECT_TRUE(check_points(**good, &cache, 1).ok());
  EXPECT_TRUE(cache.contains((*good)->file_stamp()));
  EXPECT_FALSE(check_points(**bad, &cache, 1).ok());
  cache.remember((*bad)->file_stamp());  // only the stamp can make it pass
  EXPECT_TRUE(check_points(**bad, &cache, 1).ok());
}

}  // namespace
}  // namespace penstock::circuit::testing
