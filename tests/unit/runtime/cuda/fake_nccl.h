// What tests may ask of the stand-in for libnccl.so.2, through the symbol `fake_nccl_state`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// A piece that came to its turn on the stream.
struct FakePiece {
  int rank;  // the other one; of what goes to all, its root
  std::string bytes;
};

struct FakeNcclState {
  int communicators = 0;     // made, and neither destroyed nor aborted
  int aborted = 0;
  int fail_next_init = 0;    // the next one returns this code
  int fail_next_send = 0;    // so does the next send
  int async_error = 0;       // that a communicator has had meanwhile
  int groups = 0;            // of operations that were started together
  int misuses = 0;           // operations outside of groups, on what is not memory of the device
  int gathers = 0;           // of parts of one size
  int64_t next_word = 1000;  // what comes next, in every word; one more for each piece
  std::vector<FakePiece> sent;
  std::vector<FakePiece> received;
};
