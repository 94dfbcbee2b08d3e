// A Groth16 proving key (.zkey), memory-mapped and structurally checked on open.
// Shape: every section view is valid by construction: sizes, counts, indices, primes and the domain are
// checked in
//   open(); points are checked by check_points() (canonical, on curve, in subgroup), remembered per content
//   hash and per file.
// Ownership: the mapping lives as long as the object; views point into it. Threads: immutable after open().
// Limit: the file must not be changed or truncated while it is open: a mapping that loses its pages ends the
// process
//   (SIGBUS). Replace a key by renaming a new file over it.
// Errors: the codes of formats.md with the byte offset in the file.
// Cost: open() reads section 4 once (index and canonical checks); points are not touched.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "common/base/curve_id.hpp"
#include "common/base/ids.hpp"
#include "common/base/result.hpp"
#include "common/base/unaligned.hpp"
#include "common/circuit/mapped_file.hpp"
#include "common/circuit/proof.hpp"

namespace penstock::circuit {

/// One entry of section 4 as it lies in the file (44 bytes). `value` is n*R^2 mod r: one Montgomery product
/// with a plain witness value gives Montgomery n*w.
struct [[gnu::packed]] Coefficient {
  std::uint32_t matrix;  ///< 0 = A, 1 = B
  std::uint32_t constraint;
  std::uint32_t signal;
  std::uint64_t value[4];
};
static_assert(sizeof(Coefficient) == 44);

struct KeyShape {
  CurveId curve = CurveId::bn254;
  std::uint32_t variables = 0;  ///< wires, the constant one included
  std::uint32_t publics = 0;    ///< outputs + public inputs
  std::uint32_t domain_size = 0;
  int domain_log2 = 0;
};

/// The typed sections of a key of curve C. Infinity is (0,0) and may occur in a, b1, b2, c.
template <class C>
struct KeyView {
  typename C::G1 alpha1, beta1, delta1;
  typename C::G2 beta2, gamma2, delta2;
  UnalignedSpan<typename C::G1> ic;  ///< publics + 1
  UnalignedSpan<typename C::G1> a;   ///< variables
  UnalignedSpan<typename C::G1> b1;  ///< variables
  UnalignedSpan<typename C::G2> b2;  ///< variables
  UnalignedSpan<typename C::G1> c;   ///< variables - publics - 1
  UnalignedSpan<typename C::G1> h;   ///< domain_size
};

class ProvingKey {
 public:
  [[nodiscard]] static Result<std::shared_ptr<const ProvingKey>> open(const std::filesystem::path& path);

  [[nodiscard]] const KeyShape& shape() const { return shape_; }
  [[nodiscard]] const std::string& path() const { return file_.path(); }
  [[nodiscard]] std::uint64_t size_bytes() const { return file_.bytes().size(); }
  [[nodiscard]] UnalignedSpan<Coefficient> coefficients() const { return coefficients_; }
  /// Says that coefficients() will not be read soon: the system may take their pages back, later readings
  /// bring them in again.
  void release_coefficients() const { file_.release(coefficients_.bytes()); }
  /// Section 10 carries the mark of `setup --insecure-dev`.
  [[nodiscard]] bool insecure_dev() const { return insecure_dev_; }
  [[nodiscard]] std::uint32_t contributions() const { return contributions_; }

  /// REQUIRES C::id == shape().curve.
  template <class C>
  [[nodiscard]] KeyView<C> view() const;
  [[nodiscard]] AnyVerificationKey verification_key() const;
  /// alpha1, beta1, beta2, gamma2, delta1, delta2 as they lie in section 2.
  [[nodiscard]] std::span<const std::byte> header_points() const { return header_points_; }
  /// Where a view's bytes lie in the file, for errors. REQUIRES that `place` points into this key's mapping.
  [[nodiscard]] std::uint64_t offset_of(const std::byte* place) const {
    return static_cast<std::uint64_t>(place - file_.bytes().data());
  }

  /// SHA-256 over the digests of sections 1-9 (a tree of 1 MiB leaves, hashed on all cores): what proves,
  /// whatever the file's section order or contribution record. 64 hex digits. Computed once, then remembered.
  /// Thread-safe.
  [[nodiscard]] std::string content_hash() const;
  /// Stands for the content where the file's state tells it (file_state.hpp); else empty.
  [[nodiscard]] std::string file_stamp() const { return circuit::file_stamp(file_.state()); }

 private:
  explicit ProvingKey(MappedFile file) : file_(std::move(file)) {}
  [[nodiscard]] Status parse();

  MappedFile file_;
  KeyShape shape_;
  std::span<const std::byte> header_points_;
  std::span<const std::byte> sections_[11];  ///< by type; 0 is unused
  UnalignedSpan<Coefficient> coefficients_;
  bool insecure_dev_ = false;
  std::uint32_t contributions_ = 0;
  mutable std::once_flag hash_once_;
  mutable std::string hash_;
};

/// Remembers which key contents, and which files, have passed check_points(). A folder that only the user can
/// write (0700, owned); otherwise nothing is remembered or believed.
class KeyCheckCache {
 public:
  /// Default folder: $XDG_CACHE_HOME/penstock/keys or ~/.cache/penstock/keys, passed in by main.
  explicit KeyCheckCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// `name`: a key's content_hash() or file_stamp().
  [[nodiscard]] bool contains(const std::string& name) const;
  void remember(const std::string& name) const;

 private:
  std::filesystem::path folder_;
};

/// Checks every point: canonical coordinates, no half-zero infinity, on the curve, in the subgroup; the
/// header's points too. Skipped when the cache knows the file or its content. Cost: two field products a
/// point and the batch subgroup check on `threads` cores.
[[nodiscard]] Status check_points(const ProvingKey& key, const KeyCheckCache* cache, int threads);

/// Findings that are legal but worth a sentence: infinity in IC or H, an uncontributed key, insecure_dev.
[[nodiscard]] std::vector<std::string> warnings(const ProvingKey& key);

}  // namespace penstock::circuit
