// Declarations that the examples of the documentation use but do not contain. Each of the other files has the
// declarations for one kind of examples.
import Foundation
import FoundationNetworking
import PureWebP
import WebPExif
import WebPExport
import WebPLoading
import WebPPlatform
import WebPWebView

let bytes: [UInt8] = []
let chunks: [[UInt8]] = []
let asyncBytes = AsyncStream<UInt8> { $0.finish() }
let folder = FileManager.default.temporaryDirectory
let (caches, output, url, pageURL) = (folder, folder, folder, folder)
let cache = WebP.ImageCache(folder: folder)
let page = Data()
let image = try! WebP.decode(bytes)
let animation = try! WebP.Animation(bytes)
struct File { func write(_ bytes: ContiguousArray<UInt8>) {} }
let file = File()
func nextRows() -> [UInt8]? { nil }
func show(_ things: Any?...) {}
func show(_ image: WebP.Image, fadesIn: Bool) {}
func show(_ image: WebP.Image, for: Int) {}
func reserve(_ size: WebP.Size) {}
let (lumaStride, chromaStride) = (0, 0)
func send(_ data: some Sequence<UInt8>) {}
let loader = WebP.ImageLoader()
let urls: [URL] = []
