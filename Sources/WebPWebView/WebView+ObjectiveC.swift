// The interface for Objective-C. Swift code uses the functions that these methods call.

#if canImport(WebKit)
  import Foundation
  import WebKit

  extension WebPScriptBridge {
    /// Creates a bridge with default options.
    ///
    ///     WebPScriptBridge *bridge = [WebPScriptBridge webp_bridge];
    ///     [bridge webp_installInController:configuration.userContentController];
    #if canImport(ObjectiveC.NSObject)
      @objc(webp_bridge)
    #endif
    @available(swift, obsoleted: 1.0)
    public static func makeBridge() -> WebPScriptBridge { WebPScriptBridge() }

    /// Installs the bridge in a controller.
    #if canImport(ObjectiveC.NSObject)
      @objc(webp_installInController:)
    #endif
    @available(swift, obsoleted: 1.0)
    public func installBridge(controller: WKUserContentController) { install(in: controller) }

    /// Removes the bridge from a controller.
    #if canImport(ObjectiveC.NSObject)
      @objc(webp_uninstallFromController:)
    #endif
    @available(swift, obsoleted: 1.0)
    public func uninstallBridge(controller: WKUserContentController) { uninstall(from: controller) }
  }

  extension WebPSchemeHandler {
    /// Creates a handler with default options.
    ///
    ///     WebPSchemeHandler *handler = [WebPSchemeHandler webp_handler];
    ///     [handler webp_installInConfiguration:configuration];
    #if canImport(ObjectiveC.NSObject)
      @objc(webp_handler)
    #endif
    @available(swift, obsoleted: 1.0)
    public static func makeHandler() -> WebPSchemeHandler { WebPSchemeHandler() }

    /// Installs the handler for its schemes.
    #if canImport(ObjectiveC.NSObject)
      @objc(webp_installInConfiguration:)
    #endif
    @available(swift, obsoleted: 1.0)
    public func installHandler(configuration: WKWebViewConfiguration) { install(in: configuration) }
  }
#endif
