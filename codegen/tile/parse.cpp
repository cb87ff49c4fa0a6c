// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/error.h>

#include <bit>
#include <limits>
#include <unordered_map>

#include "codegen/tile/ir.h"
#include "codegen/tile/token_stream.h"

namespace sinter::tile_ir {

namespace {

using Kind = Token::Kind;
using Names = std::unordered_map<std::string, ValueId>;

bool all_digits(std::string_view s) { return s.find_first_not_of("0123456789") == std::string_view::npos; }

class KernelParser {
 public:
  explicit KernelParser(std::string_view text) : stream_(read(text)) {}

  Kernel run() {
    stream_.skip_newlines();
    stream_.expect("kernel");
    kernel_.name = std::string(stream_.expect(Kind::word, "the kernel's name").text);
    if (stream_.accept("warps")) kernel_.num_warps = static_cast<int32_t>(stream_.integer());
    if (stream_.accept("cluster")) kernel_.cluster = static_cast<int32_t>(stream_.integer());
    parameters();
    kernel_.body = braces();
    stream_.skip_newlines();
    if (stream_.peek().kind != Kind::end) fail_at(stream_.peek(), "text after the kernel");
    kernel_.value_count = value_count_;
    return std::move(kernel_);
  }

 private:
  /// Numbered values keep their numbers; names get the numbers above them.
  TokenStream read(std::string_view text) {
    std::vector<Token> tokens = lex(text, kernel_.comments);
    for (const Token& t : tokens)
      if (t.kind == Kind::value && all_digits(t.text))
        value_count_ = std::max(value_count_, TokenStream::to_integer<int32_t>(t) + 1);
    return TokenStream(std::move(tokens));
  }

  /// A use of a value. Numbers are not looked up: the verifier knows.
  ValueId value() {
    const Token t = stream_.expect(Kind::value, "a value (%name)");
    if (all_digits(t.text)) return TokenStream::to_integer<int32_t>(t);
    const auto it = names_.find(std::string(t.text));
    if (it == names_.end()) fail_at(t, fmt::format("%{} is not defined here", t.text));
    return it->second;
  }

  /// A new value; its name holds to the end of the region.
  ValueId new_value() {
    const Token t = stream_.expect(Kind::value, "a value (%name)");
    if (all_digits(t.text)) return TokenStream::to_integer<int32_t>(t);
    const auto [it, is_new] = names_.try_emplace(std::string(t.text), value_count_);
    if (!is_new) fail_at(t, fmt::format("%{} is defined twice", t.text));
    return value_count_++;
  }

  int pointer() {
    const Token t = stream_.expect(Kind::parameter, "a parameter (@name)");
    for (size_t p = 0; p < kernel_.parameters.size(); ++p)
      if (kernel_.parameters[p].name == t.text) return static_cast<int>(p);
    fail_at(t, fmt::format("the kernel has no parameter @{}", t.text));
  }

  DType dtype() {
    const Token t = stream_.expect(Kind::word, "a dtype");
    const std::optional<DType> parsed = DType::parse(t.text);
    if (!parsed) fail_at(t, fmt::format("'{}' is no dtype", t.text));
    return *parsed;
  }

  void parameters() {
    stream_.skip_newlines();
    stream_.expect("(");
    for (stream_.skip_newlines(); !stream_.accept(")"); stream_.skip_newlines()) {
      Parameter p;
      p.name = std::string(stream_.expect(Kind::parameter, "a parameter (@name)").text);
      stream_.expect(":");
      p.dtype = dtype();
      p.is_pointer = stream_.accept("*");
      while (stream_.peek().kind == Kind::word) {
        const Token t = stream_.next();
        if (t.text == "written")
          p.written = true;
        else if (t.text == "may_alias")
          p.no_alias = false;
        else if (t.text == "align")
          p.alignment = static_cast<int32_t>(stream_.integer());
        else if (t.text == "divisible")
          p.divisibility = stream_.integer();
        else
          fail_at(t, fmt::format("'{}' is no parameter attribute", t.text));
      }
      kernel_.parameters.push_back(std::move(p));
      stream_.skip_newlines();
      if (stream_.accept(",")) continue;
      stream_.skip_newlines();
      stream_.expect(")");
      break;
    }
    stream_.skip_newlines();
  }

