// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/capture/captured_handles.h"
#include "src/capture/frozen_region.h"
#include "src/capture/function.h"
#include "src/capture/input_table.h"
#include "src/capture/key.h"
#include "src/capture/recipe.h"
#include "src/capture/region_end.h"
#include "src/graph/recorder.h"
#include "src/tensor/impl.h"

namespace sinter::capture {

/// Receives the op calls of one call of a compiled function on one thread.
///
/// While the calls match the recorded trace nothing is built: a call is compared with the next trace node, its values
/// go to the key, and a pending handle comes back. At the first call that differs the region so far is replayed into a
/// literal graph, which from then on gives types at once (so that a wrong call throws at its own line) while the trie
/// grows.
class RegionRecorder final : public graph::Recorder, public tensor::PendingOwner {
 public:
  /// Prepares for another call; the arrays keep their capacity.
  void begin(Function& function);

  Tensor call(const graph::Call& call) override;
  void write(const graph::Call& call) override;

  /// Ends the call, or comes to a point that the host can see from outside: every live handle of this region and of
  /// earlier ones gets its data, and an empty region follows. `why` is for explain() and errors.
  void end_call(const char* why, SourceLine line);
  /// The same before the end of the function; counted as a break unless nothing was recorded.
  void break_completely(const char* why, SourceLine line);
  /// Ends the region before the end of the function: what is demanded (a slot, or demand_nothing) is computed, and what
  /// earlier calls used later; the other live handles keep a recipe.
  void break_region(int32_t demanded, const char* why, SourceLine line);
  /// Nothing runs; live handles become unusable. For regions that cannot be computed.
  void abandon() noexcept;
  Function& function() const { return *function_; }
  int64_t op_count() const { return depth_; }

  /// This call's host code runs for others as well: what it learns is noted in `handles`, and a break is refused.
  void freeze_into(CapturedHandles& handles) { frozen_ = &handles; }
  const CapturedHandles* frozen_into() const { return frozen_; }
  /// Ends the call: what is needed to run it again for other arguments. `wanted` (slots, ascending) are computed now if
  /// it `runs`; every other handle becomes unusable. Without `compiles` there is no entry.
  FrozenRegion freeze(std::span<const int32_t> wanted, bool compiles, bool runs);
  /// The same if the host code threw.
  void abandon_frozen() noexcept;
  /// Copies the contents of an input whose memory is about to go.
  void own_input(const tensor::TensorImpl* t);
  /// Is this memory, or a view of it, an operand of the region so far?
  bool reads(const tensor::Storage& storage) const;
  /// Does the region so far write to this memory?
  bool writes(const tensor::TensorImpl& t) const;

  /// Is this an operand of the region so far, to be read when it ends? Not while a call is being recorded or the region
  /// ends: handles of the recorder's own come and go there.
  bool waits_for(const tensor::TensorImpl* t) const;

  // PendingOwner
  DType dtype(const tensor::TensorImpl& t) override;
  Dims shape(const tensor::TensorImpl& t) override;
  Device device(const tensor::TensorImpl& t) override;
  int rank(const tensor::TensorImpl& t) override;
  int64_t extent(const tensor::TensorImpl& t, size_t dim) override;
  void compute(tensor::TensorImpl& t, const char* why, SourceLine line) override;
  void compute_together(std::span<tensor::TensorImpl* const> tensors, const char* why, SourceLine line) override;
  bool forget(tensor::TensorImpl& t) noexcept override;

