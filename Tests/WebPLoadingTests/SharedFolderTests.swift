import Foundation
import LoadingTestSupport
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that a folder is bounded and emptied although it is a link, refuses operations, or has other users.
/// Expected values: the files in the folder, and entries that the tests count.
@Suite struct SharedFolderTests {
  private let folder = try! TemporaryFolder.make()
  private var entries: URL { folder.appendingPathComponent("entries") }

  private func url(_ index: Int) -> URL { URL(string: "http://a/\(index).webp")! }

  private func keep(_ index: Int, in cache: WebP.ImageCache, bytes: Int = 70) {
    let header = WebP.ImageCache.Entry.Header(
      url: url(index), key: .init(url(index), .converted, nil), stored: Date(), freshUntil: Date() + 600, headers: [:],
      variant: [:], isOriginal: false)
    cache.store(.init(header: header, body: Data(count: bytes)), onlyInMemory: false)
  }

  /// Stores entries, and waits for their files.
  private func fill(_ cache: WebP.ImageCache, _ count: Int = 3) {
    for index in 0..<count { keep(index, in: cache) }
    cache.finishWriting()
  }

  private func stored(_ cache: WebP.ImageCache, _ count: Int = 3) -> [Int] {
    (0..<count).filter { cache.png(for: url($0)) != nil }
  }

  /// The operations that a folder refuses.
  private typealias Refusals = Locked<[OpenFolder.Operation: POSIXErrorCode]>

  private func cache(_ refusals: Refusals, memory: Int = 1 << 20) -> WebP.ImageCache {
    .init(
      DiskStore(folder: entries, maximumBytes: 1 << 20) { operation, _ in refusals.withLock { $0[operation] } },
      maximumMemoryBytes: memory)
  }

  // MARK: Links

  enum Link: CaseIterable { case folder, parent, link }

  /// On Linux, Foundation lists a link to a folder as empty, without an error.
  @Test(arguments: Link.allCases) func linksAreFollowed(link: Link) throws {
    let real = folder.appendingPathComponent("real")
    try FileManager.default.createDirectory(at: real, withIntermediateDirectories: true)
    var path = folder.appendingPathComponent("link")
    try FileManager.default.createSymbolicLink(at: path, withDestinationURL: real)
    switch link {
    case .folder: break
    case .parent: path.appendPathComponent("entries")
    case .link:
      let second = folder.appendingPathComponent("second")
      try FileManager.default.createSymbolicLink(at: second, withDestinationURL: path)
      path = second
    }
    let cache = WebP.ImageCache(folder: path, maximumMemoryBytes: 0, maximumDiskBytes: 10_000)
    for index in 0..<20 { keep(index, in: cache, bytes: 1000) }
    cache.finishWriting()
    let bytes = try cacheFiles(in: real).reduce(0) { try $0 + Data(contentsOf: $1).count }
    #expect(bytes == cache.diskBytes && (1...10_000).contains(bytes))
    try cache.removeAll()
    #expect(try cacheFiles(in: real).isEmpty)
    #expect(stored(cache, 20).isEmpty && stored(WebP.ImageCache(folder: path), 20).isEmpty)
  }

