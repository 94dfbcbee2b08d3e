// Precedence of file, environment and flags; secrets; mistakes named with what was meant.
#include "common/runtime/config.hpp"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace penstock::runtime {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Settings {
  std::string name = "gpu-0", api_key, level = "info";
  std::int64_t lanes = 2;
  std::uint64_t arena_bytes = std::uint64_t{64} << 20;
  bool check_digest = true;
  std::chrono::milliseconds drain{30000};
};

class Config : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "penstock-config-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    for (const auto& name : variables_) unsetenv(name.c_str());
    std::filesystem::remove_all(folder_);
  }
  void set(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    variables_.push_back(name);
  }
  std::string write(const std::string& file, const std::string& text) {
    std::ofstream(folder_ / file) << text;
    return folder_ / file;
  }
  Result<bool> read(std::vector<std::string> arguments) {
    reader_ = std::make_unique<ConfigReader>();
    reader_->text("gpu.name", settings_.name, "Name of the service");
    reader_->secret("gpu.api_key", settings_.api_key, "Key for the API");
    reader_->number("gpu.lanes", settings_.lanes, "Interleaved workers", 1, 16);
    reader_->size("gpu.arena_bytes", settings_.arena_bytes, "Size of the arena");
    reader_->flag("gpu.check_digest", settings_.check_digest, "Check the slabs");
    reader_->duration("gpu.drain", settings_.drain, "The longest drain");
    reader_->text("log.level", settings_.level, "What is logged");
    arguments.insert(arguments.begin(), "penstock-gpu");
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    return reader_->read("penstock-gpu", "The GPU service", static_cast<int>(argv.size()), argv.data());
  }
  Error refused(const std::vector<std::string>& arguments) {
    const auto result = read(arguments);
    EXPECT_FALSE(result.ok());
    return result.ok() ? Error{} : result.error();
  }

  std::filesystem::path folder_;
  std::vector<std::string> variables_;
  Settings settings_;
  std::unique_ptr<ConfigReader> reader_;
};

TEST_F(Config, defaults_stay_where_nothing_is_said) {
  ASSERT_TRUE(read({}).ok());
  EXPECT_EQ(settings_.name, "gpu-0");
  EXPECT_EQ(settings_.lanes, 2);
  EXPECT_THAT(reader_->describe(), HasSubstr("lanes = 2  # default\n"));
}

