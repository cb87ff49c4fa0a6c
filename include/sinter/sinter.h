// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/allocator.h>
#include <sinter/compile.h>
#include <sinter/dlpack.h>
#include <sinter/freeze.h>
#include <sinter/ops.h>
#include <sinter/saved.h>
#include <sinter/stream.h>
#include <sinter/tensor.h>
#include <sinter/warnings.h>
