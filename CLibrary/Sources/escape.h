// The part of the heap that Swift cannot express: a thread-local variable, and the return from a failed allocation.
#include <sched.h>
#include <stddef.h>

#include "../include/webp/demux.h"

// The memory that Swift's runtime has allocated for one object.
typedef struct WebPHeap {
  void *_Nullable blocks;
  // 1 while a thread changes the list of blocks, which takes a few instructions.
  int lock;
  // 1 after an allocation has failed.
  int failed;
} WebPHeap;

// The heap of the current thread.
WebPHeap *_Nullable webp_heap(void);

// Calls `body`. Its allocations belong to the heap. Several threads may do so at the same time. Returns 0 if an
// allocation of this thread failed.
int webp_attempt(WebPHeap *_Nonnull heap, void (*_Nonnull body)(void *_Nonnull), void *_Nonnull context);

// Returns from the innermost webp_attempt of the current thread.
_Noreturn void webp_escape(void);

static inline void webp_lock(WebPHeap *_Nonnull heap) {
  while (__atomic_exchange_n(&heap->lock, 1, __ATOMIC_ACQUIRE) != 0) sched_yield();
}

static inline void webp_unlock(WebPHeap *_Nonnull heap) { __atomic_store_n(&heap->lock, 0, __ATOMIC_RELEASE); }

// Memory that does not belong to a heap: the C library's malloc, realloc and free. The linker renames them.
void *_Nullable webp_malloc(size_t size);
void *_Nullable webp_realloc(void *_Nullable memory, size_t size);
void webp_free(void *_Nullable memory);

// The address of the output in a configuration. Swift has no expression for it.
static inline WebPDecBuffer *_Nonnull webp_output(WebPDecoderConfig *_Nonnull config) { return &config->output; }