  /// The target may be on a disk that returns later.
  @Test func aLinkToNothingIsNotAnEmptyFolder() throws {
    let cache = WebP.ImageCache(folder: entries, maximumMemoryBytes: 0)
    fill(cache)
    let link = folder.appendingPathComponent("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: entries)
    let linked = WebP.ImageCache(folder: link, maximumMemoryBytes: 0)
    #expect(stored(linked) == [0, 1, 2])
    let elsewhere = folder.appendingPathComponent("elsewhere")
    try FileManager.default.moveItem(at: entries, to: elsewhere)
    #expect(throws: WebP.ImageCache.RemovalError.self) { try linked.removeAll() }
    try FileManager.default.moveItem(at: elsewhere, to: entries)
    #expect(stored(linked).isEmpty)
  }

  @Test func missingFoldersNeedNoRemoval() throws {
    let cache = WebP.ImageCache(folder: entries.appendingPathComponent("more"))
    try cache.removeAll()
    try cache.remove(url(0))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  // MARK: Files that remain

  /// The number of files that remain, and whether other processes ignore them.
  @Test(
    arguments: [
      ([.remove], true, 3), ([.remove, .create], false, 3), ([.remove, .rename], false, 3), ([.list], true, 0),
      ([.list, .create], false, 0), ([.open], false, 0),
    ] as [([OpenFolder.Operation], Bool, Int)])
  private func remainingFilesAreNotUsed(refused: [OpenFolder.Operation], areUnused: Bool, files: Int) throws {
    for removesAll in [true, false] {
      let refusals = Refusals([:])
      let (cache, other) = (cache(refusals), WebP.ImageCache(folder: entries))
      fill(cache)
      #expect(stored(other) == [0, 1, 2])
      refusals.withLock { for operation in refused { $0[operation] = .EACCES } }
      let error = #expect(throws: WebP.ImageCache.RemovalError.self) {
        if removesAll { try cache.removeAll() } else { try cache.remove(url(0)) }
      }
      #expect(error?.files.count == (removesAll ? files : min(files, 1)) && error?.areUnused == areUnused)
      #expect(error?.cause == .EACCES && error?.localizedDescription.contains(entries.path) == true)
      #expect(stored(cache).isEmpty)
      #expect(try cacheFiles(in: entries).count { $0.pathExtension == "webpcache" } == 3)
      // Another process, which had the images in memory, and a later one.
      for other in [other, WebP.ImageCache(folder: entries)] {
        #expect(stored(other) == (areUnused ? [] : [0, 1, 2]))
      }
      // When the folder permits it again, new images are stored, and nothing of the old ones is used.
      refusals.withLock { $0 = [:] }
      keep(1, in: cache)
      cache.finishWriting()
      for cache in [cache, WebP.ImageCache(folder: entries)] { #expect(stored(cache) == [1]) }
      #expect(try cacheFiles(in: entries).count { $0.pathExtension == "webpcache" } == 1)
      try cache.removeAll()
    }
  }

  /// An image that replaces another one and cannot be stored still removes it.
  @Test(arguments: [[.create], [.rename], [.create, .remove], [.open]] as [[OpenFolder.Operation]])
  private func replacedImagesDoNotReturn(refused: [OpenFolder.Operation]) throws {
    let refusals = Refusals([:])
    let cache = cache(refusals, memory: 0)
    fill(cache)
    refusals.withLock { for operation in refused { $0[operation] = .ENOSPC } }
    keep(1, in: cache, bytes: 71)
    cache.finishWriting()
    #expect(cache.png(for: url(1)) == nil)
  }

  /// Without a list, the store cannot keep its maximum.
  @Test func foldersThatCannotBeListedGetNoFiles() throws {
    let refusals = Refusals([.list: .EACCES])
    fill(cache(refusals))
    #expect(try cacheFiles(in: entries).isEmpty)
  }

  /// A process may have too many open files for a moment.
  @Test func anUnreadableGenerationRemovesNothing() throws {
    let cache = WebP.ImageCache(folder: entries, maximumMemoryBytes: 0)
    fill(cache)
    let file = entries.appendingPathComponent("webpcache-generation")
    let generation = try Data(contentsOf: file)
    for content in [Data(), generation.dropLast(), generation + [10], Data("000000000000000G".utf8)] {
      try content.write(to: file)
      #expect(stored(cache).isEmpty)
      try generation.write(to: file)
      #expect(stored(cache) == [0, 1, 2])
    }
  }

  // MARK: Other processes
  //
  // Another cache stands for another process, because caches share only their folder.

  @Test func otherProcessesObeyARemoval() throws {
    let caches = (0..<3).map { _ in WebP.ImageCache(folder: entries) }
    fill(caches[0])
    for cache in caches { #expect(stored(cache) == [0, 1, 2]) }
    try caches[1].removeAll()
    for cache in caches { #expect(stored(cache).isEmpty) }
    fill(caches[2], 1)
    for cache in caches { #expect(stored(cache) == [0]) }
  }

  /// A process that is writing an image while another one removes all does not store it.
  @Test func imagesThatAreBeingWrittenAreRemoved() throws {
    let (begun, removed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    fill(WebP.ImageCache(folder: entries), 1)
    let writer = WebP.ImageCache(
      DiskStore(folder: entries, maximumBytes: 1 << 20) { operation, _ in
        guard operation == .rename else { return nil }
        begun.signal()
        removed.wait()
        return nil
      }, maximumMemoryBytes: 0)
    keep(1, in: writer)
    begun.wait()
    try WebP.ImageCache(folder: entries).removeAll()
    removed.signal()
    writer.finishWriting()
    #expect(stored(writer).isEmpty && stored(WebP.ImageCache(folder: entries)).isEmpty)
  }

  /// Each process may exceed the maximum by the tenth after which it measures, and by one image.
  @Test func processesShareTheMaximum() throws {
    let (maximum, image) = (1 << 20, 1 << 14)
    let caches = (0..<4).map { _ in
      WebP.ImageCache(folder: entries, maximumMemoryBytes: 0, maximumDiskBytes: maximum)
    }
    for index in 0..<400 { keep(index, in: caches[index % 4], bytes: image) }
    for cache in caches { cache.finishWriting() }
    let bytes = try cacheFiles(in: entries).reduce(0) { try $0 + Data(contentsOf: $1).count }
    #expect(bytes > maximum / 2 && bytes <= maximum + 4 * (maximum / 10 + image + 1000))
  }

  // MARK: Other files

  /// A folder that has the name of an entry is not an entry.
  @Test func foldersAreNotRemoved() throws {
    let cache = WebP.ImageCache(folder: entries, maximumMemoryBytes: 0, maximumDiskBytes: 5000)
    fill(cache, 1)
    let file = try #require(try cacheFiles(in: entries).first)
    try FileManager.default.removeItem(at: file)
    let content = file.appendingPathComponent("letter.txt")
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    try Data([1]).write(to: content)
    let actions: [(String, () throws -> Void)] = [
      ("look up", { #expect(cache.png(for: url(0)) == nil) }), ("store", { fill(cache, 1) }),
      ("trim", { for index in 1..<9 { keep(index, in: cache, bytes: 1000) } }),
      ("remove", { try cache.remove(url(0)) }),
      ("remove all", { try cache.removeAll() }), ("measure", { #expect(cache.diskBytes == 0) }),
    ]
    for (name, action) in actions {
      try action()
      cache.finishWriting()
      #expect(FileManager.default.fileExists(atPath: content.path), "\(name)")
    }
  }

  /// The numbers in an entry's first bytes, which may be any.
  @Test(arguments: [0, 1, 59, 60, 0xFFFF_FFFF, 1 << 62, 1 << 63, UInt64.max - 20, .max] as [UInt64])
  func numbersInEntriesAreChecked(number: UInt64) throws {
    func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    let cache = WebP.ImageCache(folder: entries, maximumMemoryBytes: 0)
    for (offset, count) in [(8, 4), (12, 8)] {
      fill(cache, 1)
      let file = try #require(try cacheFiles(in: entries).first)
      var data = try Data(contentsOf: file)
      data.replaceSubrange(offset..<offset + count, with: bytes(number, count))
      try data.write(to: file)
      #expect(cache.png(for: url(0)) == nil)
      #expect(try cacheFiles(in: entries).isEmpty)
    }
  }

  // MARK: Time

  /// The file is written after the image was delivered. Until then, the store answers from memory.
  @Test func imagesDoNotWaitForTheDisk() async throws {
    let picture = try Fixtures.bytes(Fixtures.photo)
    let server = ScriptedTransport(.head(200, ["Cache-Control": "max-age=600"]), .piece(picture))
    let delivered = DispatchSemaphore(value: 0)
    let isDelivered = Locked(false)
    let store = DiskStore(folder: entries, maximumBytes: 1 << 20) { _, _ in
      if !isDelivered.withLock({ $0 }) { delivered.wait() }
      return nil
    }
    let cache = WebP.ImageCache(store, maximumMemoryBytes: 0)
    let loader = WebP.ImageLoader(configuration: .patient, cache: cache, transport: server)
    #expect(try await loader.image(for: url(0)).source == .network)
    let second = WebP.ImageLoader(configuration: .patient, cache: cache, transport: server)
    #expect(try await second.image(for: url(0)).source == .cache)
    #expect(try cacheFiles(in: folder).isEmpty)
    isDelivered.withLock { $0 = true }
    for _ in 0..<16 { delivered.signal() }
    cache.finishWriting()
    #expect(try cacheFiles(in: entries).count == 1)
  }
}
