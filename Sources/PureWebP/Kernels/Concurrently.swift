#if canImport(Dispatch) && !hasFeature(Embedded)
  import Dispatch
#endif

/// Does all three, at the same time if other processors are free, and returns when they are done.
///
/// Some tens of microseconds go into it. The longest should be the first. Where the other processors are busy, the
/// caller's thread does more than its part. What one of the three changes the others must not touch: two accesses of a
/// variable by `inout` do not compile.
///
/// - Parameter threads: how many may work, the caller's among them.
func concurrently(threads: Int, _ first: () -> Void, _ second: () -> Void, _ third: () -> Void = {}) {
  #if canImport(Dispatch) && !hasFeature(Embedded)
    withoutActuallyEscaping(first) { first in
      withoutActuallyEscaping(second) { second in
        withoutActuallyEscaping(third) { third in
          // Of one thread at a time, for `lock` guards it.
          nonisolated(unsafe) var rest = [third, second, first]
          let lock = DispatchSemaphore(value: 1)
          // None outlives this call: it returns when all have.
          DispatchQueue.concurrentPerform(iterations: min(threads, 3)) { _ in
            while true {
              lock.wait()
              let work = unsafe rest.popLast()
              lock.signal()
              guard let work else { return }
              work()
            }
          }
        }
      }
    }
  #else
    first()
    second()
    third()
  #endif
}
