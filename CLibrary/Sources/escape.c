#include "escape.h"

#include <setjmp.h>

typedef struct Attempt {
  WebPHeap *heap;
  jmp_buf escape;
} Attempt;

// In the memory that a thread has from its creation on. Other models allocate it at the first use, and end the process if
// that fails.
static _Thread_local Attempt *current __attribute__((tls_model("initial-exec")));

WebPHeap *webp_heap(void) { return current != NULL ? current->heap : NULL; }

int webp_attempt(WebPHeap *heap, void (*body)(void *), void *context) {
  Attempt *const before = current;
  Attempt attempt;
  int finished = 0;
  attempt.heap = heap;
  current = &attempt;
  if (_setjmp(attempt.escape) == 0) {
    body(context);
    finished = 1;
  }
  // Computed from `before`, which does not change after _setjmp.
  current = before;
  return finished;
}

void webp_escape(void) {
  __atomic_store_n(&current->heap->failed, 1, __ATOMIC_RELAXED);
  _longjmp(current->escape, 1);
}
