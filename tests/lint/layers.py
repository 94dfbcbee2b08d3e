"""Dependencies point one way; this reads them from the include graph and from the calls in the text.

The rule is the table below: a folder may include itself and what its row names. A new folder needs a row.
"""

import re

import tree

BASE = {"common/base"}
ALGEBRA = BASE | {"common/algebra"}
CIRCUIT = ALGEBRA | {"common/circuit"}
TELEMETRY = BASE | {"common/telemetry"}
GROTH16 = CIRCUIT | TELEMETRY | {"common/groth16"}
WIRE = TELEMETRY | {"common/wire", "schemas"}
RUNTIME = WIRE | {"common/runtime"}
STAGING = CIRCUIT | WIRE | {"common/staging"}
COMMON = GROTH16 | RUNTIME | STAGING
CUDA_ALGORITHMS = {"cuda/device", "cuda/field", "cuda/ntt", "cuda/msm", "cuda/spmv", "cuda/witness"}
CUDA = COMMON | CUDA_ALGORITHMS | {"cuda/groth16"}

ALLOWED = {
    "schemas": {"schemas"},
    "common/base": BASE,
    "common/algebra": ALGEBRA,
    "common/circuit": CIRCUIT,
    "common/telemetry": TELEMETRY,
    "common/groth16": GROTH16,
    "common/wire": WIRE,
    "common/runtime": RUNTIME,
    "common/staging": STAGING,
    "cuda/device": COMMON | {"cuda/device"},
    "cuda/field": COMMON | {"cuda/device", "cuda/field"},
    "cuda/ntt": COMMON | CUDA_ALGORITHMS,
    "cuda/msm": COMMON | CUDA_ALGORITHMS,
    "cuda/spmv": COMMON | CUDA_ALGORITHMS,
    "cuda/witness": COMMON | CUDA_ALGORITHMS,
    "cuda/groth16": CUDA,
    "cuda/bench": CUDA | {"cuda/bench"},
    # A service sees the device through ProvingDevice and one factory header, never through CUDA's own.
    "services/queue": COMMON | {"services/queue"},
    "services/synthesis": COMMON | {"services/synthesis"},
    "services/gpu": COMMON | {"services/gpu", "cuda/groth16"},
    "services/cli": COMMON | {"services/cli", "services/queue", "services/synthesis", "services/gpu", "cuda/groth16",
                              "cuda/bench"},
}
TOP = ("schemas", "common", "cuda", "services", "tests")
CUDA_HEADER = re.compile(r"^(cuda|cuda_runtime|cuda_runtime_api|nvml|cupti|device_launch_parameters|cub/.*|"
                         r"thrust/.*|cooperative_groups)(\.h|\.hpp|\.cuh)?$")
RAW_CALL = re.compile(r"\b(?:cuda[A-Z]\w*|nvml[A-Z]\w*|cu(?:Stream|Mem|Ctx|Device|Module|Launch|Event)[A-Z]\w*)\s*\(")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.S)


def folder_of(path):
    parts = path.split("/")
    if parts[0] == "schemas":
        return "schemas"
    return "/".join(parts[:2])


def check():
    """Yields one line per violation."""
    for name in tree.code_files("schemas", "common", "cuda", "services"):
        folder = folder_of(name)
        if folder not in ALLOWED:
            yield f"{name}: folder {folder} has no row in tests/lint/layers.py"
            continue
        for included in tree.includes(name):
            if included.split("/")[0] in TOP:
                target = folder_of(included)
                if target not in ALLOWED[folder]:
                    yield f"{name}: {folder} must not include {target} ({included})"
            elif CUDA_HEADER.match(included) and not folder.startswith("cuda/"):
                yield f"{name}: CUDA's headers stay below cuda/ ({included})"
        if folder == "cuda/device":
            continue
        for call in RAW_CALL.findall(COMMENT.sub("", tree.text(name))):
            yield f"{name}: raw {call.rstrip('( ')}: only cuda/device calls CUDA or NVML"