 private:
  /// How a region ends.
  struct Ending {
    int32_t demanded;
    bool at_break;  ///< more of the function follows
    const char* why;
    SourceLine line;
  };
  /// While alive, handles to operands are the recorder's own.
  class Busy {
   public:
    explicit Busy(RegionRecorder& recorder) : recorder_(recorder), before_(std::exchange(recorder.busy_, true)) {}
    ~Busy() { recorder_.busy_ = before_; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    RegionRecorder& recorder_;
    bool before_;
  };
  static void settle(tensor::TensorImpl* t) noexcept;
  void complete(const Ending& ending);
  void poison_rest() noexcept;
  void refuse_break(const char* why, SourceLine line) const;
  void note_draw(const graph::Call& call) const;
  void end_region(const Ending& ending);
  void check_thread(const char* why, SourceLine line) const;
  int32_t record(const graph::Call& call);
  int32_t append(const graph::Call& call, std::span<const OperandCode> codes);
  OperandCode code_of(const Tensor& t, const graph::Call& call);
  OperandCode add_input(tensor::TensorImpl* impl, const graph::Call& call);
  OperandCode input_code(tensor::TensorImpl* impl, const graph::Call& call);
  void drop_inputs_from(size_t count);
  void note_creation_device(const graph::Call& call);
  void require_movable(Device device, const graph::Call& call) const;
  TraceNode* match(const graph::Call& call, std::span<const OperandCode> codes) const;
  void record_types(const graph::Call& call, std::span<const OperandCode> codes);
  void replay_types();
  const graph::ValueType& type_of(const tensor::TensorImpl& t);
  void find_live();
  void compute_inputs(const char* why, SourceLine line);
  void build_key();
  void move_inputs_to_device();
  bool must_store_all() const;
  void find_outputs(const OutputSet& set);
  void run_and_settle(const RegionCall& region, Entry& entry);
  void run(RegionEnd& end, const Ending& ending);
  void keep_rest(const RegionCall& region, const Entry& entry);
  void start_region(TraceNode* root);

  // region_writes.cpp
  OperandCode root_of(OperandCode code, std::vector<int32_t>& views);
  bool is_view(OperandCode code);
  bool is_copied(int32_t slot);
  graph::Layout memory_layout(graph::NodeId root) const;
  OperandCode base_of(OperandCode root) const;
  OperandCode replay(int32_t view, OperandCode operand, SourceLine line);
  OperandCode up_to_date(OperandCode code, bool as_view, SourceLine line);
  void compute_kept(const Tensor& t, SourceLine line) const;
  void break_before_stale_read(const graph::Call& call);
  const Tensor* memory_of(const Tensor& t);
  void begin_writes();
  bool view_repeats(int32_t view);
  void refuse_repeated(OperandCode code, const graph::Call& call);
  void note_written(OperandCode destination, int32_t value, SourceLine line);
  void update_views();
  void forget_writes();

  /// What the region wrote to so far: an input's memory, or that of a value of the region.
  struct Written {
    OperandCode base;     ///< the contents before the region, or as computed
    OperandCode current;  ///< all of its contents now
    OperandCode writer;   ///< what they were last written through; its value since then is `value`
    OperandCode value;
  };

  Function* function_ = nullptr;
  TraceNode* cursor_ = nullptr;
  int32_t depth_ = 0;  ///< ops in this region
  bool busy_ = false;
  /// Handles, null once dropped. A handle dropped by another thread stays, marked as abandoned, until find_live() or
  /// the end of the run recycles it: only the owner's thread touches this array.
  std::vector<tensor::TensorImpl*> slots_;
  std::vector<int32_t> live_;
  std::vector<tensor::TensorImpl*> outputs_;
  std::vector<Tensor> unnamed_;
  Recipes recipes_;  ///< of this call
  CapturedHandles* frozen_ = nullptr;
  std::vector<Tensor> inputs_;
  InputTable input_table_;
  std::vector<graph::Number> values_;
  std::vector<OperandCode> codes_;
  Key key_;
  Device device_;  ///< where the region runs
  bool has_device_ = false;
  std::vector<Written> written_;
  std::unordered_map<OperandCode, size_t> written_of_;  ///< by every contents that a memory had
  std::vector<RegionWrite> writes_;                     ///< at the end: of inputs
  // By slot, once something was written:
  std::vector<const TraceNode*> nodes_;
  std::vector<size_t> first_value_;
  std::unique_ptr<graph::Graph> types_;  ///< literal graph, while recording or once a shape was asked for
  std::vector<graph::Value> type_inputs_, type_slots_;
};

/// CPU tensors of up to this many bytes follow the other operands to their device.
inline constexpr int64_t small_tensor_bytes = 64 * 1024;
/// Ops in a region; past it the region ends by itself and another one follows.
inline constexpr int32_t max_region_ops = 8192;

}  // namespace sinter::capture
