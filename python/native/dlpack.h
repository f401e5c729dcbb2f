// The structures of DLPack 0.8 (https://dmlc.github.io/dlpack), by which libraries hand each other
// tensors: a capsule "dltensor" holds a DLManagedTensor, and whoever takes it renames the capsule.
#pragma once

#include <cstdint>

extern "C" {

struct DLDevice {
  int32_t device_type;
  int32_t device_id;
};

struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: dense and row-major
  uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

}  // extern "C"

constexpr int32_t dl_cpu = 1, dl_cuda = 2;
constexpr uint8_t dl_int = 0, dl_uint = 1, dl_float = 2, dl_bool = 6;
