// swift-tools-version: 6.2
import PackageDescription

// The decoder as a WebAssembly module: the library's own sources, through the link Sources/PureWebP/Core, with an
// interface of C functions. `build` says how this is compiled, for browsers with vector instructions and for all others.

/// What of the library the module does without: RGBA/ has its own.
let replaced = [
  "Output", "PackedWriter", "PlaneWriter", "YUVConverter", "NearestUpsampler", "LossyScaler", "LosslessScaler",
  "Rescaler",
]

/// With vector instructions; or with what WebAssembly had from the first day on. Memory.swift is not to call itself.
let features =
  Context.environment["PURE_WEBP_SIMD"] == "1"
  ? ["-Xcc", "-msimd128", "-Xcc", "-mbulk-memory"]
  : ["-Xcc", "-mcpu=mvp", "-Xllvm", "-disable-loop-idiom-all"]

let exports = [
  "allocate", "free", "decode", "open", "append", "finish", "open_animation", "next_frame", "seek", "close",
]
let link =
  ["--no-entry", "--strip-all", "-z", "stack-size=65536"]
  + ["malloc", "free", "posix_memalign"].map { "--wrap=\($0)" } + exports.map { "--export=webp_\($0)" }

let package = Package(
  name: "pure-webp",
  targets: [
    .executableTarget(
      name: "PureWebP", exclude: replaced.map { "Core/Output/\($0).swift" },
      swiftSettings: [
        .enableExperimentalFeature("Embedded"), .enableExperimentalFeature("Extern"),
        .unsafeFlags(
          ["-wmo", "-parse-as-library", "-package-name", "PureWebP", "-Xfrontend", "-disable-stack-protector"]
            + features),
      ],
      linkerSettings: [.unsafeFlags(["-Xclang-linker", "-nostdlib"] + link.flatMap { ["-Xlinker", $0] })])
  ],
  swiftLanguageModes: [.v6]
)
