#include "cuda/mapped_memory.h"

namespace dagaz::runtime::cuda {

bool MappedMemory::open(CUdevice device) {
  const Driver& all = driver();
  if (all.cuMemGetAllocationGranularity == nullptr || all.cuMemAddressReserve == nullptr ||
      all.cuMemAddressFree == nullptr || all.cuMemCreate == nullptr ||
      all.cuMemRelease == nullptr || all.cuMemMap == nullptr || all.cuMemUnmap == nullptr ||
      all.cuMemSetAccess == nullptr || attribute_of(device, attribute_mapped_memory) == 0) {
    return false;
  }
  kind_.location.device = device;
  return all.cuMemGetAllocationGranularity(&page_, &kind_, granularity_minimum) == success &&
         page_ > 0;
}

/// On failure everything is as before.
CUresult MappedMemory::map(Array& array, CUdeviceptr begin, size_t bytes) const {
  if (bytes == 0) {
    return success;
  }
  Piece piece{begin, bytes, 0};
  CUresult result = driver().cuMemCreate(&piece.memory, bytes, &kind_, 0);
  if (result != success) {
    return result;
  }
  result = driver().cuMemMap(begin, bytes, 0, piece.memory, 0);
  if (result == success) {
    const MemoryAccess access{kind_.location};
    result = driver().cuMemSetAccess(begin, bytes, &access, 1);
    if (result != success) {
      driver().cuMemUnmap(begin, bytes);
    }
  }
  if (result != success) {
    driver().cuMemRelease(piece.memory);
    return result;
  }
  array.pieces.push_back(piece);
  return success;
}

CUresult MappedMemory::reserve(size_t bytes, size_t first, size_t used, CUdeviceptr* out) {
  const auto pages_before = [&](size_t end) { return (end + page_ - 1) / page_ * page_; };
  Array array{pages_before(bytes == 0 ? 1 : bytes), {}};
  CUdeviceptr begin = 0;
  CUresult result = driver().cuMemAddressReserve(&begin, array.bytes, 0, 0, 0);
  if (result != success) {
    return result;
  }
  const size_t start = first / page_ * page_;
  result = map(array, begin + start, used == 0 ? 0 : pages_before(first + used) - start);
  if (result != success) {
    driver().cuMemAddressFree(begin, array.bytes);
    return result;
  }
  arrays_[begin] = std::move(array);
  *out = begin;
  return success;
}

CUresult MappedMemory::use_all(CUdeviceptr pointer) {
  Array& array = arrays_.at(pointer);
  const CUdeviceptr end = pointer + array.bytes;
  if (array.pieces.empty()) {
    return map(array, pointer, array.bytes);
  }
  const CUdeviceptr before = array.pieces.front().begin;
  const CUdeviceptr after = before + array.pieces.front().bytes;
  const bool has_all_before = array.pieces.size() > 1 || before == pointer;
  CUresult result = has_all_before ? success : map(array, pointer, before - pointer);
  if (result == success) {
    result = map(array, after, end - after);
  }
  return result;
}

void MappedMemory::release(CUdeviceptr pointer) {
  const auto found = arrays_.find(pointer);
  for (const Piece& one : found->second.pieces) {
    driver().cuMemUnmap(one.begin, one.bytes);
    driver().cuMemRelease(one.memory);
  }
  driver().cuMemAddressFree(pointer, found->second.bytes);
  arrays_.erase(found);
}

}  // namespace dagaz::runtime::cuda
