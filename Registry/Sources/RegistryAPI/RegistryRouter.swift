import CDescription
import HTTPTypes
import Hummingbird
import RegistryModel
import Synchronization

/// The whole interface: the middleware and the routes.
public enum RegistryRouter {
  /// The prefix of all paths except health, readiness and metrics.
  public static let prefix = "/api/v1"

  /// Makes the router.
  public static func make(_ registry: Registry) -> Router<RegistryContext> {
    let router = Router(context: RegistryContext.self, options: [.autoGenerateHeadEndpoints])
    // Order matters: the first middleware gets every request first and every answer last.
    OperationRoutes.addMiddleware(to: router, registry)
    let routeGuard = RouteGuard()
    router.add(middleware: routeGuard)
    OperationRoutes.add(to: router, registry)
    let api = router.group(RouterPath(prefix))
    AuthRoutes.add(to: api, registry)
    ProfileRoutes.add(to: api, registry)
    ContentRoutes.add(to: api, registry)
    DescriptionRoutes.add(to: router, registry)
    PageRoutes.add(to: router, registry)
    routeGuard.learn(router.routes.map { ($0.path.description, $0.method) })
    return router
  }
}

/// Distinguishes an unknown path (404) from an unsupported method (405 with `Allow`), because the router only reports
/// "not found".
///
/// Every path has exactly one spelling: with a trailing slash or two slashes in a row, it is a different path, which
/// does not exist.
final class RouteGuard: RouterMiddleware {
  typealias Context = RegistryContext

  private struct Known {
    let segments: [Substring]
    var methods: Set<String>
  }

  private let known = Mutex<[Known]>([])

  /// Records the routes. Called once, after all of them have been added.
  func learn(_ routes: [(path: String, method: HTTPRequest.Method)]) {
    var table: [Known] = []
    for route in routes {
      let segments = route.path.split(separator: "/")
      // `EdgeMiddleware` answers OPTIONS on every path.
      var methods: Set = [route.method.rawValue, "OPTIONS"]
      if route.method == .get { methods.insert("HEAD") }
      if let index = table.firstIndex(where: { $0.segments == segments }) {
        table[index].methods.formUnion(methods)
      } else {
        table.append(Known(segments: segments, methods: methods))
      }
    }
    // Fixed paths come before those with a slug.
    table.sort { $0.segments.count { $0.hasPrefix("{") } < $1.segments.count { $0.hasPrefix("{") } }
    let sorted = table
    known.withLock { $0 = sorted }
  }

  func handle(
    _ request: Request, context: RegistryContext, next: (Request, RegistryContext) async throws -> Response
  ) async throws -> Response {
    if Self.isMisspelt(request.head.path ?? "") { throw Problem.noRoute }
    do {
      return try await next(request, context)
    } catch let error as HTTPError where error.status == .notFound && context.endpointPath == "NotFound" {
      throw refusal(request.uri.path, request.method)
    }
  }

  private func refusal(_ path: String, _ method: HTTPRequest.Method) -> Problem {
    let segments = path.split(separator: "/")
    let match = known.withLock { $0.first { Self.matches($0.segments, segments) } }
    // The method is supported, but the path ends in a fixed word where a name is expected, as in `/users/by-id`.
    guard let match, method == .options || !match.methods.contains(method.rawValue) else { return .noRoute }
    let allowed = match.methods.sorted().joined(separator: ", ")
    return Problem(
      .methodNotAllowed, "method_not_allowed", "This path does not support the method: use one of \(allowed).",
      headers: [.allow: allowed])
  }

  private static func matches(_ pattern: [Substring], _ path: [Substring]) -> Bool {
    pattern.count == path.count
      && zip(pattern, path).allSatisfy { $0.hasPrefix("{") || $0.utf8.elementsEqual($1.utf8) }
  }

  private static func isMisspelt(_ target: String) -> Bool {
    var before: UInt8 = 0
    var count = 0
    for byte in target.utf8 {
      if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
      if byte == UInt8(ascii: "/"), before == byte { return true }
      before = byte
      count += 1
    }
    return count > 1 && before == UInt8(ascii: "/")
  }
}

/// The routes for operators: health, readiness, metrics.
enum OperationRoutes {
  /// Adds the routes.
  static func add(to routes: some RouterMethods<RegistryContext>, _ registry: Registry) {
    routes.get("health") { _, _ in json("{\"status\":\"ok\"}") }
    routes.get("ready") { _, context in
      do {
        try await registry.store.check()
      } catch {
        context.logger.warning("Not ready")
        var fields = HTTPFields()
        fields[.retryAfter] = "5"
        throw Problem(.serviceUnavailable, "unavailable", "The registry cannot reach its data.", headers: fields)
      }
      return json("{\"status\":\"ready\"}")
    }
    routes.get("metrics") { _, _ in
      var fields = HTTPFields()
      fields[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
      fields[.cacheControl] = "no-store"
      return Response(status: .ok, headers: fields, body: .init(byteBuffer: .init(bytes: registry.metrics.text())))
    }
  }

  private static func json(_ text: String) -> Response {
    var fields = HTTPFields()
    fields[.contentType] = "application/json"
    fields[.cacheControl] = "no-store"
    return Response(status: .ok, headers: fields, body: .init(byteBuffer: .init(string: text)))
  }
}

extension OperationRoutes {
  /// Adds the middleware for every request.
  static func addMiddleware(to router: Router<RegistryContext>, _ registry: Registry) {
    router.add(middleware: EdgeMiddleware(registry))
  }
}

/// The routes for the description.
enum DescriptionRoutes {
  /// Adds the routes to the document: one at the root, and one below the prefix of the interface that it describes.
  static func add(to routes: some RouterMethods<RegistryContext>, _ registry: Registry) {
    for path in ["/openapi.json", "\(RegistryRouter.prefix)/openapi.json"] {
      routes.get(RouterPath(path)) { _, _ in
        Response(
          status: .ok, headers: [.contentType: "application/json", .cacheControl: "public, max-age=300"],
          body: .init(byteBuffer: .init(bytes: Description.openAPI)))
      }
    }
  }
}

/// The OpenAPI document of the interface, embedded in the binary.
public enum Description {
  /// The contents of `Description/openapi.json`.
  public static let openAPI: [UInt8] = {
    var count = 0
    guard let bytes = fleetkit_openapi(&count) else { return [] }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }()
}
