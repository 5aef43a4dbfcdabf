// Frames of an animation that several threads decode at the same time.
//
//     stage 2                               │ frame 0, on the canvas ──────│
//     stage 1               │ skips frame 0 │ frame 1, to pixels ────────│
//     stage 0     │ skips 0 │ skips frame 1 │ frame 2, to pixels ─────│
//
// A stage of a pipeline processes one batch at a time. Each frame is a batch that one stage decodes. The other stages
// skip it, so that all stages decode at the same time.

internal import WebPFormat

/// `@unchecked Sendable` is safe because the pipeline assigns each task to one thread at a time.
final class FrameTask: @unchecked Sendable {
  private let number: Int
  /// The pixels, or nil if the frame was drawn on the canvas. No result before the frame is decoded.
  private(set) var result: Result<ContiguousArray<UInt8>?, WebP.DecodeError>?

  private init(_ number: Int) { self.number = number }

  /// Decodes frames: the first one on the canvas, and the others to pixels.
  ///
  /// - Parameter numbers: the indices of the frames, at most four.
  static func decode(
    _ numbers: Range<Int>, of frames: [DemuxedFrame], on composer: FrameComposer, _ bytes: Span<UInt8>
  ) -> ContiguousArray<FrameTask> {
    let tasks = ContiguousArray(numbers.map { FrameTask($0) })
    let options = composer.options
    var pipeline = StagedPipeline(tasks, stages: numbers.count)
    pipeline.run(threads: numbers.count) { stage, task in
      // The first stage does not begin a frame again.
      guard task.result == nil else { return stage > 0 }
      guard task.number + stage + 1 == numbers.upperBound else { return true }
      let frame = frames[task.number]
      do throws(WebP.DecodeError) {
        if task.number == numbers.lowerBound {
          try composer.draw(frame, number: task.number, bytes, isComplete: true)
          task.result = .success(nil)
        } else {
          task.result = .success(try WebP.decode(bytes.extracting(frame.bytes), options: options).pixels)
        }
      } catch {
        task.result = .failure(error)
      }
      return true
    }
    return tasks
  }
}
