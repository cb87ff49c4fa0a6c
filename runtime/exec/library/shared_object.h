// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace sinter::exec {

/// A library that is opened at run time and stays open.
class SharedObject {
 public:
  /// The first of these files that can be opened, with its symbols to itself.
  explicit SharedObject(const std::vector<std::string>& files);
  bool found() const { return handle_ != nullptr; }
  const std::string& file() const { return file_; }
  /// "tried libdnnl.so.3, libdnnl.so.2: not found"
  const std::string& tried() const { return tried_; }

  /// Sets `function` to the symbol; false if there is none.
  template <class F>
  bool find(const char* name, F& function) const {
    function = reinterpret_cast<F>(symbol(name));
    return function != nullptr;
  }

 private:
  void* symbol(const char* name) const;
  void* handle_ = nullptr;
  std::string file_, tried_;
};

}  // namespace sinter::exec