  Type type() {
    const DType t = dtype();
    if (!stream_.accept("[")) return Type::scalar(t);
    int32_t parts = 1;
    std::vector<int32_t> dims;
    std::optional<Token> number;
    if (stream_.peek().kind == Kind::number) number = stream_.next();
    if (stream_.accept("*")) {
      parts = TokenStream::to_integer<int32_t>(*number);
      number.reset();
      if (stream_.peek().kind == Kind::number) number = stream_.next();
    }
    if (number) dims = split_dims(*number);
    stream_.expect("]");
    return Type::tile(t, std::move(dims), parts);
  }

  static std::vector<int32_t> split_dims(const Token& t) {
    std::vector<int32_t> dims;
    std::string_view rest = t.text;
    for (size_t end = 0; end != std::string_view::npos;
         rest.remove_prefix(end == std::string_view::npos ? 0 : end + 1)) {
      end = rest.find('x');
      Token one = t;
      one.text = rest.substr(0, end);
      dims.push_back(TokenStream::to_integer<int32_t>(one));
      if (dims.size() > 4) fail_at(t, "a tile has at most 4 dims");
    }
    return dims;
  }

  IndexOperand index() {
    if (stream_.peek().kind == Kind::value) return {value(), 0};
    return {-1, stream_.integer()};
  }

  AccessDim along() {
    AccessDim d;
    d.origin = index();
    stream_.expect("*");
    d.stride = index();
    d.masked = stream_.accept("<");
    if (d.masked) d.extent = index();
    return d;
  }

  void access(Instruction& i) {
    i.index = pointer();
    i.access = std::make_shared<Access>();
    stream_.expect("+");
    i.access->base = index();
    stream_.expect("[");
    while (!stream_.accept("]")) {
      if (stream_.accept("parts")) {
        i.access->parts = along();
      } else if (stream_.accept("row")) {
        stream_.expect("<");
        i.access->row_masked = true;
        i.access->row_extent = index();
      } else if (stream_.accept("align")) {
        i.access->alignment = static_cast<int32_t>(stream_.integer());
      } else if (stream_.accept("run")) {
        i.access->run = static_cast<int32_t>(stream_.integer());
      } else {
        i.access->dims.push_back(along());
      }
      if (!stream_.is(Kind::punctuation, "]")) stream_.expect(",");
    }
  }

  int dim() { return stream_.accept("parts") ? parts_dim : static_cast<int>(stream_.integer()); }

  /// The bits of a constant; its type is read first because it decides how the number is read.
  void constant(Instruction& i) {
    const bool by_bits = stream_.accept("bits");
    const bool negative = stream_.accept("-");
    const Token t = stream_.next();
    stream_.expect(":");
    i.type = type();
    i.bits = by_bits ? TokenStream::to_integer<uint64_t>(t) : constant_bits(t, negative, i.type.dtype);
  }

  template <class T>
  static T floating(const Token& t, bool negative) {
    T v{};
    if (t.text == "inf")
      v = std::numeric_limits<T>::infinity();
    else if (t.text == "nan")
      v = std::numeric_limits<T>::quiet_NaN();
    else
      v = TokenStream::to_floating<T>(t);
    return negative ? -v : v;
  }

  static uint64_t constant_bits(const Token& t, bool negative, DType dtype) {
    if (dtype.is_boolean()) {
      if (t.text != "true" && t.text != "false") fail_at(t, "a boolean constant is true or false");
      return t.text == "true";
    }
    if (dtype == f32) return std::bit_cast<uint32_t>(floating<float>(t, negative));
    if (dtype == f64) return std::bit_cast<uint64_t>(floating<double>(t, negative));
    if (t.kind != Kind::number) fail_at(t, fmt::format("expected a number, got {}", TokenStream::seen(t)));
    if (dtype == i32) return static_cast<uint32_t>(TokenStream::to_integer<int32_t>(t));
    if (dtype == u32) return TokenStream::to_integer<uint32_t>(t);
    if (dtype == i64) return static_cast<uint64_t>(TokenStream::to_integer<int64_t>(t));
    return TokenStream::to_integer<uint64_t>(t);
  }

  void value_list(Instruction& i) {
    do {
      i.operands.push_back(value());
    } while (stream_.accept(","));
  }

  ReduceKind reduce_kind() {
    const Token t = stream_.expect(Kind::word, "the kind of reduction");
    for (size_t k = 0; k < std::size(reduce_kind_names); ++k)
      if (reduce_kind_names[k] == t.text) return static_cast<ReduceKind>(k);
    fail_at(t, fmt::format("'{}' is no kind of reduction", t.text));
  }

  void reduce(Instruction& i) {
    i.index = static_cast<int32_t>(reduce_kind());
    i.dim = dim();
    i.operands = {value()};
  }

