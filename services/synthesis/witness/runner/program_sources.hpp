// The C sources that every compiled program is built with, carried inside the runner (program_sources.cpp is
// made from program_abi.h and program_shim.c at configure time): an installation needs no folder of sources.
#pragma once

#include <string_view>

namespace penstock::synthesis::runner {

[[nodiscard]] std::string_view program_abi_source();
[[nodiscard]] std::string_view program_shim_source();

}  // namespace penstock::synthesis::runner
