import CPages
import Content
import Mustache

/// A stylesheet, script or picture of the pages.
public struct PageAsset: Sendable {
  /// The file name.
  public let name: String
  /// The media type.
  public let mediaType: String
  /// The content.
  public let bytes: [UInt8]
  /// The beginning of the content's SHA-256, in hexadecimal. It is a part of the address, so that caches may keep each
  /// version forever.
  public let version: String

  /// All assets.
  public static let all: [PageAsset] = [style, script, icon]

  static let style = PageAsset("style.css", "text/css; charset=utf-8")
  static let script = PageAsset("script.js", "text/javascript; charset=utf-8")
  static let icon = PageAsset("icon.svg", "image/svg+xml")

  /// The address on the registry.
  public var address: String { "\(path)?v=\(version)" }

  /// The address without the version.
  public var path: String { "/assets/\(name)" }

  private init(_ name: String, _ mediaType: String) {
    self.name = name
    self.mediaType = mediaType
    let bytes = PageResources.bytes(name)
    self.bytes = bytes
    version = Digest.sha256(bytes.span).prefix(6).map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
  }
}

/// The embedded files of `Resources`.
enum PageResources {
  /// Returns the bytes of a file. A missing file is an error in the list of the C target.
  static func bytes(_ name: String) -> [UInt8] {
    var count = 0
    guard let bytes = fleetkit_page_resource(name, &count) else { preconditionFailure("'\(name)' is not embedded") }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  /// The templates. Each begins with the name of the values' type, because a partial does not inherit it.
  static let templates: MustacheLibrary = {
    MustacheContentTypes.register(MarkupValues(), named: MarkupValues.name)
    var library = MustacheLibrary()
    for name in ["author", "error", "feed", "item", "items", "layout", "list", "sitemap", "sitemaps"] {
      let text = String(decoding: bytes(name + ".mustache"), as: UTF8.self)
      do {
        try library.register("{{% CONTENT_TYPE: \(MarkupValues.name)}}\n" + text, named: name)
      } catch {
        preconditionFailure("The template '\(name)' cannot be parsed: \(error)")
      }
    }
    return library
  }()
}
