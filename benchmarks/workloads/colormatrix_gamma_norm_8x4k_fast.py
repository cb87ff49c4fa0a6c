# SPDX-License-Identifier: Apache-2.0
import importlib.util
import pathlib

# The same peers as the accurate row's.
_path = pathlib.Path(__file__).with_name("colormatrix_gamma_norm_8x4k.py")
_spec = importlib.util.spec_from_file_location("colormatrix_gamma_norm_8x4k", _path)
_accurate = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_accurate)
tolerance, exact, eager = _accurate.tolerance, _accurate.exact, _accurate.eager
