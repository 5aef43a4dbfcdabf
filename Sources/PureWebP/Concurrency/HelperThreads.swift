// Unsafe code: Other threads call a closure only before the function returns, so it does not escape. A thread
// retains the list of jobs.

#if canImport(Dispatch) && !hasFeature(Embedded)
  import Dispatch

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// Threads that run jobs for one owner: a work queue, or the pipeline of a decoder.
  ///
  ///     add ──▶ │ job │ job │ job │ ──▶ helper, helper, … (as many as the system permits)
  ///
  /// The system may refuse to create a thread, so an owner runs all work that no helper has begun. After a refusal, no
  /// more helpers are started. On Linux, helpers are POSIX threads, because libdispatch repeats a refused request
  /// endlessly. They wait for jobs until the owner releases this object. Elsewhere, Dispatch provides the threads.
  final class HelperThreads: Sendable {
    private let jobs: HelperJobs

    /// - Parameter maximum: the maximum number of helpers. A helper starts when a job finds none waiting.
    init(maximum: Int) { jobs = HelperJobs(maximum: maximum) }

    deinit { jobs.end() }

    /// Lets a helper run a job, unless none can be started. A job that has not begun when the object is released does
    /// not run.
    func add(_ job: @escaping @Sendable () -> Void) { jobs.add(job) }

    /// Calls `body` on the caller's thread, and at the same time on helpers. Returns after all calls have returned.
    ///
    /// - Parameter threads: the maximum number of threads, including the caller's.
    func perform(threads: Int, _ body: () -> Void) {
      withoutActuallyEscaping(body) { body in
        // The closure does not escape: each item releases it before the item is done.
        nonisolated(unsafe) let body = body
        let calls = (1..<max(1, threads)).map { _ in WorkItem { unsafe body() } }
        for call in calls { add { [weak call] in _ = call?.runIfUnclaimed() } }
        unsafe body()
        for call in calls where !call.cancel() { call.wait() }
      }
    }

    /// The resources of the machine. Tests simulate other machines.
    struct Machine: Sendable {
      /// The number of processors.
      var processors: Int
      /// The number of helpers of each owner that the system creates.
      var startableHelpers = Int.max
    }

    #if canImport(Glibc) || canImport(Musl)
      @TaskLocal static var machine = Machine(processors: sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    #else
      // Dispatch uses no more threads than there are processors.
      @TaskLocal static var machine = Machine(processors: .max)
    #endif
  }

  /// The jobs of `HelperThreads`. The threads refer only to this object, so that their owner can be released.
  private final class HelperJobs: @unchecked Sendable {
    private let startableHelpers: Int
    /// Protects the properties that follow. No job runs while it is held.
    private let mutex = DispatchSemaphore(value: 1)
    private var jobs: ContiguousArray<@Sendable () -> Void> = []
    private var maximum: Int
    private var running = 0
    private var waiting = 0
    private var isEnded = false
    /// Counts the helpers that shall wake up.
    private let wakening = DispatchSemaphore(value: 0)

    init(maximum: Int) {
      self.maximum = maximum
      startableHelpers = HelperThreads.machine.startableHelpers
    }

    func add(_ job: @escaping @Sendable () -> Void) {
      mutex.wait()
      defer { mutex.signal() }
      guard maximum > 0 else { return }
      jobs.append(job)
      if waiting > 0 {
        waiting -= 1
        wakening.signal()
      } else if running < maximum {
        running += 1
        guard running > startableHelpers || !start() else { return }
        running -= 1
        maximum = running
        if running == 0 { jobs = [] }
      }
    }

    func end() {
      mutex.wait()
      isEnded = true
      jobs = []
      for _ in 0..<waiting { wakening.signal() }
      waiting = 0
      mutex.signal()
    }

    /// Runs jobs until the owner is released or, on threads of Dispatch, until no job is left.
    private func run() {
      mutex.wait()
      while true {
        if let job = jobs.first {
          jobs.removeFirst()
          mutex.signal()
          job()
          mutex.wait()
        } else if Self.helpersWait && !isEnded {
          waiting += 1
          mutex.signal()
          wakening.wait()
          mutex.wait()
        } else {
          break
        }
      }
      running -= 1
      mutex.signal()
    }

    #if canImport(Glibc) || canImport(Musl)
      private static let helpersWait = true
      /// As large as the stacks of Dispatch's threads on Apple's systems.
      private static let stackBytes = 1 << 19

      /// Starts a helper.
      ///
      /// - Returns: false if the system does not permit another thread, or has no memory for it.
      private func start() -> Bool {
        var attributes = pthread_attr_t()
        guard unsafe pthread_attr_init(&attributes) == 0 else { return false }
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        unsafe pthread_attr_setstacksize(&attributes, Self.stackBytes)
        // A thread inherits the set of blocked signals. Helpers receive only the signals that they cause themselves.
        var (signals, before) = (sigset_t(), sigset_t())
        unsafe sigfillset(&signals)
        for own in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGPIPE] {
          unsafe sigdelset(&signals, own)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        let jobs = unsafe Unmanaged.passRetained(self)
        var thread = pthread_t()
        let error = unsafe pthread_create(
          &thread, &attributes,
          { jobs in
            unsafe Unmanaged<HelperJobs>.fromOpaque(jobs!).takeRetainedValue().run()
            return nil
          }, jobs.toOpaque())
        if error != 0 { unsafe jobs.release() }
        return error == 0
      }
    #else
      private static let helpersWait = false

      private func start() -> Bool {
        DispatchQueue.global().async { self.run() }
        return true
      }
    #endif
  }
#endif