  void store(Instruction& i) {
    i.index = static_cast<int32_t>(stream_.integer());
    stream_.expect("of");
    i.bits = static_cast<uint64_t>(stream_.integer());
    i.dtype = dtype();
    stream_.expect("[");
    i.operands = {value()};
    stream_.expect("]");
    if (i.op == Op::recall) return;
    stream_.expect(",");
    i.operands.push_back(value());
  }

  void stage(Instruction& i) {
    i.run = std::make_shared<Run>();
    i.run->number = static_cast<int32_t>(stream_.integer());
    i.index = pointer();
    stream_.expect("+");
    value_list(i);
    stream_.expect("of");
    i.run->most = stream_.integer();
    stream_.expect("by");
    i.run->piece = stream_.integer();
  }

  void scan(Instruction& i) {
    i.dim = dim();
    value_list(i);
    combine(i);
  }

  void grid_scan(Instruction& i) {
    i.operands = {value()};
    stream_.expect(",");
    i.operands.push_back(value());
    stream_.expect("of");
    i.operands.push_back(value());
    stream_.expect("places");
    i.bits = static_cast<uint64_t>(stream_.integer());
    i.index = pointer();
    stream_.expect(",");
    value_list(i);
    combine(i);
  }

  /// How two elements combine, and the types of the results.
  void combine(Instruction& i) {
    const Names outer = names_;
    Region r;
    for (const char* word : {"by", "and"}) {
      stream_.expect(word);
      do {
        r.arguments.push_back(new_value());
      } while (stream_.accept(","));
    }
    result_types(i);
    const size_t values = r.arguments.size() / 2;
    for (size_t k = 0; k < r.arguments.size(); ++k)
      r.argument_types.push_back(values == 0 || k % values >= i.result_types.size()
                                     ? Type::scalar(f32)
                                     : Type::scalar(i.result_types[k % values].dtype));
    r.body = region().body;
    names_ = outer;
    i.regions.push_back(std::move(r));
  }

  void grid_reduce(Instruction& i) {
    i.grid = std::make_shared<GridFold>();
    i.operands = {value()};
    stream_.expect(",");
    i.operands.push_back(value());
    stream_.expect("of");
    i.operands.push_back(value());
    stream_.expect("most");
    i.grid->most = static_cast<int32_t>(stream_.integer());
    i.grid->arrivals = pointer();
    while (stream_.accept(",")) {
      i.grid->kinds.push_back(reduce_kind());
      i.operands.push_back(value());
      i.grid->partials.push_back(pointer());
    }
    result_types(i);
  }

  void trans(Instruction& i) {
    i.operands = {value()};
    stream_.expect("[");
    for (size_t d = 0; !stream_.accept("]"); ++d) {
      if (d == i.perm.size()) fail_at(stream_.peek(), "a tile has at most 4 dims");
      i.perm[d] = static_cast<int8_t>(stream_.integer());
      if (!stream_.is(Kind::punctuation, "]")) stream_.expect(",");
    }
  }

  void masked(Instruction& i, bool fill) {
    i.masked = stream_.accept("mask");
    if (!i.masked) return;
    i.operands.push_back(value());
    if (!fill) return;
    stream_.expect("fill");
    i.operands.push_back(value());
  }

  void offsets(Instruction& i) {
    i.index = pointer();
    stream_.expect("[");
    i.operands = {value()};
    stream_.expect("]");
  }

  void memory(Instruction& i) {
    const bool stores = i.op == Op::block_store || i.op == Op::scatter;
    const bool is_block = i.op == Op::block_load || i.op == Op::block_store;
    if (is_block)
      access(i);
    else
      offsets(i);
    if (stores) {
      stream_.expect(",");
      i.operands.push_back(value());
    }
    if (i.op == Op::block_load && stream_.accept("fill")) i.operands = {value()};
    if (i.op == Op::block_store && stream_.accept("streaming")) i.policy = CachePolicy::streaming;
    if (i.op == Op::scatter && stream_.accept("fold")) i.fold = reduce_kind();
    if (i.op == Op::scatter && stream_.accept("table")) i.table = static_cast<int32_t>(stream_.integer());
    if (!is_block) masked(i, !stores);
  }

  void loop(Instruction& i) {
    const Names outer = names_;
    Region r;
    r.arguments = {new_value()};
    r.argument_types = {Type::scalar(i64)};
    stream_.expect("=");
    i.operands.push_back(value());
    stream_.expect("to");
    i.operands.push_back(value());
    stream_.expect("step");
    i.operands.push_back(value());
    if (stream_.accept("carry")) {
      do {
        r.arguments.push_back(new_value());
        stream_.expect("=");
        i.operands.push_back(value());
      } while (stream_.accept(","));
    }
    result_types(i);
    r.argument_types.insert(r.argument_types.end(), i.result_types.begin(), i.result_types.end());
    r.body = region().body;
    names_ = outer;
    i.regions.push_back(std::move(r));
  }

