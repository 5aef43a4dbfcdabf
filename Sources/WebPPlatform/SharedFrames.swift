import Foundation
import PureWebP
import WebPLoading

#if canImport(UIKit)
  import UIKit
  import os
#endif

/// The frames of one animation, which all views that show it share: views that need the same frame at the same time
/// decode it once. If all frames fit the memory for frames, they are decoded only in the first loop.
@MainActor
final class SharedFrames<Frame: Sendable>: SharedFramesBuffer {
  private let player: WebPFramePlayer<Frame>
  /// The frames that are decoded or being decoded.
  private var tasks: [Int: Task<Frame?, Never>] = [:]
  /// The indices of `tasks`, in the order of their first use.
  private var order: [Int] = []
  /// The number of frames that are retained even if not all fit. Views that are a little late still find them.
  private let minimumCount = 3

  init(_ player: WebPFramePlayer<Frame>, _ key: AnyHashable? = nil) {
    self.player = player
    super.init(
      player.animation, key, bytes: 4 * player.canvasSize.width * player.canvasSize.height * player.animation.frameCount
    )
  }

  /// Returns the frames of an animation, which other views may use already.
  static func shared(
    _ animation: WebP.ImageLoader.LoadedAnimation, _ load: ImageLoad, _ profile: [UInt8]?,
    _ convert: @escaping @Sendable (WebP.Image, _ profile: [UInt8]?) -> Frame?
  ) -> SharedFrames {
    // For a view, frames have the size of the canvas. To scale each would take longer than to let the view scale it.
    let source = load.scalesToView ? animation.source.withoutScaling : animation.source
    let key: [AnyHashable?] = [source.options, load.options.transform?.name]
    let found = FrameMemory.shared.buffers.lazy.compactMap { $0.buffer as? SharedFrames }
      .first { $0.key == AnyHashable(key) && $0.animation.hasSameFile(as: source) }
    if let found { return found }
    let player = WebPFramePlayer(source, transform: animation.transformed) { convert($0, profile) }
    let frames = SharedFrames(player, key)
    FrameMemory.shared.add(frames)
    return frames
  }

  func frame(at index: Int) async -> Frame? {
    if index == 0 || tasks.isEmpty { isBuffered = FrameMemory.shared.permits(self) }
    if let task = tasks[index] { return await task.value }
    let task = Task.detached { [player] in player.image(at: index) }
    tasks[index] = task
    order.append(index)
    if !isBuffered { removeFrames() }
    return await task.value
  }

  override var drawnFrameCount: Int { player.seeker.drawnFrameCount }

  override func removeFrames() {
    isBuffered = false
    while order.count > minimumCount { tasks[order.removeFirst()] = nil }
  }
}

/// The part of shared frames that does not depend on their type.
@MainActor
class SharedFramesBuffer {
  let animation: WebP.Animation
  fileprivate let key: AnyHashable?
  /// The memory of all frames.
  let bytes: Int
  /// Indicates whether all frames are retained.
  fileprivate(set) var isBuffered = false

  fileprivate init(_ animation: WebP.Animation, _ key: AnyHashable?, bytes: Int) {
    (self.animation, self.key, self.bytes) = (animation, key, bytes)
  }

  /// The number of frames that were drawn, for tests.
  var drawnFrameCount: Int { 0 }

  /// Releases the frames that can be decoded again.
  func removeFrames() {}
}

/// The memory for the frames of all animations that are shown. It is limited as in SDWebImage
/// (`calculateMaxBufferCountWithFrame`), but for all animations together: 20 % of the memory, and 60 % of the free one.
@MainActor
final class FrameMemory {
  static let shared = FrameMemory()

  struct WeakBuffer {
    fileprivate(set) weak var buffer: SharedFramesBuffer?
  }

  private(set) var buffers: [WeakBuffer] = []
  /// The number of bytes, for tests. Nil for the rule.
  var limit: Int?

  private init() {
    #if canImport(UIKit) && !os(watchOS)
      for name in [
        UIApplication.didReceiveMemoryWarningNotification, UIApplication.didEnterBackgroundNotification,
      ] {
        _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
          Task { @MainActor in FrameMemory.shared.removeFrames() }
        }
      }
    #endif
  }

  fileprivate func add(_ buffer: SharedFramesBuffer) {
    buffers.removeAll { $0.buffer == nil }
    buffers.append(WeakBuffer(buffer: buffer))
  }

  func removeFrames() {
    for item in buffers { item.buffer?.removeFrames() }
  }

  /// Returns whether the frames of an animation fit beside the retained frames of all others.
  fileprivate func permits(_ buffer: SharedFramesBuffer) -> Bool {
    let others = buffers.compactMap(\.buffer).filter { $0.isBuffered && $0 !== buffer }.reduce(0) { $0 + $1.bytes }
    return buffer.bytes <= (limit ?? ruledLimit) - others
  }

  private var ruledLimit: Int {
    let total = Double(ProcessInfo.processInfo.physicalMemory) * 0.2
    #if canImport(UIKit) && !targetEnvironment(macCatalyst)
      let free = Double(os_proc_available_memory())
      if free > 0 { return Int(min(total, free * 0.6)) }  // 0 in a simulator
    #endif
    return Int(total)
  }
}
