#include "ranks/ranks.h"

#include <cstring>
#include <numeric>
#include <string_view>

#include "context.h"
#include "ranks/staging.h"
#include "values.h"

namespace dagaz::runtime {

bool share_text(const dz_rank_messages* ranks, std::optional<std::string>& text, int root) {
  if (ranks == nullptr) {
    return true;
  }
  int64_t length = text ? static_cast<int64_t>(text->size()) : -1;
  bool sent = ranks->broadcast(ranks->communicator, &length, sizeof length, root) == 0;
  if (!sent || length < 0) {
    text.reset();
    return sent;
  }
  text.emplace(std::move(text).value_or("")).resize(static_cast<size_t>(length));
  sent = ranks->broadcast(ranks->communicator, text->data(), length, root) == 0;
  if (!sent) text.reset();
  return sent;
}

std::vector<int64_t> Ranks::part_bytes(int64_t rows, int64_t row_bytes) const {
  std::vector<int64_t> bytes;
  for (int64_t rank = 0; rank < size(); ++rank) bytes.push_back(count_of(rank, rows) * row_bytes);
  return bytes;
}

void Ranks::note(Collective kind, int64_t bytes, int64_t messages) {
  Counted& row = counted_[static_cast<size_t>(kind)];
  row.messages += messages;
  ++row.calls;
  row.bytes += bytes;
}

int32_t Ranks::checked(dz_context& context, int status) const {
  if (status == 0) {
    return DZ_OK;
  }
  return context.errors.report(DZ_ERROR, "Error: the ranks of the program cannot reach each other");
}

int32_t Ranks::agree(dz_context& context, int32_t own) {
  if (!several()) {
    return own;
  }
  if (own == DZ_OK) {
    own = context.device->synchronise();
  }
  const bool lacks_arena = own == DZ_OUT_OF_MEMORY && context.arena.lacked > 0;
  if (own != DZ_OK && own != DZ_PROGRAM_ERROR && !lacks_arena) {
    // Nobody knows where the others wait.
    std::fprintf(stderr, "rank %lld: %s\n", static_cast<long long>(index()),
                 context.errors.take().value_or("Error: the device failed").c_str());
    messages_->abort(messages_->communicator);
  }
  // What failed since windows were started has not waited for them.
  if (const int32_t waited = wait_windows(context); own == DZ_OK) {
    own = waited;
  }
  if (compare(context, Collective::agree, 0) != DZ_OK) {
    return DZ_PROGRAM_ERROR;
  }
  note(Collective::agree, sizeof(int64_t));
  // Numbers above those of ranks say what an arena lacks.
  int64_t failing = own == DZ_OK ? 0 : size() - index();
  if (lacks_arena) {
    failing = size() + context.arena.lacked;
  }
  int32_t status = checked(context, wait_in(&dz_rank_messages::maximum, &failing));
  if (status != DZ_OK || failing == 0) {
    return status;
  }
  settled_ = true;
  if (failing > size()) {
    context.arena.lacked = failing - size();
    return context.errors.report(
        DZ_OUT_OF_MEMORY, "Error: out of memory: a thread of a kernel needs " +
                              std::to_string(context.arena.lacked) + " bytes for an array");
  }
  const auto root = static_cast<int32_t>(size() - failing);
  const bool mine = root == index();
  std::string text = mine ? context.errors.take().value_or("Error: the program failed") : "";
  auto length = static_cast<int64_t>(text.size());
  status = wait_in(&dz_rank_messages::broadcast, &length, int64_t{sizeof length}, root);
  text.resize(static_cast<size_t>(length));
  if (status == 0) {
    status = wait_in(&dz_rank_messages::broadcast, text.data(), length, root);
  }
  // The first failure is everybody's.
  context.errors.take();
  return context.errors.report(DZ_PROGRAM_ERROR, std::move(text));
}

int32_t Ranks::settle(dz_context& context, int32_t own) {
  const bool known = settled_;
  settled_ = false;
  requests_.clear();
  place_ = "the end of the call";
  const int32_t status = known ? own : agree(context, own);
  settled_ = false;
  return status;
}

int32_t Ranks::gather(dz_context& context, const dz_block& part, int64_t offset, dz_block& whole,
                      int64_t rows, int64_t row_bytes) {
  const int64_t bytes = count(rows) * row_bytes;
  if (!several()) {
    return context.device->copy(whole.data, advance(part.data, offset), bytes);
  }
  const int32_t same = start_moving(context, Collective::gather, rows * row_bytes);
  if (same != DZ_OK) {
    return same;
  }
  const std::vector<int64_t> sizes = part_bytes(rows, row_bytes);
  if (direct_ != nullptr) {
    note(Collective::gather, bytes);
    const int32_t copied = context.device->copy(advance(whole.data, first(rows) * row_bytes),
                                                advance(part.data, offset), bytes);
    return copied != DZ_OK ? copied : gather_directly(whole.data, sizes);
  }
  Staging staging(context);
  const char* own = staging.look(part, offset, bytes);
  char* all = staging.fill(whole, 0, rows * row_bytes);
  const int32_t fetched = staging.fetch();
  if (fetched != DZ_OK) {
    return fetched;
  }
  note(Collective::gather, bytes);
  const int status = wait_in(&dz_rank_messages::gather, own, all, sizes.data());
  return status != 0 ? checked(context, status) : staging.store();
}

int32_t Ranks::collect(dz_context& context, std::span<const dz_rank_piece> pieces) {
  Staging staging(context);
  std::vector<const char*> looks;
  std::vector<char*> fills;
  int64_t bytes = 0;
  for (const dz_rank_piece& one : pieces) {
    looks.push_back(one.block == nullptr ? reinterpret_cast<const char*>(&one.bits)
                                         : staging.look(*one.block, one.offset, one.bytes));
    fills.push_back(staging.fill(*one.all, 0, size() * one.bytes));
    bytes += one.bytes;
  }
  if (several()) {
    const int32_t same = compare(context, Collective::collect, bytes);
    if (same != DZ_OK) {
      return same;
    }
    note(Collective::collect, bytes);
  }
  const int32_t fetched = staging.fetch();
  if (fetched != DZ_OK) {
    return fetched;
  }
  std::vector<char> own;
  for (size_t i = 0; i < pieces.size(); ++i) {
    own.insert(own.end(), looks[i], looks[i] + pieces[i].bytes);
  }
  std::vector<char> all = own;
  if (several()) {
    all.resize(own.size() * static_cast<size_t>(size()));
    const std::vector<int64_t> sizes(static_cast<size_t>(size()), bytes);
    const int status = wait_in(&dz_rank_messages::gather, own.data(), all.data(), sizes.data());
    if (status != 0) {
      return checked(context, status);
    }
  }
  const char* from = all.data();
  for (int64_t rank = 0; rank < size(); ++rank) {
    for (size_t i = 0; i < pieces.size(); ++i) {
      std::memcpy(fills[i] + rank * pieces[i].bytes, from, static_cast<size_t>(pieces[i].bytes));
      from += pieces[i].bytes;
    }
  }
  return staging.store();
}

std::string Ranks::counts() const {
  std::string text;
  for (size_t i = 0; i < counted_kinds; ++i) {
    text += std::string(collective_names[i]) + ": " +
            std::to_string(counted_[i].calls) + " calls, " +
            std::to_string(counted_[i].bytes) + " bytes";
    if (counted_[i].messages > 0) {
      text += ", " + std::to_string(counted_[i].messages) + " messages";
    }
    text += "\n";
  }
  return text;
}

}  // namespace dagaz::runtime

