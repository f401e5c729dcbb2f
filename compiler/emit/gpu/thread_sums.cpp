#include "emit/gpu/thread_sums.h"

#include "emit/memory/elements.h"
#include "emit/statements.h"

namespace dagaz::emit {

void ThreadSums::keep(const TileSide& side) {
  const bool is_rows = &side == &sides_->rows();
  Kept& all = is_rows ? rows_ : points_;
  all.clear();
  if ((is_rows ? sides_->plan().kept_rows : sides_->plan().kept_points).empty()) return;
  const Operand last = sub(side.extent, ir::i64_operand(1));
  for (std::int64_t k = 0; k < side.panel; ++k) {
    sides_->bind(side, minimum(add(side.first, place_of(side, k)), last));
    emit_body(c_, side.body_kept, {}, [&](const std::vector<Value>& values) {
      all.emplace_back();
      for (const Value& value : values) {
        const NameId kept = variable("kept", value.type.element);
        move(kept, value.operand);
        all.back().push_back({kept, value.type, std::nullopt});
      }
    });
  }
}

void ThreadSums::start() {
  sums_.assign(static_cast<std::size_t>(sides_->rows().panel), {});
  for (auto& row : sums_) {
    for (std::int64_t k = 0; k < sides_->points().panel; ++k) {
      const std::vector<Running> sum = start_reductions(c_, *sides_->parts().operators);
      row.insert(row.end(), sum.begin(), sum.end());
    }
  }
}

ThreadSums::OwnPlace ThreadSums::own_place(const TileSide& side, std::int64_t own) {
  std::int64_t together = side.panel;
  if (&side == &sides_->points()) together = side.panel % 2 == 0 ? 2 : 1;
  const std::int64_t threads = side.width / side.panel;
  return {mul(side.thread, ir::i64_operand(together)),
          ir::i64_operand(own / together * together * threads + own % together)};
}

Operand ThreadSums::place_of(const TileSide& side, std::int64_t own) {
  const OwnPlace place = own_place(side, own);
  return add(place.first, place.further);
}

Operand ThreadSums::row_of(const Operand& thread, const Operand& own) {
  return add(mul(thread, ir::i64_operand(sides_->rows().panel)), own);
}

void ThreadSums::add_chunk(const Operand& chunk, const Operand& half, Reach reach) {
  const Operand depth = ir::i64_operand(sides_->plan().depth);
  if (reach == Reach::inside) {
    add_products(half, depth);
    return;
  }
  const Operand exists = less(ir::i64_operand(-1), chunk);
  const Operand left = minimum(depth, sub(sides_->end(), sides_->start_of(chunk)));
  add_products(half, scalar(ScalarOp::select, ScalarType::i64, {exists, left, ir::i64_operand(0)}));
}

// The values of the thread's rows or points for an element.
std::vector<std::vector<Value>> ThreadSums::read(const TileSide& side, const Operand& half,
                                                 const Operand& element) {
  std::vector<std::vector<Value>> all;
  for (std::int64_t k = 0; k < side.panel; ++k) {
    // What is known is added last, so that neighbours are seen to be some.
    const OwnPlace own = own_place(side, k);
    std::vector<Value> values;
    for (std::size_t v = 0; v < side.values.size(); ++v) {
      const ir::Type& type = names().type(side.values[v]);
      const std::vector<Operand> at = {half, element, own.first, own.further};
      const Operand value = emit::load(c_, side.staged[v], at, type.element, "x");
      values.push_back({value, type, std::nullopt});
    }
    all.push_back(std::move(values));
  }
  return all;
}

void ThreadSums::add_products(const Operand& half, const Operand& count) {
  constexpr std::int64_t together = 4;
  const ir::Contraction& plan = sides_->plan();
  if (!plan.unrolled || !count.is_constant() || plan.depth % together != 0) {
    loop("k", count, {}, [&](const Operand& element) { add_product(half, element); });
    return;
  }
  // A longer step would load factors long before they are used.
  rolled_loop("k", ir::i64_operand(plan.depth / together), [&](const Operand& some) {
    const Operand first = mul(some, ir::i64_operand(together));
    for (std::int64_t k = 0; k < together; ++k) add_product(half, add(first, ir::i64_operand(k)));
  });
}

void ThreadSums::add_product(const Operand& half, const Operand& element) {
  const std::size_t operators = sides_->parts().operators->size();
  const auto of_rows = read(sides_->rows(), half, element);
  const auto of_points = read(sides_->points(), half, element);
  const auto set = [&](const std::vector<NameId>& names, const std::vector<Value>& values) {
    for (std::size_t v = 0; v < names.size(); ++v) move(names[v], values[v].operand);
  };
  const auto set_kept = [&](const std::vector<NameId>& names, const Kept& kept, std::size_t own) {
    if (!names.empty()) set(names, kept[own]);
  };
  for (std::size_t r = 0; r < of_rows.size(); ++r) {
    for (std::size_t p = 0; p < of_points.size(); ++p) {
      set(sides_->rows().values, of_rows[r]);
      set_kept(sides_->plan().kept_rows, rows_, r);
      set(sides_->points().values, of_points[p]);
      set_kept(sides_->plan().kept_points, points_, p);
      const auto first = sums_[r].begin() + static_cast<std::ptrdiff_t>(p * operators);
      const std::vector<Running> sum(first, first + static_cast<std::ptrdiff_t>(operators));
      emit_body(c_, sides_->combined(), {},
                [&](const std::vector<Value>& values) { combine_all(c_, sum, values, 0); });
    }
  }
}

std::vector<Value> ThreadSums::sums(std::int64_t row, std::int64_t point) {
  const auto operators = static_cast<std::ptrdiff_t>(sides_->parts().operators->size());
  const auto first = sums_[static_cast<std::size_t>(row)].begin() + point * operators;
  return running_values({first, first + operators});
}

}  // namespace dagaz::emit