TEST_F(Config, a_flag_beats_the_environment_and_that_the_file) {
  const auto file =
      write("c.toml", "[gpu]\nname = \"file\"\nlanes = 3\narena_bytes = \"1GiB\"\ndrain = \"5m\"\n");
  set("PENSTOCK_GPU_NAME", "environment");
  set("PENSTOCK_GPU_LANES", "4");
  ASSERT_TRUE(read({"--config", file, "--name", "flag"}).ok());
  EXPECT_EQ(settings_.name, "flag");
  EXPECT_EQ(settings_.lanes, 4);
  EXPECT_EQ(settings_.arena_bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(settings_.drain, std::chrono::minutes(5));
  const std::string text = reader_->describe();
  EXPECT_THAT(text, HasSubstr("[gpu]\nname = \"flag\"  # flag\n"));
  EXPECT_THAT(text, HasSubstr("lanes = 4  # environment\n"));
  EXPECT_THAT(text, HasSubstr("arena_bytes = \"1GiB\"  # file\n"));
}

TEST_F(Config, what_is_described_can_be_read_back) {
  settings_.name = "a \"quoted\" \\ name";
  ASSERT_TRUE(read({"--lanes", "5"}).ok());
  const auto file = write("again.toml", reader_->describe());
  settings_ = {};
  ASSERT_TRUE(read({"--config", file}).ok());
  EXPECT_EQ(settings_.name, "a \"quoted\" \\ name");
  EXPECT_EQ(settings_.lanes, 5);
}

TEST_F(Config, the_environment_may_name_the_file) {
  set("PENSTOCK_CONFIG", write("c.toml", "[gpu]\nlanes = 7\n"));
  ASSERT_TRUE(read({}).ok());
  EXPECT_EQ(settings_.lanes, 7);
}

TEST_F(Config, flags_can_be_turned_off_and_other_sections_are_named) {
  ASSERT_TRUE(read({"--no-check-digest", "--log-level", "debug", "--lanes=9"}).ok());
  EXPECT_FALSE(settings_.check_digest);
  EXPECT_EQ(settings_.level, "debug");
  EXPECT_EQ(settings_.lanes, 9);
  ASSERT_TRUE(read({"--check-digest"}).ok());
  EXPECT_TRUE(settings_.check_digest);
}

TEST_F(Config, a_secret_may_come_from_a_file_and_is_never_shown) {
  const auto secret = write("secret", "hunter2\n");
  const auto file = write("c.toml", "[gpu]\napi_key_file = \"" + secret + "\"\n");
  ASSERT_TRUE(read({"--config", file}).ok());
  EXPECT_EQ(settings_.api_key, "hunter2");
  EXPECT_THAT(reader_->describe(), Not(HasSubstr("hunter2")));
  settings_.api_key.clear();
  set("PENSTOCK_GPU_API_KEY_FILE", secret);
  ASSERT_TRUE(read({}).ok());
  EXPECT_EQ(settings_.api_key, "hunter2");
  settings_.api_key.clear();
  unsetenv("PENSTOCK_GPU_API_KEY_FILE");
  ASSERT_TRUE(read({"--api-key-file", secret}).ok());
  EXPECT_EQ(settings_.api_key, "hunter2");
  EXPECT_EQ(refused({"--api-key-file", folder_ / "none"}).code, ErrorCode::file_unreadable);
}

TEST_F(Config, only_secrets_come_from_files) {
  EXPECT_EQ(refused({"--config", write("c.toml", "[gpu]\nname_file = \"x\"\n")}).code,
            ErrorCode::bad_request);
}

TEST_F(Config, a_mistyped_key_is_answered_with_the_near_match) {
  const auto in_file = refused({"--config", write("c.toml", "[gpu]\narena_byte = 1\n")});
  EXPECT_EQ(in_file.code, ErrorCode::bad_request);
  EXPECT_THAT(in_file.what, HasSubstr("line 2"));
  EXPECT_THAT(in_file.hint, HasSubstr("gpu.arena_bytes"));
  EXPECT_THAT(refused({"--config", write("d.toml", "[gpuu]\nlanes = 1\n")}).hint, HasSubstr("gpu"));
  EXPECT_THAT(refused({"--lanse", "3"}).hint, HasSubstr("--lanes"));
  EXPECT_THAT(refused({"--arena-byts=1"}).hint, HasSubstr("--arena-bytes"));
  EXPECT_EQ(refused({"stray"}).code, ErrorCode::bad_request);
  set("PENSTOCK_GPU_LANE", "3");
  EXPECT_THAT(refused({}).hint, HasSubstr("PENSTOCK_GPU_LANES"));
}

TEST_F(Config, sections_of_other_services_are_skipped) {
  set("PENSTOCK_QUEUE_HTTP", "127.0.0.1:1");
  EXPECT_TRUE(
      read({"--config", write("c.toml", "[queue]\nhttp = \"x\"\n[gpu]\nlanes = 1\n[synthesis]\n")}).ok());
}

TEST_F(Config, a_value_that_is_none_is_named_with_its_place) {
  const auto in_file = refused({"--config", write("c.toml", "[gpu]\n\nlanes = 17\n")});
  EXPECT_THAT(in_file.what, HasSubstr("line 3"));
  EXPECT_THAT(in_file.what, HasSubstr("from 1 to 16"));
  EXPECT_THAT(refused({"--drain", "30"}).what, HasSubstr("--drain"));
  set("PENSTOCK_GPU_ARENA_BYTES", "lots");
  EXPECT_THAT(refused({}).what, HasSubstr("PENSTOCK_GPU_ARENA_BYTES"));
}

TEST_F(Config, files_that_are_no_configuration_are_refused) {
  EXPECT_EQ(refused({"--config", folder_ / "none.toml"}).code, ErrorCode::file_unreadable);
  EXPECT_THAT(refused({"--config", write("c.toml", "[gpu\nlanes")}).what, HasSubstr("line 1"));
  EXPECT_FALSE(read({"--config", write("d.toml", "[gpu]\nlanes = [1, 2]\n")}).ok());
  EXPECT_FALSE(read({"--config", write("e.toml", "lanes = 1\n")}).ok());
  EXPECT_FALSE(read({"--config", folder_}).ok());
}

TEST_F(Config, help_and_version_end_the_process_well) {
  testing::internal::CaptureStdout();
  EXPECT_FALSE(read({"--help"}).value());
  const std::string help = testing::internal::GetCapturedStdout();
  EXPECT_THAT(help, HasSubstr("--arena-bytes"));
  EXPECT_THAT(help, HasSubstr("Size of the arena [\"64MiB\"]"));
  testing::internal::CaptureStdout();
  EXPECT_FALSE(read({"--version"}).value());
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("0."));
}

}  // namespace
}  // namespace penstock::runtime
