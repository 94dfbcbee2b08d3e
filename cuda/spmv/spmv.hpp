// A·w and B·w on the device, from matrices that stay there.
// Shape: rows of A (0 … N-1) then of B (N … 2N-1), CSR; values are n·R² mod r as in a zkey, the witness
// plain, so that one
//   Montgomery product gives Montgomery n·w. Rows of any skew: long ones are worked by whole blocks.
// Ownership: DeviceRows owns its buffers. Enqueues, does not synchronise. Errors: CudaError.
// Cost: one product an entry.
#pragma once

#include <cstdint>

#include "common/base/unaligned.hpp"
#include "common/circuit/proving_key.hpp"
#include "cuda/device/device_memory.hpp"
#include "cuda/msm/msm.hpp"

namespace penstock::spmv {

template <class Fr>
struct DeviceRows {
  std::uint64_t rows = 0;
  cuda::DeviceBuffer<std::uint32_t> first;      ///< rows + 1
  cuda::DeviceBuffer<std::uint32_t> signals;    ///< one an entry
  cuda::DeviceBuffer<Fr> values;                ///< one an entry
  cuda::DeviceBuffer<std::uint32_t> long_rows;  ///< rows above long_row_entries
  [[nodiscard]] std::uint64_t size_bytes() const {
    return first.size_bytes() + signals.size_bytes() + values.size_bytes() + long_rows.size_bytes();
  }
};

/// A row that one thread still works alone.
inline constexpr std::uint32_t long_row_entries = 48;

/// Sorts the key's section 4 by row and uploads it; waits for the upload.
template <class Fr>
[[nodiscard]] DeviceRows<Fr> upload_rows(const cuda::Stream& stream, cuda::DeviceHeap& heap,
                                         UnalignedSpan<circuit::Coefficient> coefficients,
                                         std::uint32_t domain_size);

/// out[row] for all 2N rows, Montgomery form.
template <class Fr>
void multiply(const cuda::Stream& stream, const DeviceRows<Fr>& rows, const msm::Scalar* witness, Fr* out);

}  // namespace penstock::spmv
