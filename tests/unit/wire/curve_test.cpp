// Key files: made, read, refused.
#include "common/wire/curve.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

namespace penstock::wire {
namespace {

class CurveFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "penstock-curve-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string text_of(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  std::filesystem::path folder_;
};

TEST_F(CurveFiles, a_pair_is_written_and_read_and_the_public_file_holds_no_secret) {
  const CurveKeys keys = make_curve_keys();
  ASSERT_TRUE(write_curve_keys(keys, folder_, "gpu-0").ok());
  struct stat info {};
  ASSERT_EQ(::stat((folder_ / "gpu-0.key").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const auto read = read_curve_keys(folder_ / "gpu-0.key");
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  EXPECT_EQ((*read)->public_key, keys.public_key);
  const auto secret = keys.secret_key.reveal(), back = (*read)->secret_key.reveal();
  EXPECT_TRUE(std::equal(secret.begin(), secret.end(), back.begin(), back.end()));
  EXPECT_EQ(read_curve_public((folder_ / "gpu-0.pub").string()).value(), keys.public_key);
  EXPECT_EQ(read_curve_public(keys.public_key).value(), keys.public_key);
  EXPECT_EQ(text_of("gpu-0.pub").find(std::string(secret.data(), secret.size())), std::string::npos);
}

TEST_F(CurveFiles, keys_are_never_replaced) {
  ASSERT_TRUE(write_curve_keys(make_curve_keys(), folder_, "a").ok());
  const std::string before = text_of("a.key");
  EXPECT_EQ(write_curve_keys(make_curve_keys(), folder_, "a").error().code, ErrorCode::conflict);
  EXPECT_EQ(text_of("a.key"), before);
}

TEST_F(CurveFiles, a_secret_that_others_may_read_is_refused) {
  ASSERT_TRUE(write_curve_keys(make_curve_keys(), folder_, "a").ok());
  ASSERT_EQ(::chmod((folder_ / "a.key").c_str(), 0640), 0);
  EXPECT_EQ(read_curve_keys(folder_ / "a.key").error().code, ErrorCode::insecure_key);
}

TEST_F(CurveFiles, what_is_no_key_is_said_so) {
  std::ofstream(folder_ / "x.pub") << "public = short\n";
  EXPECT_EQ(read_curve_public((folder_ / "x.pub").string()).error().code, ErrorCode::bad_format);
  EXPECT_EQ(read_curve_clients(folder_).error().code, ErrorCode::bad_format);
  std::filesystem::remove(folder_ / "x.pub");
  EXPECT_EQ(read_curve_clients(folder_).error().code, ErrorCode::bad_format) << "nobody could connect";
  EXPECT_EQ(read_curve_clients(folder_ / "none").error().code, ErrorCode::file_unreadable);
  EXPECT_EQ(read_curve_keys(folder_ / "none.key").error().code, ErrorCode::file_unreadable);
  std::ofstream(folder_ / "big.pub") << std::string(5000, 'x');
  EXPECT_EQ(read_curve_public((folder_ / "big.pub").string()).error().code, ErrorCode::bad_format);
}

TEST_F(CurveFiles, a_folder_of_public_files_is_the_list_of_clients) {
  const CurveKeys a = make_curve_keys(), b = make_curve_keys();
  ASSERT_TRUE(write_curve_keys(a, folder_, "a").ok());
  ASSERT_TRUE(write_curve_keys(b, folder_, "b").ok());
  EXPECT_EQ(read_curve_clients(folder_).value(), (std::set<std::string>{a.public_key, b.public_key}));
}

}  // namespace
}  // namespace penstock::wire
