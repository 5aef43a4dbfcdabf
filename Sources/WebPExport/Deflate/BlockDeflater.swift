internal import WebPFormat

/// Compresses filtered rows with runs, or with all repetitions, and prefix codes.
///
///     rows ─▶ segments of 32 KiB: repetitions, counts of symbols ─▶ equal segments are one block ─▶ BlockWriter
///
/// A repetition must take fewer bits than the literals that it replaces. The bits are counted in the segment before.
struct BlockDeflater {
  /// The kind of repetitions that are searched.
  enum Search {
    /// Runs of one byte.
    case runs
    /// All repetitions. The symbols of similar bytes, if they are known, select the first ones.
    case repetitions(SymbolCounts? = nil)
  }

  /// The segments that have not been written, and the counts and the cost of their symbols.
  private var pending: ContiguousArray<Segment> = []
  private var symbols = SymbolCounts()
  private var cost = 0
  /// Nil for runs.
  private var search: RepetitionSearch?
  /// The costs of the last segment with repetitions, or of similar bytes.
  private var costs: SymbolCosts?
  private var writer: BlockWriter

  private static let segmentBytes = 1 << 15
  /// The maximum number of segments of a block.
  private static let blockSegments = 16
  /// The size of the codes of a block, 125 bytes, in the unit of costs.
  private static let blockCost = 125 * 8 << 10

  /// Compresses bytes to a part of a deflate stream.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that precede the part in the stream, and the bytes of the part.
  ///   - start: The position of the first byte of the part.
  ///   - prefix: The bytes that precede the part in the result.
  ///   - isLast: True if the stream ends here. If false, the part ends at a byte boundary.
  static func compress(
    _ bytes: Span<UInt8>, from start: Int, _ search: Search, after prefix: ContiguousArray<UInt8>,
    isLast: Bool
  ) -> ContiguousArray<UInt8> {
    var deflater = Self(search, after: prefix, count: bytes.count - start)
    var position = start
    repeat {
      let end = min(bytes.count, position + segmentBytes)
      deflater.add(deflater.segment(bytes, position..<end), bytes)
      position = end
    } while position < bytes.count
    deflater.writer.write(bytes, deflater.pending, deflater.symbols, isLast: isLast)
    return deflater.writer.finish(isLast: isLast)
  }

  private init(_ search: Search, after prefix: ContiguousArray<UInt8>, count: Int) {
    if case .repetitions(let symbols) = search {
      self.search = RepetitionSearch(count: count)
      costs = symbols.map { SymbolCosts($0) }
    }
    writer = BlockWriter(after: prefix, capacity: 1024 + count / 2)
  }

  private mutating func segment(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Segment {
    let runs = Segment(runs: bytes, range)
    guard search != nil else { return runs }
    let all = Segment(bytes, range, costs ?? SymbolCosts(runs.symbols), &search!)
    costs = SymbolCosts(all.symbols)
    return all.cost < runs.cost ? all : runs
  }

  /// Adds a segment to the pending ones if one block for all of them is smaller.
  private mutating func add(_ segment: Segment, _ bytes: Span<UInt8>) {
    var all = symbols
    all.add(segment.symbols)
    let allCost = all.cost
    let isSmaller =
      allCost <= cost + segment.cost + Self.blockCost && pending.count < Self.blockSegments
    if !isSmaller && !pending.isEmpty {
      writer.write(bytes, pending, symbols, isLast: false)
      pending.removeAll(keepingCapacity: true)
      (symbols, cost) = (segment.symbols, segment.cost)
    } else {
      (symbols, cost) = (all, allCost)
    }
    pending.append(segment)
  }
}

/// The symbols of a range of bytes.
struct Segment {
  private(set) var range: Range<Int>
  private(set) var repetitions: ContiguousArray<Repetition>
  private(set) var symbols: SymbolCounts
  /// The number of bits in units of 1/1024 bit, without the codes.
  private(set) var cost: Int

  /// Finds the runs in a range.
  init(runs bytes: Span<UInt8>, _ range: Range<Int>) {
    var symbols = SymbolCounts(bytes, range)
    var runs = ContiguousArray<Repetition>()
    findRuns(in: bytes, range, symbols, into: &runs)
    symbols.replaceLiterals(of: bytes, range, by: runs.span)
    self.init(range, runs, symbols)
  }

  /// Finds repetitions in a range.
  init(
    _ bytes: Span<UInt8>, _ range: Range<Int>, _ costs: SymbolCosts,
    _ search: inout RepetitionSearch
  ) {
    var found = ContiguousArray<Repetition>()
    search.find(in: bytes, range, costs, into: &found)
    self.init(range, found, SymbolCounts(bytes, range, found.span))
  }

  private init(_ range: Range<Int>, _ repetitions: ContiguousArray<Repetition>, _ symbols: SymbolCounts) {
    self.range = range
    self.repetitions = repetitions
    self.symbols = symbols
    cost = symbols.cost
  }
}
