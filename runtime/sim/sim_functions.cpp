// The functions that simulated kernels call, and the maker of the device.  They are one object
// file on purpose: a program with kernels refers to the functions, and so links the maker.
#include "sim/block_scheduler.h"
#include "sim/sim_device.h"

using dagaz::runtime::sim::MatrixUnit;
using dagaz::runtime::sim::ShuffleMode;
using dagaz::runtime::sim::SimThread;

dagaz::runtime::Device* dz_make_sim_device(dz_context* context) {
  return dagaz::runtime::sim::make_device(*context);
}

int32_t dz_sim_thread_index(void* thread) {
  return static_cast<SimThread*>(thread)->index;
}

int32_t dz_sim_block_index(void* thread) {
  return static_cast<SimThread*>(thread)->block->index;
}

int32_t dz_sim_block_size(void* thread) {
  return static_cast<SimThread*>(thread)->scheduler->job().block;
}

int32_t dz_sim_grid_size(void* thread) {
  return static_cast<SimThread*>(thread)->scheduler->job().grid;
}

void dz_sim_barrier(void* thread) {
  auto* self = static_cast<SimThread*>(thread);
  self->scheduler->barrier(*self);
}

int64_t dz_sim_shuffle(void* thread, int64_t value, int32_t mode, int32_t operand) {
  auto* self = static_cast<SimThread*>(thread);
  return self->scheduler->shuffle(*self, value, static_cast<ShuffleMode>(mode), operand);
}

void dz_sim_multiply(void* thread, int32_t unit, const void* rows, const void* points, void* sums) {
  auto* self = static_cast<SimThread*>(thread);
  self->scheduler->multiply(*self, static_cast<MatrixUnit>(unit), {rows, points, sums});
}

int64_t dz_sim_stack_limit(void* thread) {
  return static_cast<SimThread*>(thread)->fiber->stack_limit();
}

void* dz_sim_shared(void* thread) {
  return static_cast<SimThread*>(thread)->block->shared;
}

void dz_sim_access(void* thread, const void* address, int64_t bytes, int32_t flags) {
  auto* self = static_cast<SimThread*>(thread);
  self->scheduler->access(*self, address, bytes, flags, __builtin_return_address(0));
}

void dz_sim_copy(void* thread, void* target, const void* source, int64_t bytes, int64_t present) {
  auto* self = static_cast<SimThread*>(thread);
  self->scheduler->copy(
      *self, {static_cast<char*>(target), static_cast<const char*>(source), bytes, present},
      __builtin_return_address(0));
}

void dz_sim_commit(void* thread) { static_cast<SimThread*>(thread)->copies.commit(); }

void dz_sim_await(void* thread, int32_t pending) {
  auto* self = static_cast<SimThread*>(thread);
  self->scheduler->await(*self, pending);
}

void dz_sim_fence(void* thread) {
  auto* self = static_cast<SimThread*>(thread);
  self->scheduler->fence(*self);
}
