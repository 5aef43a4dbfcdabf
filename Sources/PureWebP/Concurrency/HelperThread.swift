// Unsafe code: The structures that create a thread are on the stack of the function.

#if canImport(CThreads)
  internal import CThreads

  /// The creation of threads on Linux.
  ///
  /// A thread inherits processors, niceness and scheduling class of its creator. Helpers work for all threads of the
  /// process, so they take these from the main thread instead. They are never real-time threads. In Embedded Swift,
  /// helpers work for their creator only.
  enum HelperThread {
    /// As large as the stacks of Dispatch's threads on Apple's systems.
    private static let stackBytes = 1 << 19

    /// Creates a thread, which calls `body`.
    ///
    /// - Returns: nil if the system does not permit another thread, or has no memory for it, or if the thread would
    ///   have a lower priority than the main thread.
    static func start(
      _ context: UnsafeMutableRawPointer, _ body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
    ) -> pthread_t? {
      #if !hasFeature(Embedded)
        guard mayHavePriorityOfMainThread else { return nil }
      #endif
      var attributes = pthread_attr_t()
      guard unsafe pthread_attr_init(&attributes) == 0 else { return nil }
      defer { unsafe pthread_attr_destroy(&attributes) }
      unsafe pthread_attr_setstacksize(&attributes, stackBytes)
      // A thread inherits the set of blocked signals. Helpers receive only the signals that they cause themselves.
      var (signals, before) = (sigset_t(), sigset_t())
      unsafe sigfillset(&signals)
      for own in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGPIPE] {
        unsafe sigdelset(&signals, own)
      }
      unsafe pthread_sigmask(SIG_BLOCK, &signals, &before)
      defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
      var thread = pthread_t()
      return unsafe pthread_create(&thread, &attributes, body, context) == 0 ? thread : nil
    }

    #if !hasFeature(Embedded)
      /// Indicates that a thread that the calling thread creates may have the main thread's priority. Raising the
      /// priority requires a privilege.
      private static var mayHavePriorityOfMainThread: Bool {
        let main = getpid()
        let (own, policy) = (linux_get_policy(0), linux_get_policy(main))
        return linux_get_priority(0) >= linux_get_priority(main) && (policy < 0 || own == policy || isRealTime(own))
      }

      private static func isRealTime(_ policy: Int) -> Bool {
        policy != LINUX_SCHED_OTHER && policy != LINUX_SCHED_BATCH && policy != LINUX_SCHED_IDLE
      }

      /// Gives the calling thread the processors and the priority of the main thread.
      static func adoptSchedulingOfMainThread() {
        let main = getpid()
        let (policy, priority) = (linux_get_policy(main), linux_get_priority(main))
        if policy >= 0, policy != linux_get_policy(0) {
          linux_set_policy(0, isRealTime(policy) ? LINUX_SCHED_OTHER : Int32(policy))
        }
        if linux_get_priority(0) > priority { linux_set_niceness(0, Int32(20 - priority)) }
        if let processors = ProcessorSet(thread: main), processors != ProcessorSet(thread: 0) {
          processors.assign(thread: 0)
        }
      }
    #endif
  }
#endif
