// The functions of abi_functions.def about memory, errors, devices and constants: thin shells
// around the parts of a context.
#include <span>
#include <string>
#include <vector>

#include "context.h"

namespace {

/// Whether [offset, offset + bytes) lies inside a block; anything else is a bug of the compiler
/// that must not become silent memory corruption.
bool inside(const dz_block* block, int64_t offset, int64_t bytes) {
  return offset >= 0 && bytes >= 0 && offset <= block->bytes && bytes <= block->bytes - offset;
}

int32_t outside(dz_context* context, const char* what, const dz_block* block, int64_t offset,
                int64_t bytes) {
  return context->errors.report(
      DZ_ERROR, std::string(what) + " of bytes [" + std::to_string(offset) + ", " +
                    std::to_string(offset + bytes) + ") is outside a block of " +
                    std::to_string(block->bytes) + " bytes (a bug in Dagaz: please report it)");
}

/// How many there are then.  Only the pieces of a loop count at the same time; alone, an atomic
/// operation takes as long as ten others.
int64_t add_references(dz_block& block, int64_t more) {
  if (block.context->scheduler.is_parallel()) {
    return __atomic_add_fetch(&block.references, more, __ATOMIC_ACQ_REL);
  }
  const int64_t sum = __atomic_load_n(&block.references, __ATOMIC_RELAXED) + more;
  __atomic_store_n(&block.references, sum, __ATOMIC_RELAXED);
  return sum;
}

}  // namespace

int32_t dz_allocate(dz_context* context, int64_t bytes, dz_block** out) {
  return context->pool->allocate(bytes, out);
}

void dz_retain(dz_block* block) {
  if (block != nullptr) {
    add_references(*block, 1);
  }
}

void dz_release(dz_block* block) {
  if (block == nullptr) {
    return;
  }
  // Whoever holds the only reference shares the block with nobody who could count.
  if (__atomic_load_n(&block->references, __ATOMIC_ACQUIRE) == 1 ||
      add_references(*block, -1) == 0) {
    block->context->pool->destroy(block);
  }
}

int32_t dz_make_array(dz_context* context, dz_block* block, int64_t offset, int32_t element,
                      int32_t rank, const int64_t* shape, dz_array** out) {
  dz_array* array = context->pool->make_handle(rank);
  if (array == nullptr) {
    return context->errors.report(DZ_OUT_OF_MEMORY, "Error: out of host memory");
  }
  dz_retain(block);
  array->block = block;
  array->offset = offset;
  array->element = element;
  array->rank = rank;
  for (int32_t i = 0; i < rank; ++i) {
    array->shape[i] = shape[i];
  }
  *out = array;
  return DZ_OK;
}

int32_t dz_fail(dz_context* context, int32_t failure, int32_t argument_count,
                const int64_t* arguments) {
  const dz_program& program = context->program;
  if (failure == DZ_ARENA_EXHAUSTED && argument_count == 1) {
    context->arena.lacked = arguments[0];
    return context->errors.report(
        DZ_OUT_OF_MEMORY, "Error: out of memory: a thread of a kernel needs " +
                              std::to_string(arguments[0]) + " bytes for an array");
  }
  if (failure < 0 || failure >= program.failure_count) {
    return context->errors.report(DZ_PROGRAM_ERROR, "Error: unknown failure");
  }
  return context->errors.report(DZ_PROGRAM_ERROR,
                                dagaz::runtime::failure_text(program.failures[failure],
                                                             argument_count, arguments));
}

int32_t dz_launch(dz_context* context, int32_t kernel, int64_t grid, int32_t block,
                  int32_t shared_bytes, void** arguments, const char* position,
                  int64_t moved) {
  if (kernel < 0 || kernel >= context->program.kernel_count) {
    return context->errors.report(DZ_ERROR, "the program has no kernel of that number");
  }
  if (grid <= 0) {
    return DZ_OK;
  }
  const dz_kernel* description = &context->program.kernels[kernel];
  if (context->config.logging) {
    context->log_line(std::string("launch ") + description->name + ": " + std::to_string(grid) +
                      " blocks of " + std::to_string(block) + " threads, " +
                      std::to_string(shared_bytes) + " bytes shared");
  }
  return context->device->launch(
      {kernel, description, grid, block, shared_bytes, arguments, position, moved});
}

int32_t dz_read(dz_context* context, dz_block* block, int64_t offset, int64_t bytes, void* host) {
  if (!inside(block, offset, bytes)) {
    return outside(context, "a read", block, offset, bytes);
  }
  const dagaz::runtime::Read one{dagaz::runtime::advance(block->data, offset), bytes, host};
  return context->device->read({&one, 1});
}

int32_t dz_read_several(dz_context* context, int32_t count, const dz_read_request* requests) {
  std::vector<dagaz::runtime::Read> reads;
  for (const dz_read_request& one : std::span(requests, static_cast<size_t>(count))) {
    if (!inside(one.block, one.byte_offset, one.bytes)) {
      return outside(context, "a read", one.block, one.byte_offset, one.bytes);
    }
    reads.push_back({dagaz::runtime::advance(one.block->data, one.byte_offset), one.bytes,
                     one.host});
  }
  return context->device->read(reads);
}

int32_t dz_write(dz_context* context, dz_block* block, int64_t offset, int64_t bytes,
                 const void* host) {
  if (!inside(block, offset, bytes)) {
    return outside(context, "a write", block, offset, bytes);
  }
  return context->device->write(dagaz::runtime::advance(block->data, offset), bytes, host);
}

int32_t dz_copy(dz_context* context, dz_block* target, int64_t target_offset, dz_block* source,
                int64_t source_offset, int64_t bytes) {
  // An empty slice may start anywhere.
  if (bytes == 0) {
    return DZ_OK;
  }
  if (!inside(target, target_offset, bytes)) {
    return outside(context, "a copy", target, target_offset, bytes);
  }
  if (!inside(source, source_offset, bytes)) {
    return outside(context, "a copy", source, source_offset, bytes);
  }
  return context->device->copy(dagaz::runtime::advance(target->data, target_offset),
                               dagaz::runtime::advance(source->data, source_offset), bytes);
}

int32_t dz_fill(dz_context* context, dz_block* block, int64_t offset, int64_t bytes, int32_t word,
                int32_t word_bytes) {
  if (!inside(block, offset, bytes)) {
    return outside(context, "a fill", block, offset, bytes);
  }
  return context->device->fill(dagaz::runtime::advance(block->data, offset), bytes,
                               {static_cast<uint32_t>(word), word_bytes});
}

int32_t dz_clear(dz_context* context, dz_block* block, int64_t offset, int64_t bytes) {
  return dz_fill(context, block, offset, bytes, 0, 1);
}

int32_t dz_synchronise(dz_context* context) {
  return context->device->synchronise();
}

int64_t dz_property(dz_context* context, int32_t property) {
  if (property == DZ_ARENA_BYTES) {
    context->arena.asked = true;
    return context->arena.bytes;
  }
  return context->device->property(property);
}

dz_leaf* dz_global(dz_context* context, int64_t index) {
  return &context->globals[static_cast<size_t>(index)];
}
