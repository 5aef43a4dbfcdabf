// The part of the heap that Swift cannot express: a thread-local variable, and the return from a failed allocation.
#include <setjmp.h>
#include <stddef.h>

#include "../include/webp/demux.h"

// The memory that Swift's runtime has allocated for one object, and the place to return to if an allocation fails.
typedef struct WebPHeap {
  void *_Nullable blocks;
  jmp_buf escape;
} WebPHeap;

// The heap of the current thread.
WebPHeap *_Nullable webp_heap(void);

// Calls `body`. Its allocations belong to the heap. Returns 0 if one of them failed.
int webp_attempt(WebPHeap *_Nonnull heap, void (*_Nonnull body)(void *_Nonnull), void *_Nonnull context);

// Returns from the innermost webp_attempt of the heap.
_Noreturn void webp_escape(WebPHeap *_Nonnull heap);

// Memory that does not belong to a heap: the C library's malloc, realloc and free. The linker renames them.
void *_Nullable webp_malloc(size_t size);
void *_Nullable webp_realloc(void *_Nullable memory, size_t size);
void webp_free(void *_Nullable memory);

// The address of the output in a configuration. Swift has no expression for it.
static inline WebPDecBuffer *_Nonnull webp_output(WebPDecoderConfig *_Nonnull config) { return &config->output; }
