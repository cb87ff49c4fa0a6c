// SPDX-License-Identifier: Apache-2.0
#include "src/ops/loss.h"

#include "src/ops/row_reference.h"

namespace sinter::ops {

using graph::Value;
using reference::Array;

graph::Param reduction_param() {
  return {"reduction", graph::ParamKind::enumeration, {"none", "mean", "sum", "batch_mean"}};
}

void refuse_batch_mean(const graph::InferContext& context, Reduction reduction) {
  if (reduction == Reduction::batch_mean)
    context.fail("no mean over a batch", "take Reduction::mean, or Reduction::sum and divide");
}

std::vector<graph::Expr> reduced_loss_shape(std::vector<graph::Expr> losses, Reduction reduction) {
  if (reduction != Reduction::none) losses.clear();
  return losses;
}

Value reduced_loss(Composer& c, Value losses, Reduction reduction, graph::Expr batch) {
  if (reduction == Reduction::none) return losses;
  const graph::ValueType type = c.type(losses);
  const Value sum = c.fold<"sum">(losses, {}, false);
  if (reduction == Reduction::sum) return sum;
  const std::vector<graph::Expr> counted = reduction == Reduction::mean ? type.shape : std::vector<graph::Expr>{batch};
  return c.binary<"div">(sum, c.count(counted, type.dtype));
}

Array sum_of(const Array& x) {
  return fold_rows(x, dims_from(0, x.shape.size()), {},
                   []<class T>(std::span<const T> row) { return sum_row<T>(row); });
}

Array reduced_loss(const Array& losses, Reduction reduction, int64_t batch) {
  if (reduction == Reduction::none) return losses;
  Array sum = sum_of(losses);
  if (reduction == Reduction::sum) return sum;
  const int64_t count = reduction == Reduction::mean ? losses.size() : batch;
  return map_rows(sum, {}, [count]<class T>(std::span<T> row) { row[0] /= static_cast<T>(count); });
}

}  // namespace sinter::ops
