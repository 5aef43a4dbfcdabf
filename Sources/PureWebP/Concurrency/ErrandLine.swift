#if !hasFeature(Embedded)
  #if canImport(Dispatch)
    import Dispatch
  #endif

  /// Errands whose results come out in the order that they were given in.
  ///
  ///     add ──▶ │ errand │ errand │ errand │ ──▶ next
  ///                 ▲        ▲        ▲
  ///                 └── helper threads, and in `next` the caller's ──┘
  ///
  /// No thread waits while there is something to do: what is next may be in a helper's hands, but what comes behind it
  /// often is not. A line that is thrown away has no more errands begun.
  package struct ErrandLine<Value: Sendable>: Sendable {
    private var errands: ContiguousArray<Errand<Value>> = []
    #if canImport(Dispatch)
      /// Each is one thread at the most.
      private let helpers: ContiguousArray<DispatchQueue>
      private var nextHelper = 0
    #endif

    /// - Parameter threads: how many may be at work, the caller's among them.
    package init(threads: Int) {
      #if canImport(Dispatch)
        helpers = .init((1..<max(1, threads)).map { DispatchQueue(label: "PureWebP helper \($0)") })
      #endif
    }

    /// How many errands have been given whose results have not been taken.
    package var count: Int { errands.count }

    package mutating func add(_ work: @escaping @Sendable () -> Value) {
      let errand = Errand(work)
      errands.append(errand)
      #if canImport(Dispatch)
        guard !helpers.isEmpty else { return }
        helpers[nextHelper].async { [weak errand] in _ = errand?.doUnlessBegun() }
        nextHelper = (nextHelper + 1) % helpers.count
      #endif
    }

    /// Whether `next()` would not take time.
    package var isNextDone: Bool { errands.first?.isDone ?? false }

    /// The result of the next errand, which is waited for if need be. Nil: there are no more errands.
    package mutating func next() -> Value? {
      guard !errands.isEmpty else { return nil }
      let errand = errands.removeFirst()
      errand.doUnlessBegun()
      while !errand.isDone, errands.contains(where: { $0.doUnlessBegun() }) {}
      errand.wait()
      return errand.result
    }
  }
#endif
