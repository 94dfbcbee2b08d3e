#include "services/synthesis/witness/program_cache.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "support.hpp"

namespace penstock::synthesis {
namespace {

namespace fs = std::filesystem;

class ProgramCacheSuite : public ::testing::Test {
 protected:
  std::string open_code() {
    const auto program = WitnessProgram::open(wasm_, options_);
    return program.ok() ? "accepted" : std::string(name(program.error().code));
  }
  std::shared_ptr<const WitnessProgram> open() { return WitnessProgram::open(wasm_, options_).value(); }
  std::size_t objects() {
    std::size_t count = 0;
    for (const auto& file : fs::directory_iterator(options_.cache_folder))
      count += file.path().extension() == ".so";
    return count;
  }
  fs::path object() { return options_.cache_folder / (cache_key(open()->content_hash()) + ".so"); }

  TemporaryFolder folder_;
  ProgramOptions options_ = options_in(folder_.path());
  const fs::path wasm_ = vectors() / "bn254/mul.wasm";
  const std::string input_ = R"({"a": 3, "b": 11})";
};

TEST_F(ProgramCacheSuite, CreatesItsFolderForTheOwnerAlone) {
  EXPECT_EQ(open_code(), "accepted");
  struct stat about {};
  ASSERT_EQ(::stat(options_.cache_folder.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700U);
}

TEST_F(ProgramCacheSuite, RefusesAFolderThatOthersCanReach) {
  for (const mode_t mode : {0777, 0770, 0755, 0701}) {
    fs::remove_all(options_.cache_folder);
    ASSERT_EQ(::mkdir(options_.cache_folder.c_str(), 0700), 0);
    ASSERT_EQ(::chmod(options_.cache_folder.c_str(), mode), 0);
    EXPECT_EQ(open_code(), "conflict") << std::oct << mode;
  }
}

TEST_F(ProgramCacheSuite, RefusesALinkAndAFileInTheFoldersPlace) {
  fs::create_directory(folder_.path() / "elsewhere");
  fs::permissions(folder_.path() / "elsewhere", fs::perms::owner_all);
  fs::create_directory_symlink(folder_.path() / "elsewhere", options_.cache_folder);
  EXPECT_EQ(open_code(), "conflict");
  fs::remove(options_.cache_folder);
  write_file(options_.cache_folder, "");
  EXPECT_EQ(open_code(), "conflict");
}

TEST_F(ProgramCacheSuite, RefusesAFolderOfSomebodyElse) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a folder away";
  ASSERT_EQ(::mkdir(options_.cache_folder.c_str(), 0700), 0);
  ASSERT_EQ(::chown(options_.cache_folder.c_str(), 65534, 65534), 0);
  EXPECT_EQ(open_code(), "conflict");
}

TEST_F(ProgramCacheSuite, RefusesAnObjectThatOthersCanWrite) {
  ASSERT_TRUE(open()->compile({}, {}).ok());
  ASSERT_EQ(::chmod(object().c_str(), 0777), 0);
  const auto witness = open()->compute(input_, {});
  ASSERT_FALSE(witness.ok());
  EXPECT_EQ(witness.error().code, ErrorCode::conflict);
}

TEST_F(ProgramCacheSuite, ReplacesADamagedObject) {
  ASSERT_TRUE(open()->compile({}, {}).ok());
  const fs::path damaged = object();
  ASSERT_EQ(::chmod(damaged.c_str(), 0700), 0);
  write_file(damaged, "no object at all");
  // The witness comes from the interpreter; the object is made anew by the next compile.
  const auto witness = open()->compute(input_, {});
  ASSERT_TRUE(witness.ok()) << to_string(witness.error());
  EXPECT_EQ(witness->engine(), Engine::interpreted);
  EXPECT_FALSE(open()->is_compiled());
  WitnessOptions compiled;
  compiled.engine = Engine::compiled;
  EXPECT_EQ(open()->compute(input_, compiled)->engine(), Engine::compiled);
}

TEST_F(ProgramCacheSuite, CompilesOnceForManyProcesses) {
  static_cast<void>(open());
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(open()->compile({}, {}).ok() && open()->is_compiled() ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(objects(), 1U);
  for (const auto& file : fs::directory_iterator(options_.cache_folder))
    EXPECT_NE(file.path().extension(), ".work") << file.path();
}

TEST_F(ProgramCacheSuite, SurvivesACancelledCompileAndWhatItLeftBehind) {
  std::stop_source stop;
  const Status cancelled = open()->compile(stop.get_token(), [&](const Progress& now) {
    if (now.step == Progress::Step::compiling) stop.request_stop();
  });
  ASSERT_FALSE(cancelled.ok());
  EXPECT_EQ(cancelled.error().code, ErrorCode::cancelled);
  EXPECT_FALSE(open()->is_compiled());
  EXPECT_TRUE(open()->compile({}, {}).ok());
  EXPECT_TRUE(open()->is_compiled());
}

TEST_F(ProgramCacheSuite, RemovesTheLeastRecentlyUsedBeyondItsBound) {
  options_.cache_max_bytes = 1;
  ASSERT_TRUE(open()->compile({}, {}).ok());
  EXPECT_EQ(objects(), 1U);  // the newest stays, whatever the bound
  const auto other = WitnessProgram::open(vectors() / "bn254/nopub.wasm", options_).value();
  ASSERT_TRUE(other->compile({}, {}).ok());
  EXPECT_EQ(objects(), 1U);
  EXPECT_FALSE(open()->is_compiled());
  EXPECT_TRUE(other->is_compiled());
}

TEST_F(ProgramCacheSuite, ReportsItsProgress) {
  std::vector<Progress::Step> steps;
  ASSERT_TRUE(open()
                  ->compile({},
                            [&](const Progress& now) {
                              if (steps.empty() || steps.back() != now.step) steps.push_back(now.step);
                            })
                  .ok());
  EXPECT_EQ(steps, (std::vector<Progress::Step>{Progress::Step::translating, Progress::Step::compiling,
                                                Progress::Step::compiled}));
}

}  // namespace
}  // namespace penstock::synthesis
