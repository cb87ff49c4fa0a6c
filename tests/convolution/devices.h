// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sinter/device.h>

#include <string>

#include "tests/capture_cuda/emulator.h"

namespace sinter::test {

/// Tests for the CPU and for Device::cuda(0), which is the emulator unless SINTER_TEST_GPU is set.
class OnDevices : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) use_emulator();
  }
  Device device() const { return GetParam() ? Device::cuda(0) : Device::cpu(); }
};

inline std::string device_name(const testing::TestParamInfo<bool>& info) { return info.param ? "cuda" : "cpu"; }

}  // namespace sinter::test
