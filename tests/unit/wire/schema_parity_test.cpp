// The lists of C++ and of the schemas are the same lists: phases, error codes, small enums, the union of
// messages.
#include <capnp/schema.h>
#include <gtest/gtest.h>

#include "common/wire/messages.hpp"
#include "schemas/message.capnp.h"

namespace penstock::wire {
namespace {

/// msm_b1 -> msmB1
std::string camel_case(std::string_view snake) {
  std::string out;
  bool raise = false;
  for (const char c : snake) {
    if (c == '_') {
      raise = true;
      continue;
    }
    out += raise ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    raise = false;
  }
  return out;
}

template <class Wire, class Names>
void expect_same_list(const Names& names) {
  const auto enumerants = capnp::Schema::from<Wire>().getEnumerants();
  ASSERT_EQ(enumerants.size(), names.size());
  for (const auto enumerant : enumerants)
    EXPECT_STREQ(enumerant.getProto().getName().cStr(), camel_case(names[enumerant.getOrdinal()]).c_str());
}

TEST(SchemaParity, every_phase_is_in_the_schema_under_its_name) {
  expect_same_list<schema::Phase>(phase_names);
}

TEST(SchemaParity, every_error_code_is_in_the_schema_under_its_name) {
  expect_same_list<schema::ErrorCode>(error_code_names);
}

TEST(SchemaParity, every_curve_is_in_the_schema_under_its_name) {
  expect_same_list<schema::CurveId>(curve_names);
}

TEST(SchemaParity, the_small_enums_agree) {
  const auto size = [](auto schema) { return schema.getEnumerants().size(); };
  EXPECT_EQ(size(capnp::Schema::from<schema::WorkerKind>()), static_cast<unsigned>(WorkerKind::gpu) + 1);
  EXPECT_EQ(size(capnp::Schema::from<schema::Priority>()), static_cast<unsigned>(Priority::critical) + 1);
  EXPECT_EQ(size(capnp::Schema::from<schema::InputKind>()), static_cast<unsigned>(InputKind::wtns) + 1);
  EXPECT_EQ(size(capnp::Schema::from<schema::PartitionKind>()),
            static_cast<unsigned>(PartitionKind::evaluated) + 1);
  EXPECT_EQ(size(capnp::Schema::from<schema::Encoding>()), static_cast<unsigned>(Encoding::packed) + 1);
  EXPECT_EQ(size(capnp::Schema::from<schema::ResultTo>()), static_cast<unsigned>(ResultTo::worker) + 1);
  EXPECT_EQ(size(capnp::Schema::from<schema::PartitionStage>()),
            static_cast<unsigned>(PartitionStage::proving) + 1);
  EXPECT_EQ(static_cast<int>(schema::PartitionStage::STAGED), static_cast<int>(PartitionStage::staged));
  EXPECT_EQ(static_cast<int>(schema::InputKind::WTNS), static_cast<int>(InputKind::wtns));
  EXPECT_EQ(static_cast<int>(schema::Encoding::PACKED), static_cast<int>(Encoding::packed));
  EXPECT_EQ(static_cast<int>(schema::ResultTo::WORKER), static_cast<int>(ResultTo::worker));
}

TEST(SchemaParity, the_union_has_the_members_of_the_variant) {
  const auto fields = capnp::Schema::from<schema::Message>().getUnionFields();
  EXPECT_EQ(fields.size(), std::variant_size_v<Message>);
}

}  // namespace
}  // namespace penstock::wire
