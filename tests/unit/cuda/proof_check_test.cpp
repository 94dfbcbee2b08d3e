// The start-up check against a right device, the host's, and against the same one bent: what a wrong device
// would do.
#include "cuda/groth16/proof_check.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "common/groth16/fixed_base.hpp"
#include "common/groth16/host_device.hpp"

namespace penstock::cuda {
namespace {

using algebra::Bls12_381;
using algebra::Bn254;
using groth16::Blinding;
using groth16::PartitionView;
using groth16::ProvedPartition;
using groth16::ProvingLane;
using groth16::ResidentCircuit;

using Bend = std::function<void(ProvedPartition&)>;

class BentLane final : public ProvingLane {
 public:
  BentLane(std::unique_ptr<ProvingLane> right, const Bend& bend) : right_(std::move(right)), bend_(bend) {}
  Status stage(const ResidentCircuit& circuit, const PartitionView& partition) override {
    return right_->stage(circuit, partition);
  }
  Status prove_start(const Blinding& blinding) override { return right_->prove_start(blinding); }
  Result<ProvedPartition> prove_finish() override {
    auto proved = right_->prove_finish();
    if (proved.ok() && bend_) bend_(*proved);
    return proved;
  }
  const telemetry::LaneTimeline& timeline() const override { return right_->timeline(); }

 private:
  std::unique_ptr<ProvingLane> right_;
  const Bend& bend_;
};

class BentDevice final : public groth16::ProvingDevice {
 public:
  explicit BentDevice(Bend bend) : bend_(std::move(bend)) {}
  const groth16::DeviceInfo& info() const override { return right_->info(); }
  Result<std::shared_ptr<const ResidentCircuit>> load_circuit(
      std::shared_ptr<const circuit::ProvingKey> key) override {
    if (full) return Error{.code = ErrorCode::out_of_memory, .what = "the device is full"};
    return right_->load_circuit(std::move(key));
  }
  Result<std::unique_ptr<ProvingLane>> open_lane() override {
    return std::unique_ptr<ProvingLane>(std::make_unique<BentLane>(PENSTOCK_TRY(right_->open_lane()), bend_));
  }
  bool full = false;

 private:
  std::unique_ptr<groth16::ProvingDevice> right_ = groth16::make_host_device({.threads = 1});
  Bend bend_;
};

void expect_refused(const Status& status, const std::string& why) {
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::device_unavailable);
  EXPECT_NE(status.error().what.find(why), std::string::npos) << status.error().what;
}

TEST(ProofCheck, a_device_that_proves_rightly_passes) {
  BentDevice device(nullptr);
  const Status checked = check_proofs(device);
  EXPECT_TRUE(checked.ok()) << to_string(checked.error());
}

TEST(ProofCheck, a_device_whose_g1_sums_are_wrong_on_one_curve_is_refused_by_that_curves_name) {
  BentDevice device([](ProvedPartition& proved) {
    if (auto* proof = std::get_if<circuit::Proof<Bls12_381>>(&proved.proof)) proof->c = -proof->c;
  });
  expect_refused(check_proofs(device), "a proof does not verify on bls12_381");
}

TEST(ProofCheck, a_device_whose_g2_sum_is_wrong_is_refused) {
  BentDevice device([](ProvedPartition& proved) {
    if (auto* proof = std::get_if<circuit::Proof<Bn254>>(&proved.proof)) proof->b = Bn254::g2_generator();
  });
  expect_refused(check_proofs(device), "a proof does not verify on bn254");
}

TEST(ProofCheck, a_device_that_proves_something_else_is_refused) {
  BentDevice device([](ProvedPartition& proved) { proved.publics[0][0] ^= 1; });
  expect_refused(check_proofs(device), "other public signals");
}

TEST(ProofCheck, a_device_that_errs_only_in_its_second_proof_is_refused) {
  int proofs = 0;
  BentDevice device([&proofs](ProvedPartition& proved) {
    if (++proofs != 2) return;
    auto& proof = std::get<circuit::Proof<Bn254>>(proved.proof);
    proof.a = -proof.a;
  });
  expect_refused(check_proofs(device), "a proof does not verify");
  EXPECT_EQ(proofs, 2);
}

TEST(ProofCheck, a_device_without_memory_says_so_itself) {
  BentDevice device(nullptr);
  device.full = true;
  const Status checked = check_proofs(device);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().code, ErrorCode::out_of_memory);
}

/// Multiplies by the host's tables; one group's points from the second on are bent.
class BentMultiplier final : public groth16::PointMultiplier {
 public:
  enum class Group { none, bn254_g1, bn254_g2, bls12_381_g1, bls12_381_g2 };
  explicit BentMultiplier(Group bent) : bent_(bent) {}
  Status multiply(std::span<const Bn254::Fr> scalars, std::span<Bn254::G1> points) override {
    return multiply(Group::bn254_g1, Bn254::g1_generator(), scalars, points);
  }
  Status multiply(std::span<const Bn254::Fr> scalars, std::span<Bn254::G2> points) override {
    return multiply(Group::bn254_g2, Bn254::g2_generator(), scalars, points);
  }
  Status multiply(std::span<const Bls12_381::Fr> scalars, std::span<Bls12_381::G1> points) override {
    return multiply(Group::bls12_381_g1, Bls12_381::g1_generator(), scalars, points);
  }
  Status multiply(std::span<const Bls12_381::Fr> scalars, std::span<Bls12_381::G2> points) override {
    return multiply(Group::bls12_381_g2, Bls12_381::g2_generator(), scalars, points);
  }

 private:
  template <class Fr, class Point>
  Status multiply(Group group, const Point& generator, std::span<const Fr> scalars, std::span<Point> points) {
    groth16::ThreadTeam team(1);
    groth16::FixedBase<Fr, Point>(team, generator).multiply(team, scalars, points);
    if (group == bent_) points.back() = -points.back();
    return {};
  }
  Group bent_;
};

TEST(ProofCheck, a_multiplier_that_multiplies_rightly_passes_and_one_wrong_in_any_group_is_refused) {
  using Group = BentMultiplier::Group;
  BentMultiplier right(Group::none);
  EXPECT_TRUE(check_multiples(right).ok());
  for (const auto& [group, curve] :
       {std::pair{Group::bn254_g1, "bn254"}, std::pair{Group::bn254_g2, "bn254"},
        std::pair{Group::bls12_381_g1, "bls12_381"}, std::pair{Group::bls12_381_g2, "bls12_381"}}) {
    BentMultiplier wrong(group);
    expect_refused(check_multiples(wrong), std::string("differs from the host's on ") + curve);
  }
}

}  // namespace
}  // namespace penstock::cuda
