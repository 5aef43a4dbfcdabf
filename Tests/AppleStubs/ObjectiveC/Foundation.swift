// Replaces Foundation, whose classes are not visible to Objective-C outside of Apple's systems.
@_exported import FoundationObjC
@_exported import ObjectiveC

public typealias URLSessionConfiguration = NSURLSessionConfiguration
public typealias CGFloat = Double

extension NSError: @unchecked Sendable, Error {}

public struct Data: Sendable, _ObjectiveCBridgeable {
  public init() {}
  public mutating func append(contentsOf bytes: [UInt8]) {}
  public func _bridgeToObjectiveC() -> NSData { fatalError() }
  public static func _forceBridgeFromObjectiveC(_ source: NSData, result: inout Data?) {}
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSData, result: inout Data?) -> Bool { false }
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSData?) -> Data { fatalError() }
}

public struct URL: Sendable, _ObjectiveCBridgeable {
  public func appendingPathComponent(_ component: String, isDirectory: Bool) -> URL { self }
  public func _bridgeToObjectiveC() -> NSURL { fatalError() }
  public static func _forceBridgeFromObjectiveC(_ source: NSURL, result: inout URL?) {}
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSURL, result: inout URL?) -> Bool { false }
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSURL?) -> URL { fatalError() }
}

public struct URLRequest: Sendable, _ObjectiveCBridgeable {
  public func _bridgeToObjectiveC() -> NSURLRequest { fatalError() }
  public static func _forceBridgeFromObjectiveC(_ source: NSURLRequest, result: inout URLRequest?) {}
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSURLRequest, result: inout URLRequest?) -> Bool {
    false
  }
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSURLRequest?) -> URLRequest { fatalError() }
}

public struct FileManager: Sendable {
  public enum Folder { case cachesDirectory }
  public enum Domain { case userDomainMask }
  public static let `default` = FileManager()
  public func urls(for folder: Folder, in domain: Domain) -> [URL] { [] }
}
