// Direct messages by NCCL, which puts them on the stream as other work: nobody waits for the GPU.
#pragma once

#include <memory>
#include <string>

#include "cuda/cuda_stream.h"
#include "cuda/cuda_work.h"
#include "cuda/device_errors.h"
#include "cuda/nccl.h"
#include "ranks/direct.h"

namespace dagaz::runtime::cuda {

class NcclMessages final : public DirectMessages {
 public:
  /// The device whose memory is sent.
  struct Place {
    dz_context& context;
    DeviceErrors& errors;
    CudaStream& stream;
    CudaWork& work;
    CUcontext cuda_context;
    CUdevice device;
  };

  /// Called by all ranks.  Null on all of them where one cannot, and why.
  static std::unique_ptr<NcclMessages> connect(const Place& place, const dz_rank_messages& ranks,
                                               std::string& problem);
  NcclMessages(const Place& place, int rank, NcclCommunicator communicator)
      : place_(place), rank_(rank), communicator_(communicator) {}
  ~NcclMessages() override;
  NcclMessages(const NcclMessages&) = delete;
  NcclMessages& operator=(const NcclMessages&) = delete;

  std::string name() const override { return nccl_name(); }
  int32_t move(std::span<const dz_rank_message> to,
               std::span<const dz_rank_message> from) override;
  int32_t gather(void* whole, std::span<const int64_t> sizes) override;

 private:
  template <typename Operations>
  int32_t start(const Operations& operations);
  NcclResult gather_parts(char* whole, std::span<const int64_t> sizes, CUstream stream) const;

  Place place_;
  const int rank_;
  NcclCommunicator communicator_;
  bool failed_ = false;
};

}  // namespace dagaz::runtime::cuda
