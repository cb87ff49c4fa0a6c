// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every op. One header a family; include what you use, or this.

#include <sinter/activations.h>
#include <sinter/bitwise.h>
#include <sinter/convolution.h>
#include <sinter/creation.h>
#include <sinter/einsum.h>
#include <sinter/image.h>
#include <sinter/in_place.h>
#include <sinter/indexing.h>
#include <sinter/linalg.h>
#include <sinter/losses.h>
#include <sinter/normalization.h>
#include <sinter/pointwise.h>
#include <sinter/pooling.h>
#include <sinter/random.h>
#include <sinter/reductions.h>
#include <sinter/scans.h>
#include <sinter/scatter.h>
#include <sinter/sorting.h>
#include <sinter/views.h>
