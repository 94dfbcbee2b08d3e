// What a verb reads is never written over.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "services/cli/proof_files.hpp"

namespace penstock::cli {
namespace {

class Outputs : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "penstock-outputs-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    std::ofstream(folder_ / "key.zkey") << "key";
    std::filesystem::create_symlink("key.zkey", folder_ / "link.zkey");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(Outputs, an_input_is_not_written_over_by_whatever_name) {
  for (const auto& name : {folder_ / "key.zkey", folder_ / "." / "key.zkey", folder_ / "link.zkey"}) {
    const Status refused = check_outputs({folder_ / "key.zkey"}, {folder_ / "proof.json", name});
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_EQ(refused.error().code, ErrorCode::bad_request);
    EXPECT_EQ(refused.error().file, name.string());
  }
}

TEST_F(Outputs, two_outputs_are_two_files) {
  EXPECT_FALSE(check_outputs({}, {folder_ / "same.json", folder_ / "." / "same.json"}).ok());
  EXPECT_TRUE(check_outputs({folder_ / "key.zkey"}, {folder_ / "proof.json", folder_ / "public.json"}).ok());
  EXPECT_TRUE(check_outputs({}, {"/dev/null", "/dev/null"}).ok());
}

}  // namespace
}  // namespace penstock::cli
