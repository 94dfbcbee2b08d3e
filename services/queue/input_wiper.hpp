// Wipes the inputs of partitions that have ended, on a thread of its own, as many at once as have come
// together: the disk is asked to flush once for all of them. Ownership: borrows store and thread. Threads:
// wipe() from any; the store's calls run on the thread.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "services/queue/background_thread.hpp"
#include "services/queue/blob_store.hpp"

namespace penstock::queue {

class InputWiper {
 public:
  InputWiper(const BlobStore& store, BackgroundThread& thread) : store_(store), thread_(thread) {}

  void wipe(std::string name) {
    {
      const std::lock_guard hold(mutex_);
      names_.push_back(std::move(name));
      if (names_.size() > 1) return;  // whoever put the first one in has asked the thread
    }
    if (!thread_.submit([this] { wipe_all(); }).ok()) wipe_all();  // late is better than never
  }

 private:
  void wipe_all() {
    std::vector<std::string> names;
    {
      const std::lock_guard hold(mutex_);
      names.swap(names_);
    }
    store_.remove(names);
  }
  const BlobStore& store_;
  BackgroundThread& thread_;
  std::mutex mutex_;
  std::vector<std::string> names_;
};

}  // namespace penstock::queue
