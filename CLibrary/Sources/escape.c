#include "escape.h"

static _Thread_local WebPHeap *current;

WebPHeap *webp_heap(void) { return current; }

int webp_attempt(WebPHeap *heap, void (*body)(void *), void *context) {
  WebPHeap *const before = current;
  int finished = 0;
  current = heap;
  if (_setjmp(heap->escape) == 0) {
    body(context);
    finished = 1;
  }
  // Computed from the arguments and from `before`, which do not change after _setjmp.
  current = before;
  return finished;
}

void webp_escape(WebPHeap *heap) { _longjmp(heap->escape, 1); }
