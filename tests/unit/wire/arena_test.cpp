// The arena's file: one owner, shared memory both ways, restarts under a writer's feet, ranges that leave it.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "common/base/sensitive.hpp"
#include "common/wire/arena.hpp"

namespace penstock::wire {
namespace {

constexpr std::uint64_t size_bytes = 64 * slab_unit_bytes;

class Arena : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "penstock-arena-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = folder_ / "arena";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_, path_;
};

TEST_F(Arena, both_sides_see_the_same_memory) {
  const auto owner = ArenaFile::create(path_, size_bytes).value();
  const auto worker = ArenaMapping::open(path_).value();
  const auto slab = worker->range(slab_unit_bytes, 100).value();
  std::fill(slab.begin(), slab.end(), std::byte{7});
  EXPECT_EQ(owner->memory()[slab_unit_bytes + 99], std::byte{7});
  EXPECT_EQ(owner->memory()[slab_unit_bytes + 100], std::byte{0});
  wipe(owner->memory().subspan(slab_unit_bytes, 100));
  EXPECT_TRUE(std::all_of(slab.begin(), slab.end(), [](std::byte b) { return b == std::byte{0}; }));
}

TEST_F(Arena, belongs_to_its_user_and_disappears_with_its_owner) {
  auto owner = ArenaFile::create(path_, 1).value();
  EXPECT_EQ(owner->memory().size(), slab_unit_bytes);
  EXPECT_EQ(owner->path(), path_);
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_TRUE(owner->is_in_place());
  owner.reset();
  EXPECT_TRUE(std::filesystem::is_empty(folder_)) << "neither the arena nor its lock stays behind";
}

TEST_F(Arena, a_second_owner_is_refused_and_told_the_firsts_pid) {
  const auto owner = ArenaFile::create(path_, size_bytes).value();
  const auto second = ArenaFile::create(path_, size_bytes);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
  EXPECT_THAT(second.error().what, testing::HasSubstr("process " + std::to_string(getpid())));
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(Arena, a_file_left_by_a_killed_owner_is_replaced_and_clean) {
  const pid_t child = fork();
  if (child == 0) {
    auto owner = ArenaFile::create(path_, size_bytes);
    if (!owner.ok()) _exit(1);
    std::fill_n(owner.value()->memory().begin(), 100, std::byte{0xAA});
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_TRUE(std::filesystem::exists(path_));
  const auto owner = ArenaFile::create(path_, size_bytes);
  ASSERT_TRUE(owner.ok()) << to_string(owner.error());
  EXPECT_EQ(owner.value()->memory()[0], std::byte{0});
}

TEST_F(Arena, a_worker_follows_a_restarted_owner_and_its_old_spans_are_harmless) {
  auto owner = ArenaFile::create(path_, size_bytes).value();
  const auto worker = ArenaMapping::open(path_).value();
  const auto old = worker->range(0, slab_unit_bytes).value();
  old[0] = std::byte{1};
  owner.reset();
  EXPECT_EQ(worker->range(0, 1).error().code, ErrorCode::not_found);
  old[1] = std::byte{2};  // still mapped: a writer in the middle of its slab does not crash
  owner = ArenaFile::create(path_, 2 * size_bytes).value();
  const auto fresh = worker->range(size_bytes, slab_unit_bytes).value();  // beyond the old file's end
  fresh[0] = std::byte{3};
  EXPECT_EQ(owner->memory()[size_bytes], std::byte{3});
  EXPECT_EQ(old[0], std::byte{0}) << "the old file's memory is given back";
  old[0] = std::byte{4};
  EXPECT_EQ(owner->memory()[0], std::byte{0}) << "a late writer must not reach the new tenant";
}

TEST_F(Arena, the_file_removed_underneath_is_an_error_for_workers_and_harmless_for_the_owner) {
  auto owner = ArenaFile::create(path_, size_bytes).value();
  const auto worker = ArenaMapping::open(path_).value();
  std::filesystem::remove(path_);
  EXPECT_EQ(worker->range(0, 1).error().code, ErrorCode::not_found);
  EXPECT_EQ(ArenaMapping::open(path_).error().code, ErrorCode::not_found);
  owner->memory()[0] = std::byte{1};
  EXPECT_FALSE(owner->is_in_place());
  std::ofstream(path_) << "somebody else's";
  EXPECT_FALSE(owner->is_in_place());
  owner.reset();
  EXPECT_TRUE(std::filesystem::exists(path_)) << "not ours to remove";
}

TEST_F(Arena, ranges_that_leave_the_file_are_refused) {
  const auto owner = ArenaFile::create(path_, size_bytes).value();
  const auto worker = ArenaMapping::open(path_).value();
  EXPECT_TRUE(worker->range(0, size_bytes).ok());
  EXPECT_TRUE(worker->range(size_bytes, 0).ok());
  const std::uint64_t most = ~std::uint64_t{0};
  for (const auto& [offset, size] : {std::pair{std::uint64_t{0}, size_bytes + 1},
                                     {size_bytes, std::uint64_t{1}},
                                     {size_bytes + 1, std::uint64_t{0}},
                                     {most, most},
                                     {most, std::uint64_t{1}},
                                     {std::uint64_t{1}, most}})
    EXPECT_EQ(worker->range(offset, size).error().code, ErrorCode::index_out_of_range)
        << offset << " " << size;
}

TEST_F(Arena, sizes_and_places_that_cannot_be_are_refused) {
  EXPECT_EQ(ArenaFile::create(path_, 0).error().code, ErrorCode::bad_request);
  EXPECT_EQ(ArenaFile::create(path_, ~std::uint64_t{0}).error().code, ErrorCode::bad_request);
  EXPECT_EQ(ArenaFile::create(folder_ / "no" / "arena", size_bytes).error().code, ErrorCode::file_unwritable);
  const auto huge = ArenaFile::create(path_, std::uint64_t{1} << 46);
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.error().code, ErrorCode::out_of_memory);
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_TRUE(ArenaFile::create(path_, size_bytes).ok()) << "a failed attempt keeps no lock";
}

TEST_F(Arena, what_is_no_arena_is_not_mapped) {
  std::filesystem::create_symlink("/dev/null", path_);
  EXPECT_FALSE(ArenaMapping::open(path_).ok());
  EXPECT_FALSE(ArenaMapping::open(folder_).ok());
  std::ofstream(folder_ / "empty").flush();
  EXPECT_EQ(ArenaMapping::open(folder_ / "empty").error().code, ErrorCode::bad_format);
}

TEST_F(Arena, the_host_id_is_stable) {
  EXPECT_FALSE(host_id().empty());
  EXPECT_EQ(host_id(), host_id());
}

}  // namespace
}  // namespace penstock::wire
