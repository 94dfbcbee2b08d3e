// Where there is no libFuzzer: runs the harness over the files named on the command line, whole and cut
// short.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("no seeds: nothing was tested\n", stderr);
    return 1;
  }
  constexpr std::size_t cuts = 16;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    for (std::size_t cut = 0; cut <= cuts; ++cut) LLVMFuzzerTestOneInput(data, bytes.size() * cut / cuts);
  }
  return 0;
}
