# SPDX-License-Identifier: Apache-2.0
# Shared by other test folders; no executable of its own.
