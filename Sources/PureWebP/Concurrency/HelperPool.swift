// Unsafe code: A thread retains its pool.

/// Work of one owner in which helper threads can take part: a decode, or a queue of work items.
///
/// Helpers do not wait here for more work. A helper that finds none returns to its pool, and is requested again. So an
/// owner waits only for helpers that are working.
class SharedWork: @unchecked Sendable {
  /// Protects the state of the work.
  let monitor = Monitor()
  /// True after the system has refused to create a helper. Protected by the pool's lock.
  fileprivate(set) var isRefused = false

  /// Works on a helper thread until nothing is left to do.
  ///
  /// - Parameter pool: the pool of the thread.
  func help(_ pool: HelperPool) {}
}

#if canImport(CThreads)
  internal import CThreads

  /// Helper threads, which work for any number of owners.
  ///
  ///     request ──▶ │ work │ work │ work │ ──▶ helper, helper, … (as many as the system permits)
  ///
  /// A thread is created when a request finds none waiting. It ends after no request has arrived for some time. Because
  /// the system may refuse to create a thread, owners do all work that no helper has begun.
  final class HelperPool: @unchecked Sendable {
    /// The maximum number of helpers at the same time.
    let maximum: Int
    private let idleNanoseconds: Int
    /// The number of threads that the system creates. Tests simulate systems that create few.
    private let startable: Int

    /// Protects the properties that follow. No work is done while it is held.
    let monitor = Monitor()
    private var requests: ContiguousArray<SharedWork> = []
    private var threads: ContiguousArray<pthread_t> = []
    /// The number of threads that wait and have not been resumed.
    private var waiting = 0
    /// The number of threads that have been resumed and still wait.
    private var resumed = 0
    private var isEnded = false
    /// The number of forks that led to this process. Changes only while the process has a single thread.
    private(set) var generation = 0

    init(maximum: Int, idleNanoseconds: Int = 1_000_000_000, startable: Int = .max) {
      (self.maximum, self.idleNanoseconds, self.startable) = (maximum, idleNanoseconds, startable)
      // A thread is created, and a request added, without an allocation that could fail.
      threads.reserveCapacity(maximum)
      requests.reserveCapacity(maximum)
    }

    /// The number of threads that exist.
    var threadCount: Int {
      monitor.lock()
      defer { monitor.unlock() }
      return threads.count
    }

    /// Lets a helper take part in some work, as soon as one is free. The owner withdraws the work later.
    func request(_ work: SharedWork) {
      monitor.lock()
      requests.append(work)
      if waiting > 0 {
        waiting -= 1
        resumed += 1
        return monitor.unlockAndSignal()
      }
      if threads.count < maximum, !work.isRefused { work.isRefused = threads.count >= startable || !start() }
      monitor.unlock()
    }

    #if !hasFeature(Embedded)
      /// Removes all requests for some work. Helpers that have begun it continue.
      func withdraw(_ work: SharedWork) {
        monitor.lock()
        requests.removeAll { $0 === work }
        monitor.unlock()
      }
    #endif

    /// Ends all helpers, and returns after their threads have ended.
    func end() {
      monitor.lock()
      isEnded = true
      let ended = threads
      threads = []
      monitor.unlockAndSignalAll()
      for thread in ended { pthread_join(thread, nil) }
    }

    /// Begins again in a child process, in which the threads do not exist.
    func restart() {
      monitor.restart()
      (requests, threads) = ([], [])
      (waiting, resumed) = (0, 0)
      generation += 1
    }

    /// Creates a thread. The lock is held, so the thread is in the list before it can end.
    ///
    /// - Returns: false if the system does not permit another thread, or has no memory for it.
    private func start() -> Bool {
      let pool = unsafe Unmanaged.passRetained(self)
      guard
        let thread = unsafe HelperThread.start(
          pool.toOpaque(),
          {
            unsafe Unmanaged<HelperPool>.fromOpaque($0!).takeRetainedValue().run()
            return nil
          })
      else {
        unsafe pool.release()
        return false
      }
      threads.append(thread)
      return true
    }

    /// Fulfills requests, on a helper thread.
    private func run() {
      #if !hasFeature(Embedded)
        HelperThread.adoptSchedulingOfMainThread()
      #endif
      monitor.lock()
      while !isEnded {
        if let work = requests.first {
          requests.removeFirst()
          monitor.unlock()
          work.help(self)
          monitor.lock()
        } else if !waitForRequest() {
          let own = pthread_self()
          threads.removeAll { pthread_equal($0, own) != 0 }
          pthread_detach(own)
          break
        }
      }
      monitor.unlock()
    }

    /// Waits for a request, or for the end of the pool. Returns false if neither arrives for some time.
    private func waitForRequest() -> Bool {
      waiting += 1
      var isInTime = true
      while resumed == 0, isInTime, !isEnded { isInTime = monitor.wait(nanoseconds: idleNanoseconds) }
      if resumed > 0 {
        // A thread whose time is over accepts the request too. The thread that was signaled continues to wait.
        resumed -= 1
        return true
      }
      waiting -= 1
      return isEnded
    }
  }
#elseif canImport(Dispatch) && !hasFeature(Embedded)
  import Dispatch

  /// The threads of Dispatch.
  final class HelperPool: Sendable {
    let maximum: Int
    let generation = 0
    /// The number of threads that the system creates for some work. Tests simulate systems that create none.
    private let startable: Int

    init(maximum: Int, startable: Int = .max) { (self.maximum, self.startable) = (maximum, startable) }

    /// Lets a helper take part in some work, as soon as one is free. The owner withdraws the work later.
    func request(_ work: SharedWork) { if startable > 0 { DispatchQueue.global().async { work.help(self) } } }

    func withdraw(_ work: SharedWork) {}
  }
#else
  final class HelperPool: Sendable {
    let maximum = 0
    let generation = 0

    func request(_ work: SharedWork) {}
    func withdraw(_ work: SharedWork) {}
  }
#endif
