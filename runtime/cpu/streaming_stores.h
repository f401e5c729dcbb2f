// Streaming ("non-temporal") stores, which go past the caches.
#pragma once

namespace dagaz::runtime {

/// What this thread has stored past the caches is seen by those who learn afterwards that it has.
void finish_streaming_stores();

}  // namespace dagaz::runtime
