import PureWebP

// The smallest program that decodes: see Benchmarks/code-size.
let bytes = [UInt8](repeating: UInt8(CommandLine.argc), count: 64)
print(try WebP.decode(bytes).pixels.count)
