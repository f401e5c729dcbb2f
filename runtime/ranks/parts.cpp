// Arrays of which each rank has its own rows alone.  They have addresses for all rows, so that
// everything that reads a rank's own rows does so as ever, and take memory for those that are there
// (the virtual memory of distributed arrays, as in Nieplocha's Global Arrays, 1994, without the
// access to what others have).  Whoever wants more gathers the others in their place.
#include "context.h"
#include "handles.h"
#include "memory_pool.h"
#include "ranks/ranks.h"
#include "ranks/staging.h"

namespace dagaz::runtime {

int32_t Ranks::leave(dz_context& context, int64_t rows, int64_t row_bytes, dz_block** whole) const {
  if (!several() || rows == 0) {
    return context.pool->allocate(rows * row_bytes, whole);
  }
  const int32_t status = context.pool->reserve(rows * row_bytes, first(rows) * row_bytes,
                                               count(rows) * row_bytes, whole);
  if (status == DZ_OK) {
    static_cast<PoolBlock*>(*whole)->split_rows = rows;
  }
  return status;
}

int32_t Ranks::make_whole(dz_context& context, dz_block& block) {
  auto& all = static_cast<PoolBlock&>(block);
  if (all.split_rows == 0) {
    return DZ_OK;
  }
  const int64_t rows = all.split_rows;
  const int32_t same = start_moving(context, Collective::gather, all.bytes);
  if (same != DZ_OK) {
    return same;
  }
  const int32_t status = context.pool->use_all(all);
  if (status != DZ_OK) {
    return status;
  }
  const int64_t row_bytes = all.bytes / rows;
  const std::vector<int64_t> sizes = part_bytes(rows, row_bytes);
  const int64_t own_bytes = sizes[static_cast<size_t>(index())];
  if (direct_ != nullptr) {
    note(Collective::gather, own_bytes);
    all.split_rows = 0;
    return gather_directly(all.data, sizes);
  }
  Staging staging(context);
  const char* own = staging.look(all, first(rows) * row_bytes, own_bytes);
  char* everything = staging.fill(all, 0, all.bytes);
  const int32_t fetched = staging.fetch();
  if (fetched != DZ_OK) {
    return fetched;
  }
  note(Collective::gather, own_bytes);
  all.split_rows = 0;
  const bool in_place = own == everything + first(rows) * row_bytes;
  const int gathered = wait_in(&dz_rank_messages::gather, in_place ? nullptr : own, everything,
                               sizes.data());
  return gathered != 0 ? checked(context, gathered) : staging.store();
}

}  // namespace dagaz::runtime

using namespace dagaz::runtime;

int dzr_config_set_ranks(dz_config* config, const dz_rank_messages* ranks) {
  if (ranks == nullptr || config->own_ranks != nullptr) {
    return DZ_ERROR;
  }
  config->ranks = config->own_ranks = ranks;
  return DZ_OK;
}

void dzr_config_set_check_ranks(dz_config* config, int seconds) {
  config->check_ranks = seconds < 0 ? 0 : seconds;
}

void dzr_context_rows(dz_context* context, int64_t rows, int64_t* first, int64_t* count) {
  *first = context->ranks.first(rows);
  *count = context->ranks.count(rows);
}

dz_array* dzr_new_array_part(dz_context* context, int element, int rank, const void* data,
                             const int64_t* shape) {
  const Call call(*context);
  if (!context->usable) {
    return nullptr;
  }
  const int64_t bytes = element_info(element).bytes;
  const std::optional<int64_t> count = count_of(*context, shape, rank, bytes);
  if (!count) {
    return nullptr;
  }
  const Ranks& ranks = context->ranks;
  const int64_t row_bytes = shape[0] == 0 ? 0 : *count * bytes / shape[0];
  dz_block* block = nullptr;
  dz_array* array = nullptr;
  if (ranks.leave(*context, shape[0], row_bytes, &block) == DZ_OK) {
    const int64_t own = ranks.count(shape[0]) * row_bytes;
    if (context->device->write(advance(block->data, ranks.first(shape[0]) * row_bytes), own,
                               data) == DZ_OK) {
      dz_make_array(context, block, 0, element, rank, shape, &array);
    }
  }
  dz_release(block);
  return array;
}

int dzr_array_values_part(dz_context* context, const dz_array* array, void* data) {
  const Call call(*context);
  const Ranks& ranks = context->ranks;
  const int64_t rows = array->shape[0];
  const int64_t bytes = element_bytes(*array);
  const int64_t row_bytes = rows == 0 ? 0 : element_total(*array) * bytes / rows;
  return dz_read(context, array->block, array->offset * bytes + ranks.first(rows) * row_bytes,
                 ranks.count(rows) * row_bytes, data);
}
