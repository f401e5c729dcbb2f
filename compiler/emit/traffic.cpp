// What a statement reads are its free names, what it writes its results; which of them a loop of it
// works on is known by their blocks.  Blocks that the code makes for itself (partial results,
// packed panels) are not counted.
#include "emit/traffic.h"

#include <algorithm>
#include <vector>

#include "emit/touched.h"
#include "ir/names.h"
#include "tree/walk.h"

namespace dagaz::emit {

namespace {

class Traffic {
 public:
  Traffic(Context& c, const Code& code) : c_(c), blocks_(tree::captured_variables(code)) {}

  std::optional<Operand> of(const ir::Statement& statement) {
    const auto read = elements_read(statement.operation, c_.names());
    Group reads;
    for (const NameId array : ir::free_names(statement.operation, c_.names())) {
      const auto touched = read.find(array);
      if (touched != read.end()) count(reads, array, touched->second);
    }
    const std::vector<Touched> written = elements_written(statement, c_.names());
    Group writes;
    for (std::size_t k = 0; k < written.size(); ++k) {
      count(writes, statement.results[k].name, written[k]);
    }
    add(reads);
    add(writes);
    return sum_;
  }

 private:
  /// Views of one array, which are not counted apart: what one of them reads another may have read.
  struct Views {
    NameId owner;
    Operand bytes;
    bool is_bounded;  // by the array's own size, already
  };
  using Group = std::vector<Views>;

  bool is_here(NameId array) const {
    if (!c_.names().type(array).is_array() || !c_.arrays.has_place(array)) return false;
    const NameId block = c_.arrays.place_of(array).block;
    return std::find(blocks_.begin(), blocks_.end(), block) != blocks_.end();
  }

  /// The points of a loop have the type of its index.
  Operand as_size(const Operand& count) {
    if (count.is_constant()) return ir::i64_operand(ir::integer_value(count.constant()));
    return c_.to_i64(count, c_.names().type(count.name()).element);
  }

  Operand size_of(NameId array) { return c_.product(c_.names().type(array).shape); }

  Operand bytes_of(NameId array, const Touched& touched) {
    Operand elements = size_of(array);
    if (!touched.whole) {
      Operand some = ir::i64_operand(0);
      for (const std::vector<Operand>& part : touched.parts) {
        Operand count = ir::i64_operand(1);
        for (const Operand& factor : part) count = c_.mul(count, as_size(factor));
        some = c_.add(some, count);
      }
      elements = c_.minimum(some, elements);
    }
    return c_.mul(elements, ir::i64_operand(ir::byte_size(c_.names().type(array).element)));
  }

  void count(Group& group, NameId array, const Touched& touched) {
    if (!is_here(array)) return;
    const Operand bytes = bytes_of(array, touched);
    const NameId owner = c_.memory.owner(array);
    for (Views& one : group) {
      if (one.owner != owner) continue;
      one.bytes = c_.add(one.bytes, bytes);
      one.is_bounded = false;
      return;
    }
    group.push_back({owner, bytes, true});
  }

  void add(const Group& group) {
    for (const Views& one : group) {
      const bool is_bounded = one.is_bounded || !is_here(one.owner);
      const Operand bytes =
          is_bounded ? one.bytes : c_.minimum(one.bytes, bytes_of(one.owner, Touched{true}));
      sum_ = sum_ ? c_.add(*sum_, bytes) : bytes;
    }
  }

  Context& c_;
  const std::vector<NameId> blocks_;
  std::optional<Operand> sum_;
};

}  // namespace

std::optional<Operand> bytes_moved(Context& c, const Code& code) {
  if (c.host_statement == nullptr) return std::nullopt;
  return Traffic(c, code).of(*c.host_statement);
}

}  // namespace dagaz::emit
