@_exported import Combine
@_exported import CoreGraphics

@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError() }
}

// swift-format-ignore: NoLeadingUnderscores
public struct _ConditionalContent<A: View, B: View>: View {
  nonisolated init() {}
  public var body: Never { fatalError() }
}

@resultBuilder public enum ViewBuilder {
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(
    _ content: repeat each Content
  ) -> TupleView<(repeat each Content)> { TupleView() }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  public static func buildEither<A: View, B: View>(first: A) -> _ConditionalContent<A, B> { _ConditionalContent() }
  public static func buildEither<A: View, B: View>(second: B) -> _ConditionalContent<A, B> { _ConditionalContent() }
}

@MainActor @propertyWrapper @preconcurrency public struct ObservedObject<Object: ObservableObject> {
  public var wrappedValue: Object
  public init(wrappedValue: Object) { self.wrappedValue = wrappedValue }
}

public struct ZStack<Content: View>: View {
  public init(@ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError() }
}

public struct TupleView<T>: View {
  nonisolated init() {}
  public var body: Never { fatalError() }
}

extension Optional: View where Wrapped: View {
  public var body: Never { fatalError() }
}

// Declarations for Examples/App.

@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene
  @SceneBuilder var body: Body { get }
  init()
}

extension App {
  public static func main() {}
}

@MainActor @preconcurrency public protocol Scene {}

@resultBuilder public enum SceneBuilder {
  public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View>: Scene {
  public init(@ViewBuilder content: () -> Content) {}
}

public struct List<Content: View>: View {
  public init(@ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError() }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View {
  public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
  public var body: Never { fatalError() }
}

@MainActor @preconcurrency public protocol UIViewRepresentable: View where Body == Never {
  associatedtype UIViewType: AnyObject
  func makeUIView(context: Context) -> UIViewType
  func updateUIView(_ view: UIViewType, context: Context)
  typealias Context = UIViewRepresentableContext<Self>
}

extension UIViewRepresentable {
  public var body: Never { fatalError() }
}

public struct UIViewRepresentableContext<Representable> {}

public struct ProgressView: View {
  public init(value: Double?) {}
  public var body: Never { fatalError() }
}

public struct EmptyView: View {
  public init() {}
  public var body: Never { fatalError() }
}

public struct Text: View, Sendable {
  public init<S: StringProtocol>(_ content: S) {}
  public var body: Never { fatalError() }
}

public enum ContentMode: Sendable { case fit, fill }

public struct Animation: Equatable, Sendable {
  public static func linear(duration: TimeInterval) -> Animation { Animation() }
  public static func easeIn(duration: TimeInterval) -> Animation { Animation() }
  public static func easeOut(duration: TimeInterval) -> Animation { Animation() }
  public static func easeInOut(duration: TimeInterval) -> Animation { Animation() }
}

public struct Image: View {
  public enum Orientation: UInt8, Sendable {
    case up, upMirrored, down, downMirrored, left, leftMirrored, right, rightMirrored
  }
  public init(_ image: CGImage, scale: CGFloat, orientation: Orientation = .up, label: Text) {}
  public init(decorative image: CGImage, scale: CGFloat, orientation: Orientation = .up) {}
  public init(systemName: String) {}
  public func resizable() -> Image { self }
  public var body: Never { fatalError() }
}

public struct Color: View, Sendable {
  public static let clear = Color()
  public static let gray = Color()
  public var body: Never { fatalError() }
}

public enum CoordinateSpace: Sendable { case global, local }

/// Created by tests.
public struct GeometryProxy {
  public let size: CGSize
  private let origin: CGPoint

  public init(size: CGSize, origin: CGPoint = .zero) { (self.size, self.origin) = (size, origin) }
  public func frame(in coordinateSpace: CoordinateSpace) -> CGRect {
    if coordinateSpace == .global { Self.globalFrames.value += 1 }
    return CGRect(origin: origin, size: size)
  }

  /// The number of frames in the global space that were read. SwiftUI updates a view that reads one when it scrolls.
  public static let globalFrames = Setting(0)
}

public struct GeometryReader<Content: View>: View {
  public init(@ViewBuilder content: @escaping (GeometryProxy) -> Content) {}
  public var body: Never { fatalError() }
}

public struct Alignment: Sendable {
  public static let center = Alignment()
}

@available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
public enum ScenePhase: Sendable { case background, inactive, active }

extension View {
  public func frame(width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center) -> some View { self }
  public func background<V: View>(_ background: V, alignment: Alignment = .center) -> some View { self }
  public func onReceive<P: Publisher>(
    _ publisher: P, perform action: @escaping (P.Output) -> Void
  ) -> some View where P.Failure == Never { self }
  public func aspectRatio(_ ratio: CGFloat? = nil, contentMode: ContentMode) -> some View { self }
  public func aspectRatio(_ ratio: CGSize, contentMode: ContentMode) -> some View { self }
  public func id<ID: Hashable>(_ id: ID) -> some View { self }
  public func onAppear(perform action: (() -> Void)? = nil) -> some View { self }
  public func onDisappear(perform action: (() -> Void)? = nil) -> some View { self }
}

@MainActor public func withAnimation<Result>(
  _ animation: Animation? = nil, _ body: () throws -> Result
) rethrows -> Result { try body() }

@propertyWrapper public struct State<Value> {
  public var wrappedValue: Value
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

/// Changed by tests. The settings have no setters in the SDK.
public struct EnvironmentValues {
  public init() {}
  public var displayScale: CGFloat = 1
  public var accessibilityReduceMotion = false
  @available(macOS 11, iOS 14, tvOS 14, watchOS 7, *)
  public var scenePhase = ScenePhase.active
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  public var accessibilityPlayAnimatedImages = true
}

@propertyWrapper public struct Environment<Value> {
  public var wrappedValue: Value { fatalError() }
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
}