  void branch(Instruction& i) {
    i.operands = {value()};
    result_types(i);
    i.regions.push_back(region());
    if (stream_.accept("else")) {
      i.regions.push_back(region());
    } else {
      Region nothing;
      nothing.body.push_back({.op = Op::yield});
      i.regions.push_back(std::move(nothing));
    }
  }

  void result_types(Instruction& i) {
    if (!stream_.accept(":")) return;
    do {
      i.result_types.push_back(type());
    } while (stream_.accept(","));
  }

  void cluster_reduce(Instruction& i) {
    i.index = static_cast<int32_t>(reduce_kind());
    i.bits = static_cast<uint64_t>(stream_.integer());
    stream_.expect("of");
    value_list(i);
  }

  void operation(Instruction& i) {
    switch (i.op) {
      case Op::constant:
        return constant(i);
      case Op::parameter:
        i.index = pointer();
        return;
      case Op::program_id:
        return;
      case Op::iota:
        i.dim = dim();
        return;
      case Op::trans:
        return trans(i);
      case Op::block_load:
      case Op::block_store:
      case Op::gather:
      case Op::scatter:
        return memory(i);
      case Op::keep:
      case Op::recall:
        return store(i);
      case Op::stage:
        return stage(i);
      case Op::reduce:
        return reduce(i);
      case Op::cluster_reduce:
        return cluster_reduce(i);
      case Op::scan:
        return scan(i);
      case Op::grid_reduce:
        return grid_reduce(i);
      case Op::grid_scan:
        return grid_scan(i);
      case Op::arrive:
      case Op::ticket:
        value_list(i);
        i.index = pointer();
        return;
      case Op::for_loop:
        return loop(i);
      case Op::if_then:
        return branch(i);
      case Op::status_check:
        i.index = pointer();
        stream_.expect(",");
        i.operands = {value()};
        stream_.expect(",");
        i.bits = TokenStream::to_integer<uint64_t>(stream_.expect(Kind::number, "the status word"));
        return;
      case Op::yield:
        if (stream_.peek().kind == Kind::value) value_list(i);
        return;
      default:
        value_list(i);
        return;
    }
  }

  void name(Instruction& i) {
    const Token t = stream_.expect(Kind::word, "an operation");
    if (const std::optional<Op> op = find_op(t.text)) {
      i.op = *op;
      return;
    }
    const std::optional<ScalarOp> op = scalar::find_scalar_op(t.text);
    if (!op) fail_at(t, fmt::format("'{}' is no operation", t.text));
    i.op = Op::scalar;
    i.scalar = *op;
    if (stream_.accept("<")) {
      i.dtype = dtype();
      stream_.expect(">");
    }
  }

  Instruction instruction() {
    Instruction i{.op = Op::yield};
    if (stream_.peek().kind == Kind::value) {
      do {
        i.results.push_back(new_value());
      } while (stream_.accept(","));
      stream_.expect("=");
    }
    name(i);
    operation(i);
    const bool typed = i.op == Op::constant || i.op == Op::for_loop || i.op == Op::if_then || i.op == Op::grid_reduce ||
                       i.op == Op::scan || i.op == Op::grid_scan;
    if (!typed && stream_.accept(":")) i.type = type();
    if (!stream_.is(Kind::punctuation, "}")) stream_.expect(Kind::newline, "the end of the line");
    return i;
  }

  /// The body of a for or if; one without results needs no yield.
  Region region() {
    const Names outer = names_;
    Region r = braces();
    names_ = outer;
    if (r.body.empty() || r.body.back().op != Op::yield) r.body.push_back({.op = Op::yield});
    return r;
  }

  Region braces() {
    Region r;
    stream_.expect("{");
    for (stream_.skip_newlines(); !stream_.accept("}"); stream_.skip_newlines()) {
      if (stream_.peek().kind == Kind::end) fail_at(stream_.peek(), "expected '}'");
      r.body.push_back(instruction());
    }
    return r;
  }

  Kernel kernel_;
  int32_t value_count_ = 0;
  Names names_;
  TokenStream stream_;
};

}  // namespace

Kernel parse(std::string_view text) { return KernelParser(text).run(); }

}  // namespace sinter::tile_ir
