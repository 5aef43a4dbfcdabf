import PureWebP

// The smallest program that decodes, streams and plays animations: see Benchmarks/code-size.
let bytes = [UInt8](repeating: UInt8(CommandLine.argc), count: 64)
print(try WebP.decode(bytes).pixels.count)

var decoder = WebP.StreamingDecoder()
_ = try decoder.append(bytes)
try decoder.finish()
print(decoder.finishedRows)

for try await frame in try WebP.Animation(bytes).playback() { print(frame.index) }

var animation = WebP.StreamingAnimation()
try animation.append(bytes)
try animation.finish()
while let frame = try animation.nextFrame() { print(frame.index) }
