#if canImport(Dispatch) && !hasFeature(Embedded)
  import Dispatch
#endif

/// Does both, at the same time if a second processor is free, and returns when both are done.
///
/// Some tens of microseconds go into it. Where the other processors are busy, the caller's thread does both. The two must
/// not share what one of them changes: two `inout` accesses of one variable do not compile.
func concurrently(_ first: () -> Void, _ second: () -> Void) {
  #if canImport(Dispatch) && !hasFeature(Embedded)
    withoutActuallyEscaping(first) { first in
      withoutActuallyEscaping(second) { second in
        // Each is called once, by one thread, before this returns.
        nonisolated(unsafe) let work = (first, second)
        DispatchQueue.concurrentPerform(iterations: 2) { index in
          if index == 0 { unsafe work.0() } else { unsafe work.1() }
        }
      }
    }
  #else
    first()
    second()
  #endif
}