using namespace dagaz::runtime;

int64_t dz_rank_index(dz_context* context) { return context->ranks.index(); }

int64_t dz_rank_size(dz_context* context) { return context->ranks.size(); }

int64_t dz_rank_first(dz_context* context, int64_t rows) { return context->ranks.first(rows); }

int64_t dz_rank_count(dz_context* context, int64_t rows) { return context->ranks.count(rows); }

void dz_rank_place(dz_context* context, const char* place) { context->ranks.set_place(place); }

int32_t dz_rank_agree(dz_context* context) { return context->ranks.agree(*context, DZ_OK); }

int32_t dz_rank_gather(dz_context* context, dz_block* part, int64_t offset, int64_t rows,
                       int64_t row_bytes, dz_block** whole) {
  const int32_t status = dz_allocate(context, rows * row_bytes, whole);
  if (status != DZ_OK) {
    return status;
  }
  return context->ranks.gather(*context, *part, offset, **whole, rows, row_bytes);
}

int32_t dz_rank_whole(dz_context* context, dz_block* block) {
  return context->ranks.make_whole(*context, *block);
}

int32_t dz_rank_leave(dz_context* context, dz_block* part, int64_t offset, int64_t rows,
                      int64_t row_bytes, dz_block** whole) {
  const Ranks& ranks = context->ranks;
  const int32_t status = ranks.leave(*context, rows, row_bytes, whole);
  return status != DZ_OK
             ? status
             : context->device->copy(advance((*whole)->data, ranks.first(rows) * row_bytes),
                                     advance(part->data, offset), ranks.count(rows) * row_bytes);
}

int32_t dz_rank_collect(dz_context* context, int32_t count, dz_rank_piece* pieces) {
  for (dz_rank_piece* one = pieces; one != pieces + count; ++one) {
    const int32_t status = dz_allocate(context, one->bytes * context->ranks.size(), &one->all);
    if (status != DZ_OK) {
      return status;
    }
  }
  return context->ranks.collect(*context, {pieces, static_cast<size_t>(count)});
}

int32_t dz_rank_reduce(dz_context* context, int32_t count, dz_rank_sum* sums) {
  for (dz_rank_sum* one = sums; one != sums + count; ++one) {
    const int32_t status =
        dz_allocate(context, one->count * element_info(one->element).bytes, &one->whole);
    if (status != DZ_OK) {
      return status;
    }
  }
  return context->ranks.reduce(*context, {sums, static_cast<size_t>(count)});
}
