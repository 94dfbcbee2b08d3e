// What every reader of the container must refuse or accept, for each format and curve: tests that know only
// the container, not what the sections mean.
#include <algorithm>
#include <functional>

#include "common/circuit/binary_container.hpp"
#include "tests/unit/circuit/section_file.hpp"

namespace penstock::circuit::testing {
namespace {

/// Runs the check for each format's `mul` vector: the smallest, so that every byte can be tried.
void for_each_sample(const std::function<void(const Format&, const std::string&)>& check) {
  for (const auto curve : curves)
    for (const auto& format : formats()) {
      const auto file = "mul." + std::string(format.extension);
      SCOPED_TRACE(std::string(name(curve)) + "/" + file);
      check(format, vector_text(curve, file));
    }
}

TEST(Container, EverySampleIsAcceptedAsItIs) {
  for_each_sample([](const Format& format, const std::string& bytes) {
    EXPECT_EQ(outcome(open_bytes(format, bytes)), "ok");
    EXPECT_EQ(SectionFile::take_apart(bytes).bytes(), bytes);
  });
}

TEST(Container, AFileCutAnywhereIsTruncated) {
  for_each_sample([](const Format& format, const std::string& bytes) {
    for (std::size_t size = 0; size < bytes.size(); ++size)
      ASSERT_EQ(outcome(open_bytes(format, bytes.substr(0, size))), "file_truncated") << "cut at " << size;
  });
}

TEST(Container, BytesAfterTheLastSectionAreRefused) {
  for_each_sample([](const Format& format, const std::string& bytes) {
    EXPECT_EQ(outcome(open_bytes(format, bytes + '\0')), "size_mismatch");
    EXPECT_EQ(outcome(open_bytes(format, bytes + bytes)), "size_mismatch");
  });
}

TEST(Container, EveryWrongMagicIsNamed) {
  for_each_sample([](const Format& format, const std::string& bytes) {
    for (std::size_t i = 0; i < 4; ++i) {
      auto broken = bytes;
      broken[i] ^= 0x20;
      const auto status = open_bytes(format, broken);
      ASSERT_EQ(outcome(status), "bad_magic");
      EXPECT_EQ(status.error().offset, 0U);
    }
  });
}

TEST(Container, EveryOtherVersionIsNamed) {
  for_each_sample([](const Format& format, const std::string& bytes) {
    auto file = SectionFile::take_apart(bytes);
    const auto right = file.version;
    for (const std::uint32_t version : {0U, 1U, 2U, 3U, 9U, right + 256, right + 65536, UINT32_MAX}) {
      if (version == right) continue;
      file.version = version;
      const auto status = open_bytes(format, file.bytes());
      ASSERT_EQ(outcome(status), "unsupported_version") << version;
      EXPECT_EQ(status.error().offset, 4U);
    }
  });
}

TEST(Container, ASectionCountThatIsNotTheFilesIsRefused) {
  for_each_sample([](const Format& format, const std::string& bytes) {
    const auto count = read_at<std::uint32_t>(bytes, 8);
    const auto with_count = [&](std::uint32_t changed) {
      return outcome(open_bytes(format, bytes.substr(0, 8) + little_endian(changed) + bytes.substr(12)));
    };
    EXPECT_EQ(with_count(0), "size_mismatch");
    EXPECT_EQ(with_count(count - 1), "size_mismatch");
    EXPECT_EQ(with_count(count + 1), "file_truncated");
    EXPECT_EQ(with_count(max_sections), "file_truncated");
    EXPECT_EQ(with_count(max_sections + 1), "count_out_of_range");
    EXPECT_EQ(with_count(UINT32_MAX), "count_out_of_range");
  });
}

TEST(Container, ASectionSizeThatIsNotTheSectionsIsRefused) {
  for_each_sample([](const Format& format, const std::string& bytes) {
    const auto file = SectionFile::take_apart(bytes);
    for (const auto& part : file.parts) {
      const std::uint64_t place = file.offset_of(part.type) - 8;
      const std::uint64_t size = part.payload.size();
      for (const std::uint64_t wrong :
           {size + 1, size - 1, size + 12, std::uint64_t{1} << 32, std::uint64_t{1} << 63, UINT64_MAX,
            UINT64_MAX - 11, UINT64_MAX - place, UINT64_MAX - place - 7, std::uint64_t{bytes.size()}}) {
        auto broken = bytes;
        broken.replace(place, 8, little_endian(wrong));
        EXPECT_NE(outcome(open_bytes(format, broken)), "ok") << "section " << part.type << " size " << wrong;
      }
    }
  });
}

TEST(Container, SectionsMayComeInAnyOrder) {
  for_each_sample([](const Format& format, const std::string& bytes) {
    auto file = SectionFile::take_apart(bytes);
    for (std::size_t i = 0; i < file.parts.size(); ++i) {
      std::ranges::rotate(file.parts, file.parts.begin() + 1);
      EXPECT_EQ(outcome(open_bytes(format, file.bytes())), "ok");
      auto reversed = file;
      std::ranges::reverse(reversed.parts);
      EXPECT_EQ(outcome(open_bytes(format, reversed.bytes())), "ok");
    }
  });
}

TEST(Container, AnUnknownSectionIsSkippedWhereverItStands) {
  for_each_sample([](const Format& format, const std::string& bytes) {
    const auto file = SectionFile::take_apart(bytes);
    for (std::size_t place = 0; place <= file.parts.size(); ++place)
      for (const std::uint32_t type : {0U, 77U, UINT32_MAX}) {
        auto longer = file;
        longer.parts.insert(longer.parts.begin() + static_cast<std::ptrdiff_t>(place), {type, "unknown"});
        EXPECT_EQ(outcome(open_bytes(format, longer.bytes())), "ok") << type << " at " << place;
      }
  });
}

TEST(Container, EveryDuplicateIsRefusedEvenOfAnUnknownSection) {
  for_each_sample([](const Format& format, const std::string& bytes) {
    const auto file = SectionFile::take_apart(bytes);
    for (const auto& part : file.parts) {
      auto doubled = file;
      doubled.parts.push_back(part);
      EXPECT_EQ(outcome(open_bytes(format, doubled.bytes())), "section_duplicate") << part.type;
    }
    auto unknown = file;
    unknown.parts.push_back({77, "a"});
    unknown.parts.push_back({77, "b"});
    EXPECT_EQ(outcome(open_bytes(format, unknown.bytes())), "section_duplicate");
  });
}

TEST(Container, EveryRequiredSectionIsMissed) {
  for_each_sample([](const Format& format, const std::string& bytes) {
    const auto file = SectionFile::take_apart(bytes);
    for (const auto type : format.required) {
      auto shorter = file;
      std::erase_if(shorter.parts, [&](const auto& part) { return part.type == type; });
      EXPECT_EQ(outcome(open_bytes(format, shorter.bytes())), "section_missing") << type;
    }
  });
}

TEST(Container, EveryRequiredSectionOfAnyOtherLengthIsRefused) {
  for_each_sample([](const Format& format, const std::string& bytes) {
    const auto file = SectionFile::take_apart(bytes);
    for (const auto type : format.required) {
      auto longer = file;
      longer.payload(type) += '\0';
      EXPECT_EQ(outcome(open_bytes(format, longer.bytes())), "size_mismatch") << type;
      const auto whole = SectionFile(file).payload(type);
      for (std::size_t size = 0; size < whole.size(); ++size) {
        auto shorter = file;
        shorter.payload(type).resize(size);
        ASSERT_EQ(outcome(open_bytes(format, shorter.bytes())), "size_mismatch") << type << " of " << size;
      }
    }
  });
}

TEST(Container, AnyFlippedBitIsAnsweredAndNeverCrashes) {
  for_each_sample([](const Format& format, const std::string& bytes) {
    std::size_t refused = 0;
    for (std::size_t place = 0; place < bytes.size(); ++place) {
      auto broken = bytes;
      broken[place] = static_cast<char>(broken[place] ^ (1 << (place % 8)));
      if (!open_bytes(format, broken).ok()) ++refused;
    }
    EXPECT_GT(refused, 0U);
  });
}

TEST(Container, AFileThatIsNoRegularFileIsUnreadable) {
  for (const auto& format : formats())
    for (const char* path : {"/dev/zero", "/", "/nowhere/at/all", "/dev/null/x"})
      EXPECT_EQ(outcome(format.open(path)), "file_unreadable") << path;
}

TEST(Container, ErrorsNameTheFile) {
  for (const auto& format : formats()) {
    const TemporaryFile file("short");
    const auto status = format.open(file.path());
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().file, file.path().string());
  }
}

}  // namespace
}  // namespace penstock::circuit::testing
