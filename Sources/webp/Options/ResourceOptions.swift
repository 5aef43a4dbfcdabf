import ArgumentParser
import CommandSystem
import PureWebP

/// The number of threads, and the limits that are checked before memory and time are spent on a file, as options of a
/// command.
struct ResourceOptions: ParsableArguments {
  @Option(help: .number("The maximum number of threads, at most 64. It does not change the output."))
  var threads: Int?

  @Option(help: .number("Refuse images and canvases of more pixels (default: 2^27)."))
  var maxPixels: Int?

  @Option(help: .number("Refuse files of more bytes (default: 2^30)."))
  var maxBytes: Int?

  @Option(help: .number("Refuse animations of more frames (default: 2^18)."))
  var maxFrames: Int?

  @Option(help: .number("Refuse animations with more pixels in all frames or converted canvases (default: 2^36)."))
  var maxTotalPixels: Int?

  @Option(help: .number("Refuse images of more than 2^26 pixels that have more pixels per byte (default: 256)."))
  var pixelsPerByte: Int?

  @Option(help: .number("Omit metadata beyond this number of bytes (default: 2^26)."))
  var maxMetadata: Int?

  @Flag(help: "Disable all limits.")
  var noLimits = false

  func validate() throws {
    if let threads, threads < 1 { throw ValidationError("--threads must be at least 1") }
    for number in [maxPixels, maxBytes, maxFrames, maxTotalPixels, pixelsPerByte, maxMetadata] {
      if let number, number < 0 { throw ValidationError("limits must be at least 0") }
    }
  }

  /// Returns the name of the option for a limit.
  static func name(of limit: WebP.Limits.Name) -> String {
    switch limit {
    case .maximumPixels: "--max-pixels"
    case .maximumPixelsPerByte: "--pixels-per-byte"
    case .maximumBytes: "--max-bytes"
    case .maximumFrames: "--max-frames"
    case .maximumAnimationPixels: "--max-total-pixels"
    }
  }

  /// Reads a file, or standard input if the path is `-`, up to the limit on bytes.
  func readInput(_ path: String) throws(Failure) -> [UInt8] {
    try readWebP(path, limit: limits.maximumBytes, limitName: Self.name(of: .maximumBytes))
  }

  /// Returns a message about the metadata that the limit excludes, or nil if all metadata is included.
  ///
  /// - Parameters:
  ///   - bytes: the file.
  ///   - info: its headers.
  ///   - included: the metadata within the limit.
  ///   - kinds: the kinds that are to be stored.
  func omittedMetadata(
    of bytes: [UInt8], _ info: WebP.ImageInfo, _ included: WebP.Metadata, kinds: [WebP.Metadata.Kind]
  ) -> String? {
    let isComplete =
      info.hasICC == (included.icc != nil) && info.hasExif == (included.exif != nil)
      && info.hasXMP == (included.xmp != nil)
    guard !isComplete else { return nil }
    let all = WebP.metadata(bytes, limits: .unlimited)
    let omitted = kinds.compactMap { kind in
      included[kind] == nil ? all[kind].map { "\(kind.title) (\($0.count) bytes)" } : nil
    }
    guard !omitted.isEmpty else { return nil }
    return "limit exceeded: left out \(omitted.joined(separator: ", ")); --max-metadata allows more"
  }

  var limits: WebP.Limits {
    var limits = noLimits ? WebP.Limits.unlimited : WebP.Limits()
    if let maxPixels { limits.maximumPixels = maxPixels }
    if let maxBytes { limits.maximumBytes = maxBytes }
    if let maxFrames { limits.maximumFrames = maxFrames }
    if let maxTotalPixels { limits.maximumAnimationPixels = maxTotalPixels }
    if let pixelsPerByte {
      limits.maximumPixelsPerByte = pixelsPerByte
      limits.unrestrictedPixels = WebP.Limits().unrestrictedPixels
    }
    if let maxMetadata { limits.maximumMetadataBytes = maxMetadata }
    return limits
  }

  // MARK: Threads

  var threadCount: WebP.Threads { threads.map { .atMost($0) } ?? .automatic }

  /// Does jobs on several threads, and passes their results on in the order of the jobs.
  ///
  /// - Parameters:
  ///   - work: does a job with the given threads, which are a share of these if there are several jobs.
  ///   - receive: is called on the caller's thread. Returns false to begin no further jobs.
  func forEach<Job: Sendable, Result: Sendable>(
    _ jobs: [Job], work: @escaping @Sendable (Job, Self) -> Result, receive: (Result) -> Bool
  ) {
    // Under a limit on memory, one job at a time uses all threads. Otherwise the order in which jobs allocate memory
    // would decide which of them fails.
    let workers = availableMemory == nil ? max(1, min(threads ?? Processors.available, jobs.count)) : 1
    var share = self
    if workers > 1 { share.threads = max(1, threadCount.count / workers) }
    var queue = OrderedWorkQueue<Result>(threads: workers)
    var remaining = jobs[...]
    while true {
      // The number of queued jobs is bounded, so that memory does not grow with the number of inputs.
      while queue.count < 4 * workers, let job = remaining.popFirst() {
        queue.add { [share] in work(job, share) }
      }
      guard let result = queue.next() else { return }
      if !receive(result) { remaining = [] }
    }
  }
}
