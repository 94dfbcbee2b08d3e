#!/usr/bin/env python3
"""The lints find what they are for: each rule is shown one file that breaks it and one that does not."""

import unittest
from unittest import mock

import layers
import metric_names
import sizes
import text_rules
import tree
import units


def on(contents, rule):
    """The rule's lines on a tree of exactly these files."""
    with mock.patch.object(tree, "files", lambda: sorted(contents)), \
            mock.patch.object(tree, "text", contents.__getitem__):
        return list(rule())


class Layers(unittest.TestCase):
    def test_a_lower_layer_must_not_include_a_higher_one(self):
        self.assertTrue(on({"common/base/a.hpp": '#include "common/wire/b.hpp"\n'}, layers.check))
        self.assertTrue(on({"common/groth16/a.hpp": '#include "common/wire/b.hpp"\n'}, layers.check))
        self.assertFalse(on({"common/wire/a.hpp": '#include "common/base/b.hpp"\n'}, layers.check))

    def test_services_never_include_cuda_headers(self):
        self.assertTrue(on({"services/gpu/a.cpp": "#include <cuda_runtime.h>\n"}, layers.check))
        self.assertTrue(on({"services/gpu/a.cpp": '#include "cuda/msm/plan.hpp"\n'}, layers.check))

    def test_raw_cuda_calls_stay_in_cuda_device(self):
        call = "void f() { cudaStreamCreate(&s); }\n"
        self.assertTrue(on({"cuda/msm/a.cu": call}, layers.check))
        self.assertFalse(on({"cuda/device/a.cu": call}, layers.check))
        self.assertFalse(on({"cuda/msm/a.cu": "// cudaStreamCreate() is called elsewhere\n"}, layers.check))

    def test_an_unknown_folder_needs_a_row(self):
        self.assertTrue(on({"common/misc/a.hpp": ""}, layers.check))


class Text(unittest.TestCase):
    def test_forbidden_words_are_found(self):
        self.assertTrue(on({"a.cpp": "// TO" + "DO later\n"}, text_rules.check))
        self.assertTrue(on({"a.sh": "cd /wo" + "rk/main\n"}, text_rules.check))
        self.assertFalse(on({"a.cpp": "int total = 1;\n"}, text_rules.check))

    def test_circuits_compiled_from_others_are_found(self):
        self.assertTrue(on({"tests/vectors/bn254/poseidon.r1cs": ""}, text_rules.check))


class Sizes(unittest.TestCase):
    def test_a_long_file_and_a_long_function_are_found(self):
        self.assertTrue(on({"a.cpp": "\n" * 401}, sizes.check))
        body = "int f(int a) {\n" + "  a += 1;\n" * 70 + "  return a;\n}\n"
        self.assertTrue(on({"a.cpp": body}, sizes.check))
        self.assertFalse(on({"a.cpp": "int f(int a) {\n  return a;\n}\n"}, sizes.check))


class MetricNames(unittest.TestCase):
    def test_a_metric_nobody_emits_is_found(self):
        table = 'x("jobs_total", y);\n'
        alert = "expr: rate(penstock_{}_total[5m]) > 0\n"
        files = {"common/telemetry/m.cpp": table, "deploy/prometheus/alerts.yml": alert.format("jobs")}
        self.assertFalse(on(files, metric_names.check))
        files["deploy/prometheus/alerts.yml"] = alert.format("jbos")
        self.assertTrue(on(files, metric_names.check))


class Units(unittest.TestCase):
    def test_a_strict_unit_without_a_temporary_folder_is_found(self):
        name = "deploy/systemd/a.service"
        strict = "".join(setting + "\n" for setting in units.ALWAYS)
        self.assertFalse(on({name: strict + "PrivateTmp=yes\n"}, units.check))
        self.assertEqual(len(on({name: strict}, units.check)), 1)
        self.assertEqual(len(on({name: "PrivateTmp=yes\n"}, units.check)), len(units.ALWAYS))


if __name__ == "__main__":
    unittest.main()
