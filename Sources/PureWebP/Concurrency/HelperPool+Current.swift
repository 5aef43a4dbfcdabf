// Which helpers a decode uses.

#if canImport(CThreads)
  internal import CThreads
#endif

extension HelperPool {
  #if canImport(CThreads) && hasFeature(Embedded)
    // See CLibrary/Sources/Pointers/Helpers.swift.
  #elseif canImport(CThreads) || (canImport(Dispatch) && !hasFeature(Embedded))
    #if canImport(CThreads)
      /// The helpers of the process: at most one for each processor but one, for all decodes together.
      static let shared: HelperPool = {
        let pool = HelperPool(maximum: min(Processors.available, 64) - 1)
        // The lock is held during a fork, so that the child has a consistent copy of the pool.
        pthread_atfork({ shared.monitor.lock() }, { shared.monitor.unlock() }, { shared.restart() })
        return pool
      }()
    #else
      /// Dispatch uses no more threads than there are processors.
      static let shared = HelperPool(maximum: 63)
    #endif

    /// Tests use pools of their own.
    @TaskLocal static var current = shared

    /// The maximum number of helpers of one decode.
    static var limit: Int { current.maximum }

    static func use(helpers: Int, _ body: (HelperPool) -> Void) { body(current) }
  #else
    static var current: HelperPool { HelperPool() }
    static var limit: Int { 0 }

    static func use(helpers: Int, _ body: (HelperPool) -> Void) { body(current) }
  #endif
}
