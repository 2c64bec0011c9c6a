/// Checks strings against one of the formats of JSON Schema.
///
/// The checks implement the exact grammars of the documents that JSON Schema refers to. The time of each check is
/// proportional to the length of the text. Values are never looked up: a host name need not exist.
/// - Source: JSON Schema Validation 2020-12, section 7.3.
public struct FormatChecker: Sendable {
  private typealias Check = @Sendable (UnsafeBufferPointer<UInt8>) -> Bool

  private let check: Check

  /// Creates the checker for a format. Returns nil for a name that JSON Schema does not define.
  public init?(_ name: String) {
    guard let check = Self.checks[name] else { return nil }
    self.check = check
  }

  /// Returns whether `text`, which is UTF-8 without escapes, matches the format.
  public func accepts(_ text: UnsafeBufferPointer<UInt8>) -> Bool { check(text) }

  /// Returns whether `text` matches the format.
  public func accepts(_ text: String) -> Bool {
    var text = text
    return text.withUTF8(check)
  }

  /// The names of the formats in alphabetical order.
  public static var names: [String] { checks.keys.sorted() }

  private static let checks: [String: Check] = [
    "date": DateTimeFormats.isDate, "time": DateTimeFormats.isTime, "date-time": DateTimeFormats.isDateTime,
    "duration": DurationFormat.isDuration,
    "email": { EmailFormats.isMailbox($0, international: false) },
    "idn-email": { EmailFormats.isMailbox($0, international: true) },
    "hostname": HostnameFormats.isHostname, "idn-hostname": HostnameFormats.isInternationalHostname,
    "ipv4": AddressFormats.isIPv4, "ipv6": AddressFormats.isIPv6,
    "uri": { URIFormats.isURI($0, international: false, relative: false) },
    "uri-reference": { URIFormats.isURI($0, international: false, relative: true) },
    "iri": { URIFormats.isURI($0, international: true, relative: false) },
    "iri-reference": { URIFormats.isURI($0, international: true, relative: true) },
    "uri-template": URITemplateFormat.isTemplate,
    "uuid": UUIDFormat.isUUID,
    "json-pointer": PointerFormats.isPointer, "relative-json-pointer": PointerFormats.isRelativePointer,
    "regex": { (try? ECMARegex(String(decoding: $0, as: UTF8.self))) != nil },
  ]
}
