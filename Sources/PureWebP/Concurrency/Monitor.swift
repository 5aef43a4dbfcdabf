// Unsafe code: Mutex and condition are in memory that the object owns, whose address does not change.

/// A lock, and a condition that a thread waits for while it does not hold the lock.
///
/// On Linux, a mutex and a condition variable of POSIX. Where Dispatch provides the threads, two semaphores. Nothing on
/// systems without threads.
#if canImport(CThreads)
  internal import CThreads

  @safe final class Monitor: @unchecked Sendable {
    @unsafe private struct Parts {
      var mutex = unsafe pthread_mutex_t()
      var condition = pthread_cond_t()
    }

    /// Allocated, because the address of a mutex must not change.
    private let parts: UnsafeMutablePointer<Parts>

    init() {
      unsafe parts = .allocate(capacity: 1)
      unsafe parts.initialize(to: Parts())
      restart()
    }

    // The mutex and the condition are not destroyed. This would release no resource, and in a child process it would
    // wait for threads that were waiting in the parent.
    deinit { unsafe parts.deallocate() }

    /// Makes the monitor usable in a child process. Threads of the parent do not exist there.
    func restart() {
      var attributes = pthread_condattr_t()
      unsafe pthread_mutex_init(&parts.pointee.mutex, nil)
      unsafe pthread_condattr_init(&attributes)
      unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      unsafe pthread_cond_init(&parts.pointee.condition, &attributes)
    }

    func lock() { unsafe pthread_mutex_lock(&parts.pointee.mutex) }
    func unlock() { unsafe pthread_mutex_unlock(&parts.pointee.mutex) }

    /// Releases the lock until another thread signals. Can return for no reason.
    func wait() { unsafe pthread_cond_wait(&parts.pointee.condition, &parts.pointee.mutex) }

    /// Waits for at most a time. Returns false after that time.
    func wait(nanoseconds: Int) -> Bool {
      var end = timespec()
      unsafe clock_gettime(CLOCK_MONOTONIC, &end)
      let sum = Int(end.tv_nsec) + nanoseconds
      end.tv_sec += sum / 1_000_000_000
      end.tv_nsec = sum % 1_000_000_000
      return unsafe pthread_cond_timedwait(&parts.pointee.condition, &parts.pointee.mutex, &end) == 0
    }

    /// Resumes a waiting thread. In this order, because the thread needs the lock first of all.
    func unlockAndSignal() {
      unlock()
      unsafe pthread_cond_signal(&parts.pointee.condition)
    }

    /// Resumes all waiting threads.
    func unlockAndSignalAll() {
      unlock()
      unsafe pthread_cond_broadcast(&parts.pointee.condition)
    }
  }
#elseif canImport(Dispatch) && !hasFeature(Embedded)
  import Dispatch

  final class Monitor: @unchecked Sendable {
    private let mutex = DispatchSemaphore(value: 1)
    private let condition = DispatchSemaphore(value: 0)
    /// Accessed only by the thread that holds the lock.
    private var waiting = 0

    func lock() { mutex.wait() }
    func unlock() { mutex.signal() }

    /// Releases the lock until another thread signals.
    func wait() {
      waiting += 1
      mutex.signal()
      condition.wait()
      mutex.wait()
    }

    /// Resumes a waiting thread.
    func unlockAndSignal() {
      resume(min(1, waiting))
      unlock()
    }

    /// Resumes all waiting threads.
    func unlockAndSignalAll() {
      resume(waiting)
      unlock()
    }

    private func resume(_ count: Int) {
      waiting -= count
      for _ in 0..<count { condition.signal() }
    }
  }
#else
  final class Monitor: Sendable {
    func lock() {}
    func unlock() {}
    func wait() {}
    func unlockAndSignal() {}
    func unlockAndSignalAll() {}
  }
#endif
