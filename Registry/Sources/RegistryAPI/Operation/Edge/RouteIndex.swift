import HTTPTypes
import Hummingbird
import Synchronization

/// The addresses that there are and what each one takes: for 405, `OPTIONS`, and labels of metrics and logs.
final class RouteIndex: Sendable {
  private struct Entry: Sendable {
    let parts: [String]
    var methods: [String]
  }

  private let entries = Mutex<[Entry]>([])

  /// Takes the routes; called once, when all are there.
  func fill(from router: Router<RegistryContext>) {
    var byPath: [String: Entry] = [:]
    for route in router.routes {
      let path = route.path.description
      byPath[path, default: Entry(parts: Self.parts(of: path), methods: [])].methods.append(route.method.rawValue)
    }
    let all = Array(byPath.values)
    entries.withLock { $0 = all }
  }

  /// What the address takes, as the value of `Allow`; nil when there is nothing.
  func methods(at path: String) -> String? {
    let parts = Self.parts(of: path)
    // A literal part wins over a captured one, as in the router.
    let best = entries.withLock { entries in
      entries.filter { Self.matches($0.parts, parts) }.max { left, right in
        zip(left.parts, right.parts).first { Self.isCapture($0) != Self.isCapture($1) }
          .map { Self.isCapture($0.0) } ?? false
      }
    }
    guard let best else { return nil }
    var methods = Set(best.methods)
    if methods.contains("GET") { methods.insert("HEAD") }
    methods.insert("OPTIONS")
    return methods.sorted().joined(separator: ", ")
  }

  /// What a route is called where nothing that somebody sent may stand.
  func label(of endpointPath: String?) -> String {
    guard let endpointPath, endpointPath.utf8.first == UInt8(ascii: "/") else { return "unmatched" }
    return endpointPath
  }

  /// A method by name; methods that nobody knows have one name together.
  static func name(of method: HTTPRequest.Method) -> String {
    switch method {
    case .get, .head, .post, .put, .patch, .delete, .options: method.rawValue
    default: "OTHER"
    }
  }

  private static func parts(of path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: Array($0), as: UTF8.self) }
  }

  private static func isCapture(_ part: String) -> Bool {
    part.utf8.first == UInt8(ascii: "{") || part.utf8.first == UInt8(ascii: ":")
  }

  private static func matches(_ template: [String], _ parts: [String]) -> Bool {
    template.count == parts.count
      && zip(template, parts).allSatisfy { isCapture($0) || $0.utf8.elementsEqual($1.utf8) }
  }
}
