import HTTPTypes
import Hummingbird
import RegistryStore
import Logging
import NIOCore

/// Does the common work for every request: its id, the client's address, CORS, the general limit, problems for all
/// errors, security fields, metrics and the log line.
///
/// This is one middleware instead of eight: each of them would be a call through an existential with its own task hop.
struct EdgeMiddleware: RouterMiddleware {
  typealias Context = RegistryContext

  /// The body size that takes about a millisecond to read, in bytes.
  private static let largeBody = 64 << 10

  let registry: Registry
  let cors: CrossOrigin
  let security: SecurityFields

  init(_ registry: Registry) {
    self.registry = registry
    cors = CrossOrigin(origins: registry.settings.corsOrigins)
    security = SecurityFields(registry.settings)
  }

  func handle(
    _ request: Request, context: RegistryContext, next: (Request, RegistryContext) async throws -> Response
  ) async throws -> Response {
    let begin = ContinuousClock.now
    var context = context
    let requestID = RequestName.of(request)
    context.logger[metadataKey: "request_id"] = .string(requestID)
    if registry.settings.trustsProxy {
      context.clientAddress = ForwardedAddress.of(request, peer: context.peer) ?? context.clientAddress
    }

    var response: Response
    do {
      response = try await answer(request, context: context, next: next)
    } catch {
      let problem = ProblemMapping.problem(for: error, context, requestID: requestID)
      response =
        PageRoutes.isForPeople(request)
        ? PageHandlers(registry: registry).page(for: problem, request, requestID: requestID)
        : try problem.response(from: request, context: context)
      // By default, caches may store a 404 or a 405 (RFC 9110, 15.1).
      response.headers[.cacheControl] = "no-store"
      if request.method == .options, problem.status == .methodNotAllowed {
        response = Response(status: .noContent, headers: problem.headers)
      }
      if request.method == .head { response = response.createHeadResponse() }
      if problem.status == .contentTooLarge { response.headers[.connection] = "close" }
    }

    response.headers[RequestName.field] = requestID
    if let standing = context.notes.rateLimit, response.headers[.rateLimitLimit] == nil {
      response.headers.append(contentsOf: standing.fields)
    }
    security.add(
      to: &response.headers, forwardedScheme: request.headers[ForwardedAddress.scheme],
      isSigned: request.headers.contains(.authorization))
    cors.add(to: &response.headers, origin: request.headers[.origin], method: request.method)
    let record = RequestRecord(
      method: RouteLabel.of(request.method), route: RouteLabel.of(context.endpointPath),
      status: response.status.code, duration: ContinuousClock.now - begin, requestID: requestID)
    registry.metrics.count(record)
    registry.onRequest(record)
    return response
  }

  private func answer(
    _ request: Request, context: RegistryContext, next: (Request, RegistryContext) async throws -> Response
  ) async throws -> Response {
    if request.method == .options, let preflight = cors.preflight(request) { return preflight }
    if request.uri.path.utf8.starts(with: RegistryRouter.prefix.utf8) || PageRoutes.isPage(request.uri.path) {
      try await registry.limiter.charge(.general, context)
    }
    if let encoding = request.headers[.contentEncoding], encoding.lowercased() != "identity" {
      // Small compressed bodies can unpack to very large ones, so no client may send them.
      throw Problem(
        .unsupportedMediaType, "unsupported_media_type",
        "Encoded bodies are not supported. Send the body without Content-Encoding.")
    }
    let length = request.headers[.contentLength].flatMap { Int($0) }
    if let length, length > registry.settings.batchBodyLimit {
      throw Problem(
        .contentTooLarge, "body_too_large",
        "The body has \(length) bytes; the limit is \(registry.settings.batchBodyLimit). Send less at once.")
    }
    guard request.headers.contains(.authorization) else {
      return try await pass(request, length: length, context: context, next: next)
    }
    // A person who is signed in sees the own changes, also where others may read from a replica.
    return try await StoreReads.$areCurrent.withValue(true) {
      try await pass(request, length: length, context: context, next: next)
    }
  }

  private func pass(
    _ request: Request, length: Int?, context: RegistryContext,
    next: (Request, RegistryContext) async throws -> Response
  ) async throws -> Response {
    // Connections share the thread of their event loop; a large body is read and checked on another thread.
    if length ?? 0 > Self.largeBody || request.headers[.transferEncoding] != nil {
      return try await withTaskExecutorPreference(globalConcurrentExecutor) { try await next(request, context) }
    }
    return try await next(request, context)
  }
}

/// The id of a request in answers and logs.
enum RequestName {
  static let field = HTTPField.Name("X-Request-Id") ?? .eTag

  /// Returns the client's own id if it is safe for a log, otherwise a new one.
  static func of(_ request: Request) -> String {
    of(request.headers[field])
  }

  /// Returns the id for a given value of the field.
  static func of(_ given: String?) -> String {
    if let given, isSane(given) { return given }
    var text = String(UInt64.random(in: 0 ... .max), radix: 16)
    if text.utf8.count < 16 { text = String(repeating: "0", count: 16 - text.utf8.count) + text }
    return text
  }

  /// Whether an id consists of letters, digits, `-`, `_` and `.`, at most 128: it cannot be a token, an address or a
  /// line break.
  static func isSane(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}

/// Labels of requests for logs and metrics, in which no string from a client may appear.
enum RouteLabel {
  /// Returns the route's template; `unmatched` where there is no route.
  static func of(_ endpointPath: String?) -> String {
    guard let endpointPath, endpointPath.utf8.first == UInt8(ascii: "/") else { return "unmatched" }
    return endpointPath
  }

  /// Returns the name of a method; all unknown methods share one name.
  static func of(_ method: HTTPRequest.Method) -> String {
    switch method {
    case .get, .head, .post, .put, .patch, .delete, .options: method.rawValue
    default: "OTHER"
    }
  }
}

/// The data of a request for logs and metrics. The checked id is the only data from the client.
package struct RequestRecord: Sendable {
  /// An HTTP method, or `OTHER`.
  package let method: String
  /// The route's template, never the path: `/api/v1/content/{public_id}`; `unmatched` where there is none.
  package let route: String
  package let status: Int
  package let duration: Duration
  package let requestID: String

  package init(method: String, route: String, status: Int, duration: Duration, requestID: String) {
    self.method = method
    self.route = route
    self.status = status
    self.duration = duration
    self.requestID = requestID
  }

  /// The duration, in seconds.
  package var seconds: Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
